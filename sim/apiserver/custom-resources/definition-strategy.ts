/**
 * CustomResourceDefinition: a definition brings a resource into being, and takes all its objects with
 * it when it goes. Its status belongs to the server. Specification: not shown (Kubernetes).
 */
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { nameIsDnsSubdomain } from '../../api/validation/names.ts';
import { defineKind } from '../registry/define-kind.ts';
import { keepMember, raiseGeneration } from '../registry/generic-strategy.ts';
import type { Draft } from '../registry/strategy.ts';
import { withCutDefaults } from './default-errors.ts';
import { formatWarnings } from './unknown-formats.ts';
import { numberWithRules } from './rules/has-rules.ts';
import { withCondition } from './definition-conditions.ts';
import { dropDisabled } from './disabled-parts.ts';
import { isMap } from './json-schema.ts';
import { dropEmptyItems } from './empty-items.ts';
import { definitionErrors, definitionNameCheck, definitionUpdateErrors } from './definition-validation.ts';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const WEBHOOK_PORT = 443;

/** Where the status is judged by itself, the root may not even say these of nothing. */
const TELLING_AT_ROOT = [
  ...['enum', 'required', 'allOf', 'oneOf', 'anyOf', 'properties', 'patternProperties', 'definitions'],
  ...['x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
].map((member) => ['spec', 'versions', '*', 'schema', 'openAPIV3Schema', member]);

/** In `anyOf` they make something else of integer-or-string, even with nothing in them. */
const ALTERNATIVES = ['properties', 'required', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];
const TELLING_OF_ALTERNATIVES = ALTERNATIVES.map((member) => ['**', 'anyOf', '*', member]);

/** Shown where a version is printed as it was read. */
const TELLING_OF_VERSIONS = ['additionalPrinterColumns', 'selectableFields'].map((member) => [
  'spec',
  'versions',
  '*',
  member,
]);

export const definitionKind = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  storageDirectory: 'apiextensions.k8s.io/customresourcedefinitions',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    nameCheckOf: (definition) => definitionNameCheck(definition),
    hasFreeFinalizers: true,
    tellingEmptyLists: [
      ['spec', 'versions'],
      ...TELLING_OF_VERSIONS,
      ...TELLING_AT_ROOT,
      ...TELLING_OF_ALTERNATIVES,
      ['**', 'dependencies'],
    ],
    requiresVersionOnUpdate: true,
    defaults: setDefaults,
    prepareForCreate: (draft, context) => {
      dropDisabled(draft, undefined, context);
      cutDefaults(draft);
      draft.metadata.generation = 1;
      draft.status = {
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storageVersions(draft).slice(0, 1),
      };
    },
    prepareForUpdate: (draft, old, context) => {
      dropDisabled(draft, old, context);
      keepMember(draft, old, 'status');
      cutDefaults(draft);
      raiseGeneration(draft, old, ['spec']);
      const stored = draft.status?.storedVersions ?? [];
      const known = new Set(stored);
      const missing = storageVersions(draft).filter((name) => !known.has(name));
      if (missing.length > 0) draft.status = { ...draft.status, storedVersions: [...stored, ...missing] };
    },
    validate: (object, { celMetrics }) => {
      celMetrics?.compiled(partsWithRules(object));
      return definitionErrors(object);
    },
    validateUpdate: (object, old, { celMetrics }) => {
      celMetrics?.compiled(partsWithRules(object));
      return definitionUpdateErrors(object, old);
    },
    warningsOnCreate: (object, context) => formatWarnings(object, undefined, context),
    warningsOnUpdate: formatWarnings,
    canonicalize: ({ spec }) => {
      for (const { schema } of spec?.versions ?? []) dropEmptyItems(schema?.openAPIV3Schema);
    },
    resetFields: [['status']],
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => {
          keepMember(draft, old, 'spec');
          const { managedFields, resourceVersion, uid } = draft.metadata;
          draft.metadata = {
            ...(old.metadata as typeof draft.metadata),
            ...(uid !== undefined && { uid }),
            ...(resourceVersion !== undefined && { resourceVersion }),
          };
          if (managedFields) draft.metadata.managedFields = managedFields;
          else delete draft.metadata.managedFields;
          // Whatever else is said here is judged when the definition itself is written next.
          if (!draft.status?.storedVersions?.length)
            draft.status = { ...draft.status, storedVersions: storageVersions(draft).slice(0, 1) };
        },
        resetFields: [['metadata'], ['spec']],
      },
    },
    // Like a namespace it is first marked, and goes when its objects are gone.
    hasOtherFinalizers: () => false,
    marksWithoutPropagation: true,
    markTerminating: (draft) => {
      const finalizers = draft.metadata.finalizers ?? [];
      if (!finalizers.includes(CLEANUP_FINALIZER))
        draft.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
      draft.status = {
        ...draft.status,
        conditions: withCondition(
          draft.status?.conditions ?? [],
          {
            type: 'Terminating',
            status: 'True',
            reason: 'InstanceDeletionPending',
            message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
          },
          draft.metadata.deletionTimestamp ?? '',
        ),
      };
    },
    tableRow: ({ metadata }) => ({ cells: [metadata.name ?? '', metadata.creationTimestamp ?? null] }),
  },
});

const storageVersions = ({ spec }: Draft<CustomResourceDefinition> | CustomResourceDefinition): string[] =>
  (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);

const partsWithRules = ({ spec }: Draft<CustomResourceDefinition> | CustomResourceDefinition): number =>
  (spec?.versions ?? []).reduce((sum, { schema }) => sum + numberWithRules(schema?.openAPIV3Schema), 0);

/** To validate declared defaults is to leave them changed. */
function cutDefaults({ spec }: Draft<CustomResourceDefinition>): void {
  for (const { schema } of spec?.versions ?? []) {
    const declared = schema?.openAPIV3Schema;
    if (schema && isMap(declared)) Object.assign(schema, { openAPIV3Schema: withCutDefaults(declared) });
  }
}

function setDefaults(draft: Draft<CustomResourceDefinition>): void {
  const { spec } = draft;
  if (!spec) return;
  const { names } = spec;
  if (names?.kind) {
    if (!names.singular) names.singular = names.kind.toLowerCase();
    if (!names.listKind) names.listKind = `${names.kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service && service.port === undefined) service.port = WEBHOOK_PORT;
}
