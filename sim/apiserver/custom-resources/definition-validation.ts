/**
 * What a CustomResourceDefinition may say. What all versions share is named by the path that it had
 * when definitions had one version, as the real server does.
 */
import { append } from '../../api/append.ts';
import { goLength, goStringSlice, goStruct, GoSyntax, isPrintable, jsonMembers } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
} from '../../api/types/apiextensions-k8s-io-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import {
  dns1035Label,
  dns1123Subdomain,
  type NameCheck,
  nameIsDnsSubdomain,
} from '../../api/validation/names.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import type { Draft } from '../registry/strategy.ts';
import { approvalErrors } from './api-approval.ts';
import { conversionErrors } from './conversion-validation.ts';
import { defaultErrors } from './default-errors.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';
import {
  compiledRuleErrors,
  ruleCountError,
  storedRulesOf,
  type StoredRules,
} from './rules/definition-rules.ts';
import { rootErrors } from './root-errors.ts';
import { plainJson, schemaJson } from './schema-json.ts';
import { pointerText } from './schema-text.ts';
import { keywordErrors } from './schema-keywords.ts';
import { selectableFieldErrors } from './selectable-fields.ts';
import { structuralErrors, unreadable } from './structural-schema.ts';

const SPEC = FieldPath.of('spec');
const SCOPES = ['Cluster', 'Namespaced'];
const MAX_WARNING = 256;
const NO_PATH = 'must be a simple json path starting with .';

/** A body without versions decodes to null. */
const declaredVersions = (
  spec: CustomResourceDefinition['spec'],
): readonly CustomResourceDefinitionVersion[] => spec.versions ?? [];

export function definitionErrors(object: CustomResourceDefinition): readonly FieldError[] {
  return [
    ...specErrors(object),
    ...storedVersionErrors(object),
    ...approvalErrors(object),
    ...preservationErrors(object),
  ];
}

export function definitionUpdateErrors(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly FieldError[] {
  const isEstablished =
    old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
  return [
    ...specErrors(object, old),
    ...immutableErrors(object, old, isEstablished),
    ...storedVersionErrors(object),
    ...(isEqualJson(object.metadata.annotations, old.metadata.annotations) ? [] : approvalErrors(object)),
    ...(old.spec.preserveUnknownFields ? [] : preservationErrors(object)),
  ];
}

function immutableErrors(
  { spec }: CustomResourceDefinition,
  { spec: old }: CustomResourceDefinition,
  isEstablished: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const check = (path: FieldPath, value: string, before: string): void => {
    if (value !== before) errors.push(invalid(path, value, 'field is immutable'));
  };
  if (isEstablished) {
    check(SPEC.child('scope'), spec.scope, old.scope);
    check(SPEC.child('names', 'kind'), spec.names.kind, old.names.kind);
  }
  check(SPEC.child('group'), spec.group, old.group);
  check(SPEC.child('names', 'plural'), spec.names.plural, old.names.plural);
  return errors;
}

/** Its name follows from what it declares, and so no name can be generated. */
export const definitionNameCheck =
  ({ spec }: CustomResourceDefinition): NameCheck =>
  (name, isPrefix) => {
    const findings = nameIsDnsSubdomain(name, isPrefix);
    return name === `${spec.names?.plural ?? ''}.${spec.group}`
      ? findings
      : [...findings, 'must be spec.names.plural+"."+spec.group'];
  };

const PRESERVATION = SPEC.child('preserveUnknownFields');

function preservationErrors({ spec }: CustomResourceDefinition): FieldError[] {
  if (!spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(PRESERVATION, true, detail)];
}

/** Fields that versions share, or that one of them has alone. */
type Shared = Pick<
  CustomResourceDefinitionVersion,
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'
>;
const SHARED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

function hoisted(versions: readonly CustomResourceDefinitionVersion[]): {
  top: Shared;
  versions: readonly CustomResourceDefinitionVersion[];
} {
  const [first] = versions;
  if (!first) return { top: {}, versions };
  const same = SHARED.filter((member) => {
    const present = versions.length > 1 ? withoutEmpty(first[member]) : undefined;
    return versions.every(
      (version) => version === first || isEqualJson(withoutEmpty(version[member]), present),
    );
  });
  const top = Object.fromEntries(
    same.filter((member) => first[member] !== undefined).map((member) => [member, first[member]]),
  ) as Shared;
  return { top, versions: versions.map((version) => without(version, same)) };
}

/** Members that Go does not keep apart from absent ones where it compares schemas. */
const EMPTY_IS_ABSENT: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'definitions', 'dependencies', 'description', 'enum', 'exclusiveMaximum'],
  ...['exclusiveMinimum', 'format', 'id', 'nullable', 'oneOf', 'pattern', 'patternProperties', 'properties'],
  ...['required', 'title', 'type', 'uniqueItems', 'x-kubernetes-embedded-resource'],
  ...['x-kubernetes-int-or-string', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
]);
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (EMPTY_IS_ABSENT.has(name) && isEmpty(member)) return [];
    return [[name, VALUES.has(name) ? member : withoutEmpty(member)] as const];
  });
  return Object.fromEntries(kept);
}

