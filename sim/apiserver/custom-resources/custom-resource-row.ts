/** The registry's row of a CustomResourceDefinition that is in force. */
import type { ScalePaths } from '../registry/resource.ts';
import type { CustomResourceSubresourceScale } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { ApiObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/types/apiextensions-k8s-io-v1.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { TargetContext } from '../admission/webhooks/webhook-target.ts';
import { contentTag } from '../discovery/content-tag.ts';
import { isMap, type JSONSchemaProps } from './json-schema.ts';
import { compareVersions } from '../../api/version-order.ts';
import type {
  Deprecation,
  LeftOut,
  Resource,
  ResourceVersion,
  ServedSubresource,
} from '../registry/resource.ts';
import { type ConversionMetrics, meteredConversion } from '../metrics/conversion-metrics.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { askWebhook } from './conversion/conversion-webhook.ts';
import { ConvertedCopies } from './conversion/converted-copies.ts';
import { shownIn, readIn } from './custom-decode.ts';
import { isConditionTrue } from './definition-conditions.ts';
import { RegistryRow } from '../registry/registry-row.ts';
import { deepFreeze } from '../registry/storage-form.ts';
import { sorted } from './custom-form.ts';
import { customStrategy } from './custom-strategy.ts';
import { customTable } from './custom-table.ts';
import { typedObjectSchema } from './typed-schema.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS = ['get', 'patch', 'update'];
const UNSUPPORTED_LABEL = 'field label not supported: {label}';

export interface RowSurroundings {
  /** That of ObjectMeta in the server's release. */
  readonly metaSchema: StructSchema;
  /** What the server knows of services, behind which webhooks may be. */
  readonly lookup: TargetContext['lookup'];
  readonly metrics: ConversionMetrics | undefined;
}

export function customResourceRow(
  definition: CustomResourceDefinition,
  { metaSchema, lookup, metrics }: RowSurroundings,
): Resource {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? spec.names;
  const group = spec.group;
  const known = new Map(
    spec.versions.map((version) => [version.name, versionOf(definition, version, metaSchema)]),
  );
  const served = spec.versions.filter((version) => version.served);
  const storage = spec.versions.find((version) => version.storage);
  const storageApiVersion = `${group}/${storage?.name ?? ''}`;
  const versions = [...known.values()];
  return new RegistryRow({
    group,
    resource: names.plural,
    singular: names.singular ?? '',
    kind: names.kind,
    isNamespaced: spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    versions: new Map(
      served.flatMap(({ name }) => {
        const version = known.get(name);
        return version ? [[name, version] as const] : [];
      }),
    ),
    storagePrefix: `/registry/${group}/${names.plural}/`,
    storageApiVersion,
    metaSchema: () => metaSchema,
    storageSchema: () => {
      const schema = storage && known.get(storage.name)?.schema;
      invariant(schema !== undefined, 'a definition in force has a version that is stored', { group });
      return schema;
    },
    strategy: customStrategy({
      metaSchema,
      versions: known,
      hasStatus: spec.versions.some(({ subresources }) => subresources?.status !== undefined),
      selectable: new Map(
        spec.versions.map(({ name, selectableFields = [] }) => [
          `${group}/${name}`,
          selectableFields.map(({ jsonPath }) => jsonPath),
        ]),
      ),
      scales: new Map(
        spec.versions.flatMap(({ name, subresources }) =>
          subresources?.scale ? [[`${group}/${name}`, subresources.scale]] : [],
        ),
      ),
    }),
    isCustom: true,
    isTerminating: isConditionTrue(definition, 'Terminating'),
    goTypeName: 'unstructured.Unstructured',
    convert: converter(versions),
    ...askingWebhook(versions, spec.conversion, {
      lookup,
      metrics,
      definition: definition.metadata.name ?? '',
    }),
  });
}

/** Objects are frozen once stored, so what was made of one can be kept. */
function converter(versions: readonly ResourceVersion[]): Resource['convert'] {
  const byApiVersion = new Map(
    versions.map((version) => [version.apiVersion, { version, made: new WeakMap<ApiObject, ApiObject>() }]),
  );
  return (object, apiVersion) => {
    const target = byApiVersion.get(apiVersion);
    if (!target) return { ...object, apiVersion };
    if (!Object.isFrozen(object))
      return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
    const known = target.made.get(object);
    if (known) return known;
    const own = byApiVersion.get(object.apiVersion)?.version ?? target.version;
    const read = readIn(own, object);
    const shown = own === target.version ? read : shownIn(target.version, read);
    target.made.set(object, shown);
    return shown;
  };
}

interface Asking {
  readonly lookup: TargetContext['lookup'];
  readonly metrics: ConversionMetrics | undefined;
  /** Its name. */
  readonly definition: string;
}

/** Asks the webhook about what was read, and shows what it says as the version's schema knows it. */
function askingWebhook(
  versions: readonly ResourceVersion[],
  conversion: CustomResourceConversion | undefined,
  { lookup, metrics, definition }: Asking,
): Pick<Resource, 'askConverted' | 'copies'> {
  const { strategy, webhook } = conversion ?? {};
  if (strategy !== 'Webhook' || !webhook) return {};
  const byApiVersion = new Map(versions.map((version) => [version.apiVersion, version]));
  const ask = function* (
    objects: readonly ApiObject[],
    apiVersion: string,
    surroundings: ApiServerSurroundings,
    leaves: LeftOut = 'resourceVersion',
  ): Process<readonly ApiObject[]> {
    const note = metrics && meteredConversion(metrics, { definition, objects, apiVersion, surroundings });
    let made: readonly ApiObject[] | undefined;
    try {
      const read = objects.map((object) => {
        const own = byApiVersion.get(object.apiVersion);
        return own ? readIn(own, object) : object;
      });
      made = yield* askWebhook({ surroundings, lookup }, webhook, { objects: read, apiVersion, leaves });
    } finally {
      note?.(made !== undefined);
    }
    const version = byApiVersion.get(apiVersion);
    return version ? made.map((object) => deepFreeze(sorted(shownIn(version, object)))) : made;
  };
  return { askConverted: ask, copies: new ConvertedCopies(ask) };
}

/** The schema with unknown members let through everywhere. */
function preserving<T extends object>(schema: T): T {
  const { properties, items, additionalProperties, ...rest } = schema as JSONSchemaProps;
  const all = Object.entries(properties ?? {}).map(([name, part]) => [name, preserving(part)] as const);
  return {
    ...rest,
    'x-kubernetes-preserve-unknown-fields': true,
    ...(properties && { properties: Object.fromEntries(all) }),
    ...(items !== undefined && { items: isMap(items) ? preserving(items) : items }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isMap(additionalProperties)
        ? preserving(additionalProperties)
        : additionalProperties,
    }),
  } as T;
}

function versionOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  metaSchema: StructSchema,
): ResourceVersion {
  const { spec, status } = definition;
  const { kind, listKind = `${kind}List` } = status?.acceptedNames ?? spec.names;
  const schema = version.schema?.openAPIV3Schema ?? { type: 'object' };
  // As definitions of v1beta1 could ask for.
  const declared = spec.preserveUnknownFields ? preserving(schema) : schema;
  const deprecation = deprecationOf(definition, version, kind);
  return {
    group: spec.group,
    version: version.name,
    apiVersion: `${spec.group}/${version.name}`,
    kind,
    listKind,
    schema: typedObjectSchema(kind, declared, metaSchema),
    metaSchema,
    verbs: new Set(VERBS),
    subresources: new Map(
      subresourcesOf(spec.group, kind, version).map((subresource) => [subresource.name, subresource]),
    ),
    ...(deprecation && { deprecation }),
    fieldLabels: new Set([
      'metadata.name',
      'metadata.namespace',
      ...(version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.slice(1)),
    ]),
    unsupportedFieldLabel: UNSUPPORTED_LABEL,
    declaredSchema: declared as NonNullable<ResourceVersion['declaredSchema']>,
    storageVersionHash: storageHash(`${spec.group}/${storageNameOf(spec)}/${kind}`),
    table: customTable(version.additionalPrinterColumns),
    ...(version.subresources?.scale && { scale: scalePaths(version.subresources.scale) }),
  };
}

const storageNameOf = ({ versions }: CustomResourceDefinition['spec']): string =>
  versions.find(({ storage }) => storage)?.name ?? '';

const HASH_BYTES = 8;

/** A short text that changes with the version that is stored. */
const storageHash = (text: string): string => {
  const digits = contentTag(text).match(/../g) ?? [];
  return btoa(String.fromCharCode(...digits.slice(0, HASH_BYTES).map((pair) => Number.parseInt(pair, 16))));
};

const segments = (jsonPath: string): readonly string[] => jsonPath.split('.').filter((name) => name !== '');

const scalePaths = (paths: CustomResourceSubresourceScale): ScalePaths => ({
  specReplicas: segments(paths.specReplicasPath),
  statusReplicas: segments(paths.statusReplicasPath),
  selector: segments(paths.labelSelectorPath ?? ''),
});

function subresourcesOf(
  group: string,
  kind: string,
  { name, subresources }: CustomResourceDefinitionVersion,
): ServedSubresource[] {
  return [
    ...(subresources?.status ? [{ name: 'status', kind, group, version: name, verbs: PART_VERBS }] : []),
    ...(subresources?.scale
      ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS }]
      : []),
  ];
}

function deprecationOf(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  kind: string,
): Deprecation | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined)
    return { warning: version.deprecationWarning, removedRelease: '' };
  const better = spec.versions
    .filter(
      ({ served, deprecated, name }) => served && !deprecated && compareVersions(name, version.name) < 0,
    )
    .sort((one, other) => compareVersions(one.name, other.name))[0];
  const use = better ? `; use ${spec.group}/${better.name} ${kind}` : '';
  return { warning: `${spec.group}/${version.name} ${kind} is deprecated${use}`, removedRelease: '' };
}
