/**
 * The rules of custom resources, as far as their definition says: which members belong to the status,
 * what values are allowed, what counts as a new generation. Specification: not shown (Kubernetes).
 */
import { append } from '../../api/append.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { ApiObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { FieldError } from '../../api/status.ts';
import type { CustomResourceSubresourceScale } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { invalid } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../api/validation/names.ts';
import { keepMember } from '../registry/generic-strategy.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { DraftObject, HookContext, Strategy, UpdateRules } from '../registry/strategy.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import { declaredOf } from './custom-decode.ts';
import { customForm } from './custom-form.ts';
import { fieldBelow } from './default-errors.ts';
import { embeddedErrors } from './embedded-resource.ts';
import { parseJsonPath } from './json-path.ts';
import { type JSONSchemaProps, propertyOf } from './json-schema.ts';
import { pruned } from './prune.ts';
import { ruleErrors, type RuleTask } from './rules/check-rules.ts';
import { hasRules } from './rules/has-rules.ts';
import { specScaleErrors, statusScaleErrors } from './scale-errors.ts';
import { uniquenessErrors } from './unique-items.ts';
import { validateValue } from './validate-value.ts';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

type Versions = Resource['versions'];

export interface CustomTraits {
  /** That of ObjectMeta. */
  readonly metaSchema: StructSchema;
  readonly versions: Versions;
  /** Some version has a status of its own. */
  readonly hasStatus: boolean;
  /** JSON paths of selectable fields, by version. */
  readonly selectable: ReadonlyMap<string, readonly string[]>;
  readonly scales: ReadonlyMap<string, CustomResourceSubresourceScale>;
}

export function customStrategy(traits: CustomTraits): Strategy {
  return {
    nameCheck: nameIsDnsSubdomain,
    requiresVersionOnUpdate: true,
    prepareForCreate: (draft, context) => {
      if (hasStatusIn(traits, context)) delete draft['status'];
      draft.metadata.generation = 1;
    },
    prepareForUpdate: (draft, old, context) => {
      if (hasStatusIn(traits, context)) keepMember(draft, old, 'status');
      raiseGeneration(draft, old, hasStatusIn(traits, context));
    },
    typeErrors: (object, context) => typeErrors(traits, object, context),
    validate: (object, context, ofMetadata) => errorsOf(traits, object, { ofMetadata }, context),
    validateUpdate: (object, old, context, ofMetadata) =>
      errorsOf(traits, object, { old, ofMetadata }, context),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    warningsOnUpdate: (object, old) => finalizerWarnings(object, old),
    canonicalize: (draft) => reform(traits, draft),
    ...(traits.hasStatus && { resetFields: [['status']], subresources: { status: statusRules(traits) } }),
    selectableFields: (object, apiVersion) => selectableFields(traits, object, apiVersion),
  };
}