const isEmpty = (value: unknown): boolean =>
  value === '' ||
  value === false ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function without(
  version: CustomResourceDefinitionVersion,
  members: readonly (keyof Shared)[],
): CustomResourceDefinitionVersion {
  const left: Draft<CustomResourceDefinitionVersion> = {
    ...version,
  } as Draft<CustomResourceDefinitionVersion>;
  for (const member of members) delete left[member];
  return left;
}

function specErrors({ spec }: CustomResourceDefinition, old?: CustomResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  const { top, versions } = hoisted(declaredVersions(spec));
  append(errors, groupErrors(spec.group ?? ''));
  if (!spec.scope) errors.push(required(SPEC.child('scope')));
  else if (!SCOPES.includes(spec.scope)) errors.push(notSupported(SPEC.child('scope'), spec.scope, SCOPES));
  const path = SPEC.child('versions');
  for (const [index, version] of declaredVersions(spec).entries()) {
    if (!version.schema?.openAPIV3Schema)
      errors.push(required(path.index(index).child('schema', 'openAPIV3Schema'), 'schemas are required'));
  }
  const schemas = declaredVersions(spec).map(({ schema }) => schema?.openAPIV3Schema);
  if (spec.preserveUnknownFields && schemas.some((schema) => schema && hasDefaults(schema)))
    errors.push(invalid(PRESERVATION, true, 'must be false in order to use defaults in the schema'));
  const tooManyRules = ruleCountError(
    schemas.flatMap((schema) => schema ?? []),
    path,
  );
  if (tooManyRules) return [...errors, tooManyRules];
  const stored = storedRulesOf(
    old ? declaredVersions(old.spec).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []) : [],
  );
  for (const [index, version] of versions.entries()) {
    // A version is looked up by its name, so that of two of one name the first one counts.
    const named = declaredVersions(spec).find(({ name }) => name === version.name);
    const hasStatus = named?.subresources?.status !== undefined;
    const isUnchanged = hasSameSchema(spec, old?.spec, version.name);
    append(errors, versionErrors(version, path.index(index), { hasStatus, isUnchanged, stored }));
  }
  const names = new Set(versions.map(({ name }) => name));
  if (names.size < versions.length)
    errors.push(invalid(path, goVersions(spec.versions && versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(
      invalid(
        path,
        goVersions(spec.versions && versions),
        'must have exactly one version marked as storage version',
      ),
    );
  }
  const version = declaredVersions(spec)[0]?.name ?? '';
  const findings = version === '' ? [] : dns1035Label(version);
  if (findings.length > 0) errors.push(invalid(SPEC.child('version'), version, findings.join(',')));
  append(errors, namesErrors(spec.names));
  const isUnchanged = hasSameSchema(spec, old?.spec, version);
  const hasStatus = declaredVersions(spec).some(({ subresources }) => subresources?.status !== undefined);
  append(errors, sharedErrors(top, SPEC, { schemaName: 'validation', hasStatus, isUnchanged, stored }));
  if (spec.preserveUnknownFields && spec.conversion && spec.conversion.strategy !== 'None') {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    errors.push(invalid(SPEC.child('conversion', 'strategy'), spec.conversion.strategy, detail));
  }
  append(errors, conversionErrors(spec.conversion, SPEC.child('conversion')));
  return errors;
}

function groupErrors(group: string): FieldError[] {
  const path = SPEC.child('group');
  if (group === '') return [required(path)];
  const findings = dns1123Subdomain(group);
  if (findings.length > 0) return [invalid(path, group, findings.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function versionErrors(
  version: CustomResourceDefinitionVersion,
  path: FieldPath,
  place: Omit<SharedPlace, 'schemaName'>,
): FieldError[] {
  const findings = dns1035Label(version.name);
  return [
    ...(findings.length > 0 ? [invalid(path.child('name'), version.name, findings.join(','))] : []),
    ...warningErrors(version, path.child('deprecationWarning')),
    ...sharedErrors(version, path, { schemaName: 'schema', ...place }),
  ];
}

function warningErrors(
  { deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion,
  path: FieldPath,
): FieldError[] {
  if (text === undefined) return [];
  if (!deprecated) return [invalid(path, text, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (goLength(text) > MAX_WARNING)
    errors.push(invalid(path, text, `must be <= ${MAX_WARNING} characters long`));
  if (text === '') errors.push(invalid(path, text, 'must not be an empty string'));
  const at = [...text].findIndex((character) => !isPrintable(character));
  if (at >= 0) {
    errors.push(
      invalid(
        path,
        text,
        `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
      ),
    );
  }
  return errors;
}

/** Rules that have become too expensive stay as long as nobody touches the schema. */
function hasSameSchema(
  spec: CustomResourceDefinition['spec'],
  old: CustomResourceDefinition['spec'] | undefined,
  version: string,
): boolean {
  const [now, before] = [spec, old].map(
    (each) => each && declaredVersions(each).find(({ name }) => name === version)?.schema,
  );
  return now !== undefined && before !== undefined && isEqualJson(now, before);
}

interface SharedPlace {
  readonly schemaName: string;
  /** Some version has a status of its own. */
  readonly hasStatus: boolean;
  /** The schema is that of the definition before. */
  readonly isUnchanged: boolean;
  readonly stored: StoredRules;
}

function sharedErrors(shared: Shared, path: FieldPath, place: SharedPlace): FieldError[] {
  const schema = shared.schema?.openAPIV3Schema;
  return [
    ...(schema ? schemaErrors(schema, path.child(place.schemaName, 'openAPIV3Schema'), place) : []),
    ...subresourceErrors(shared.subresources, path.child('subresources')),
    ...(shared.additionalPrinterColumns ?? []).flatMap((column, index) =>
      columnErrors(column, path.child('additionalPrinterColumns').index(index)),
    ),
    ...(shared.selectableFields?.length ? selectionErrors(shared, path) : []),
  ];
}

function selectionErrors({ selectableFields = [], schema }: Shared, path: FieldPath): readonly FieldError[] {
  const at = path.child('selectableFields');
  const declared = schema?.openAPIV3Schema;
  // What all versions share is asked even if it says nothing.
  const isAsked = declared !== undefined || (path === SPEC && schema !== undefined);
  if (isAsked) {
    const problem = declared && unreadable(declared);
    const errors = selectableFieldErrors(selectableFields, declared, at);
    return problem === undefined
      ? errors
      : [invalid(path.child('schema', 'openAPIV3Schema'), '', problem), ...errors];
  }
  const where =
    path === SPEC ? 'validations.schema is included' : 'version.schema.openAPIV3Schema is not included';
  return [invalid(at, '', `selectableFields may only be set when ${where}`)];
}

/** What is wrong with the structure comes first, what no schema may say after it. */
function schemaErrors(
  schema: JSONSchemaProps,
  path: FieldPath,
  { hasStatus, isUnchanged, stored }: SharedPlace,
): FieldError[] {
  const errors: FieldError[] = [...(hasStatus ? rootErrors(schema, path) : [])];
  if (schema.nullable) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const keywords = keywordErrors(schema, path);
  const problem = unreadable(schema);
  if (problem !== undefined) {
    append(errors, keywords);
    return errors.length > 0 ? errors : [invalid(path, '', problem)];
  }
  const structural = structuralErrors(schema, path);
  const unfit = structural.length > 0 ? structural : defaultErrors(schema, path);
  append(errors, [...unfit, ...keywords]);
  if (unfit.length > 0) return errors;
  append(errors, compiledRuleErrors(schema, path, { schemaErrors: keywords, isUnchanged, stored }));
  return errors;
}

function hasDefaults(schema: JSONSchemaProps): boolean {
  const { default: value, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (value !== undefined && value !== null) return true;
  const parts = [
    ...[...allOf, ...anyOf, ...oneOf, not, itemsOf(schema)],
    ...(isMap(additionalProperties) ? [additionalProperties as JSONSchemaProps] : []),
    ...Object.values(schema.properties ?? {}),
  ];
  return parts.some((part) => part && hasDefaults(part));
}

function subresourceErrors(
  subresources: CustomResourceSubresources | undefined,
  path: FieldPath,
): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const errors: FieldError[] = [];
  const check = (
    name: 'specReplicasPath' | 'statusReplicasPath' | 'labelSelectorPath',
    roots: readonly string[],
    isRequired: boolean,
  ): void => {
    const text = scale[name] ?? '';
    const at = path.child('scale', name);
    if (text === '') {
      if (isRequired) errors.push(required(at));
    } else if (!text.startsWith('.')) errors.push(invalid(at, text, NO_PATH));
    else if (!roots.some((root) => text.startsWith(`${root}.`))) {
      const under = roots.length > 1 ? `either ${roots.join(' or ')}` : roots.join('');
      errors.push(invalid(at, text, `should be a json path under ${under}`));
    }
  };
  check('specReplicasPath', ['.spec'], true);
  check('statusReplicasPath', ['.status'], true);
  check('labelSelectorPath', ['.spec', '.status'], false);
  return errors;
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors(column: CustomResourceColumnDefinition, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format = '', jsonPath } = column;
  if (!name) errors.push(required(path.child('name')));
  if (!type) errors.push(required(path.child('type'), `must be one of ${COLUMN_TYPES.join(',')}`));
  else if (!COLUMN_TYPES.includes(type))
    errors.push(invalid(path.child('type'), type, `must be one of ${COLUMN_TYPES.join(',')}`));
  if (format && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalid(path.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  const at = path.child('JSONPath');
  if (!jsonPath) errors.push(required(at));
  else if (!jsonPath.startsWith('.')) errors.push(invalid(at, jsonPath, NO_PATH));
  return errors;
}

function namesErrors(names: CustomResourceDefinitionNames): FieldError[] {
  const errors: FieldError[] = [];
  const path = SPEC.child('names');
  for (const member of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[member]) errors.push(required(path.child(member)));
  const label = (at: FieldPath, text: string): void => {
    const findings = dns1035Label(text);
    if (findings.length > 0) errors.push(invalid(at, text, findings.join(',')));
  };
  for (const member of ['plural', 'singular'] as const)
    if (names[member]) label(path.child(member), names[member]);
  for (const member of ['kind', 'listKind'] as const) {
    const text = names[member] ?? '';
    const findings = text ? dns1035Label(text.toLowerCase()) : [];
    if (findings.length > 0)
      errors.push(
        invalid(
          path.child(member),
          text,
          `may have mixed case, but should otherwise match: ${findings.join(',')}`,
        ),
      );
  }
  for (const [index, name] of (names.shortNames ?? []).entries())
    label(path.child('shortNames').index(index), name);
  if (names.kind && names.kind === names.listKind)
    errors.push(invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same'));
  for (const [index, name] of (names.categories ?? []).entries())
    label(path.child('categories').index(index), name);
  return errors;
}

/** The versions in which objects may be stored have to be declared. */
function storedVersionErrors({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  const versions = status?.storedVersions ?? [];
  const path = FieldPath.of('status', 'storedVersions');
  if (versions.length === 0)
    return [invalid(path, goStringSlice(undefined), 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const left = new Map(versions.map((name, index) => [name, index]));
  for (const { name, storage } of declaredVersions(spec)) {
    if (storage && !left.has(name))
      errors.push(invalid(path, goStringSlice(versions), `must have the storage version ${name}`));
    left.delete(name);
  }
  for (const [name, index] of left)
    errors.push(invalid(path.index(index), name, 'must appear in spec.versions'));
  return errors;
}

const GO = 'apiextensions.';

const goList = <Item>(
  type: string,
  items: readonly Item[] | undefined,
  textOf: (item: Item) => GoSyntax,
): GoSyntax =>
  new GoSyntax(
    items ? `[]${GO}${type}{${items.map((item) => textOf(item).text).join(', ')}}` : `[]${GO}${type}(nil)`,
    () => (items ? `[${items.map((item) => textOf(item).json).join(',')}]` : 'null'),
  );

/** In Go's syntax only an address. */
const goPointer = <Value>(
  type: string,
  value: Value | undefined,
  jsonOf: (value: Value) => string = plainJson,
): GoSyntax => new GoSyntax(pointerText(type, value), () => (value === undefined ? 'null' : jsonOf(value)));

const subresourcesJson = ({ status, scale }: CustomResourceSubresources): string =>
  jsonMembers([
    ['Status', status ? '{}' : 'null'],
    [
      'Scale',
      scale
        ? jsonMembers([
            ['SpecReplicasPath', plainJson(scale.specReplicasPath)],
            ['StatusReplicasPath', plainJson(scale.statusReplicasPath)],
            ['LabelSelectorPath', plainJson(scale.labelSelectorPath)],
          ])
        : 'null',
    ],
  ]);

const validationJson = ({ openAPIV3Schema }: CustomResourceValidation): string =>
  jsonMembers([['OpenAPIV3Schema', openAPIV3Schema ? schemaJson(openAPIV3Schema) : 'null']]);

const goColumn = (column: CustomResourceColumnDefinition): GoSyntax =>
  goStruct(`${GO}CustomResourceColumnDefinition`, [
    ['Name', column.name],
    ['Type', column.type],
    ['Format', column.format ?? ''],
    ['Description', column.description ?? ''],
    ['Priority', new GoSyntax(String(column.priority ?? 0))],
    ['JSONPath', column.jsonPath],
  ]);

const goVersion = (version: CustomResourceDefinitionVersion): GoSyntax =>
  goStruct(`${GO}CustomResourceDefinitionVersion`, [
    ['Name', version.name],
    ['Served', new GoSyntax(String(version.served))],
    ['Storage', new GoSyntax(String(version.storage))],
    ['Deprecated', new GoSyntax(String(version.deprecated ?? false))],
    ['DeprecationWarning', goPointer('string', version.deprecationWarning)],
    ['Schema', goPointer(`${GO}CustomResourceValidation`, version.schema, validationJson)],
    ['Subresources', goPointer(`${GO}CustomResourceSubresources`, version.subresources, subresourcesJson)],
    [
      'AdditionalPrinterColumns',
      goList('CustomResourceColumnDefinition', version.additionalPrinterColumns, goColumn),
    ],
    [
      'SelectableFields',
      goList('SelectableField', version.selectableFields, ({ jsonPath }) =>
        goStruct(`${GO}SelectableField`, [['JSONPath', jsonPath]]),
      ),
    ],
  ]);

const goVersions = (versions: readonly CustomResourceDefinitionVersion[] | undefined): GoSyntax =>
  goList('CustomResourceDefinitionVersion', versions, goVersion);