function finalizerWarnings({ metadata }: ApiObject, old: ApiObject | undefined): readonly string[] {
  return (metadata.finalizers ?? [])
    .filter(
      (name) =>
        !name.includes('/') && !STANDARD_FINALIZERS.has(name) && !old?.metadata.finalizers?.includes(name),
    )
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

const ofType: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

/** A write through /status takes over the status and nothing else. */
const statusRules = (traits: CustomTraits): UpdateRules => ({
  prepareForUpdate: (draft, old) => {
    const { managedFields, resourceVersion } = draft.metadata;
    const status = draft['status'];
    // What is there is in the version of the request, what is written in that of the storage.
    for (const name of Object.keys(draft)) if (!ofType.has(name)) delete draft[name];
    for (const name of Object.keys(old))
      if (name !== 'status' && !ofType.has(name)) keepMember(draft, old, name);
    draft.metadata = {
      ...old.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
    } as DraftObject['metadata'];
    if (managedFields) draft.metadata.managedFields = managedFields;
    else delete draft.metadata.managedFields;
    if (status !== undefined) draft['status'] = status;
  },
  validateUpdate: (object, old, context) => errorsOf(traits, object, { old, isStatus: true }, context),
  // Who sends metadata is noted for it, though it stays as it was.
  resetFields: [['spec']],
});

const versionOf = ({ versions }: CustomTraits, { apiVersion }: HookContext): ResourceVersion | undefined =>
  [...versions.values()].find((version) => version.apiVersion === apiVersion);

const hasStatusIn = (traits: CustomTraits, context: HookContext): boolean =>
  versionOf(traits, context)?.subresources.has('status') ?? false;

/** Everything but metadata counts, and the status if it has no subresource. */
function raiseGeneration(draft: DraftObject, old: ApiObject, hasStatus: boolean): void {
  const names = new Set([...Object.keys(draft), ...Object.keys(old)]);
  names.delete('metadata');
  names.delete('apiVersion');
  if (hasStatus) names.delete('status');
  if ([...names].every((name) => isEqualJson(draft[name], old[name]))) return;
  draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

interface Replaced {
  readonly old?: ApiObject;
  /** Found before: rules are not asked about an object of which a part is missing or too long. */
  readonly ofMetadata?: readonly FieldError[] | undefined;
  /** Written through /status: what is wrong there counts even if it was wrong before. */
  readonly isStatus?: boolean;
}

/** Values are judged by the schema of the version in which they were sent. */
function errorsOf(
  traits: CustomTraits,
  object: ApiObject,
  { old, ofMetadata = [], isStatus = false }: Replaced,
  context: HookContext,
): readonly FieldError[] {
  const version = versionOf(traits, context);
  if (!version) return [];
  const errors: FieldError[] = [...typeErrors(traits, object, context)];
  const isOther = errors.length > 0;
  if (old) context.celMetrics?.compared();
  const schema = declaredOf(version);
  const [value, before] = [valuesOf(object), old && valuesOf(old)];
  const ratchets = context.isFeatureEnabled('CRDValidationRatcheting');
  const scale = traits.scales.get(version.apiVersion);
  if (isStatus) {
    append(errors, statusErrors(object, schema));
  } else if (!isOther) {
    append(errors, validateValue(value, schema, '', ratchets ? { old: before } : {}));
    if (scale) append(errors, specScaleErrors(scale, object));
  }
  if (scale && !isOther) append(errors, statusScaleErrors(scale, object));
  if (!isStatus && (!before || !isEqualJson(value, before))) append(errors, embeddedErrors(value, schema));
  const duplicates = uniquenessErrors(value, schema, '');
  // What was there twice before may stay.
  if (duplicates.length > 0 && (!before || uniquenessErrors(before, schema, '').length === 0))
    append(errors, duplicates);
  const task = { value, old: before, schema, isResource: true, ratchets: ratchets && !isStatus };
  return hasRules(schema) ? [...errors, ...judgedByRules(task, [...ofMetadata, ...errors], context)] : errors;
}

function typeErrors(traits: CustomTraits, object: ApiObject, context: HookContext): readonly FieldError[] {
  const version = versionOf(traits, context);
  if (!version || object.kind === version.kind) return [];
  return [invalid(FieldPath.of('kind'), object.kind, `must be ${version.kind}`)];
}

const STATUS = FieldPath.of('status');

/** By itself, and whatever was there before: messages speak of what is below it. */
function statusErrors(object: ApiObject, schema: JSONSchemaProps): readonly FieldError[] {
  const declared = propertyOf(schema, 'status');
  if (!declared || !('status' in object)) return [];
  return validateValue(object['status'], declared, '').map((error) => ({
    ...error,
    field: fieldBelow(STATUS, error.field),
  }));
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rules are asked only about values of which the schema says what they are. */
function judgedByRules(
  task: Omit<RuleTask, 'warn'>,
  errors: readonly FieldError[],
  context: HookContext,
): readonly FieldError[] {
  const { celMetrics } = context;
  if (!errors.some(({ reason }) => BLOCKING.has(reason)))
    return ruleErrors({
      ...task,
      warn: (text) => context.warn(text),
      ...(celMetrics && { judged: () => celMetrics.evaluated() }),
    });
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [invalid(undefined, null, detail)];
}

/** What the declared schema speaks of: the metadata only by name. */
const valuesOf = ({ metadata, ...rest }: ApiObject): object => ({
  ...rest,
  metadata: {
    ...(metadata.name !== undefined && { name: metadata.name }),
    ...(metadata.generateName !== undefined && { generateName: metadata.generateName }),
  },
});

/** Before it is stored an object loses what its version does not know. */
function reform({ versions, metaSchema }: CustomTraits, draft: DraftObject): void {
  const stored = [...versions.values()].find(({ apiVersion }) => apiVersion === draft.apiVersion);
  const kept = customForm(stored ? pruned(draft, declaredOf(stored), true) : draft, metaSchema);
  for (const name of Object.keys(draft)) if (!Object.hasOwn(kept, name)) delete draft[name];
  Object.assign(draft, kept);
}

const selectableText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : encodeJson(value);
};

/** Values are compared as text; what is missing is empty. */
function selectableFields(
  { selectable }: CustomTraits,
  object: ApiObject,
  apiVersion: string,
): Readonly<Record<string, string>> {
  const paths = selectable.get(apiVersion) ?? [];
  return Object.fromEntries(
    paths.map((path) => {
      const [value] = parseJsonPath(path)?.find(object) ?? [];
      return [path.slice(1), selectableText(value)];
    }),
  );
}
