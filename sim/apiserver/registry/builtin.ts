/**
 * The rows of every built-in resource of a release, out of its catalog and the definitions of the
 * kinds. Specification: "Endpoints".
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { GroupFact, ResourceFact } from '../../api/catalog/builtin-resources.ts';
import type { LifeCycle } from '../../api/catalog/builtin-kinds.ts';
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject } from '../../api/object.ts';
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import { converted } from '../conversion/convert.ts';
import type { KindDefinition } from './define-kind.ts';
import { genericStrategy } from './generic-strategy.ts';
import { BUILTIN_KINDS } from './kinds/builtin-kinds.ts';
import { FORMER_KINDS, heirOf, oldVersionsOf } from './old-versions/old-kinds.ts';
import { conversionOf, replace, strategyWith } from './old-versions/old-version.ts';
import { RegistryRow, RegistryVersion } from './registry-row.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import {
  apiVersionOf,
  type Deprecation,
  type Resource,
  type ResourceVersion,
  resourceText,
} from './resource.ts';
import type { Strategy } from './strategy.ts';

export function builtinRows(release: Release, config: RuntimeConfig): Resource[] {
  const facts = new Map<string, ResourceFact[]>();
  for (const fact of release.catalog.resources.all) {
    if (!config.isServed(fact)) continue;
    const key = resourceText(fact);
    const known = facts.get(key);
    if (known) known.push(fact);
    else facts.set(key, [fact]);
  }
  return [...facts]
    .map(([text, versions]) => rowOf(text, versions, { release, config }))
    .filter((row) => row !== undefined);
}

/** Of resources that nobody has defined nothing is known but what the catalog says. */
const UNDEFINED: Omit<KindDefinition, 'group' | 'resource'> = {};

const definitions = new Map<string, KindDefinition>(
  [...BUILTIN_KINDS, ...FORMER_KINDS].map((kind) => [resourceText({ group: '', ...kind }), kind]),
);

/** What the rows of a server depend on, beside their own facts. */
interface RowSettings {
  readonly release: Release;
  readonly config: RuntimeConfig;
}

const META_KEY = 'meta.k8s.io/v1.ObjectMeta';

function rowOf(text: string, facts: readonly ResourceFact[], settings: RowSettings): Resource | undefined {
  const { resources, types } = settings.release.catalog;
  const preferred = preferredOf(facts, resources.groups('all'));
  if (!preferred) return undefined;
  const heir = heirOf(text);
  const definition = definitions.get(heir) ?? UNDEFINED;
  const { group, resource, kind } = preferred;
  const home = heir === text ? group : heir.slice(resource.length + 1);
  const { columnDescriptions } = definition;
  const storageApiVersion = storageVersionOf(definition, { ...preferred, group: home }, settings);
  const old = oldVersionsOf(heir);
  const conversion = conversionOf(definition.conversion, storageApiVersion, old);
  const rules = { conversion, types };
  const convert = (object: ApiObject, apiVersion: string): ApiObject =>
    inShape(converted(object, apiVersion, rules), {
      from: object,
      storageApiVersion,
      release: settings.release,
    });
  const storageKey = `${storageApiVersion}.${kind}`;
  const goPackage = definition.goPackage ?? (home === '' ? 'core' : (home.split('.', 1)[0] ?? ''));
  const strategy = definition.strategy ?? genericStrategyOf(preferred, definition, types);
  const strategyOfOld = strategyWith({ strategy }, { old, storage: storageApiVersion, convert });
  const beside = workedOnBeside(facts, storageApiVersion, (fact) => versionOf(fact, definition, settings));
  const encodedApiVersion = settings.release.rules.versions?.stored(group, resource) ?? storageApiVersion;
  const speaksOld = facts.some(({ group: of, version }) => Object.hasOwn(old, apiVersionOf(of, version)));
  return new RegistryRow({
    group,
    resource,
    singular: preferred.singular,
    kind,
    isNamespaced: preferred.namespaced,
    shortNames: preferred.shortNames,
    categories: preferred.categories,
    versions: new Map(facts.map((fact) => [fact.version, versionOf(fact, definition, settings)])),
    workedOn: beside,
    storagePrefix: `/registry/${definition.storageDirectory ?? resource}/`,
    storageApiVersion,
    encodedApiVersion,
    storageSchema: () => types.structOf(storageKey),
    metaSchema: () => types.structOf(META_KEY),
    strategy: beside
      ? keepsWhatIsStored(strategyOfOld, { convert, storageApiVersion, encodedApiVersion })
      : speaksOld
        ? strategyOfOld
        : strategy,
    defaultsOfStored: strategyOfOld.defaults,
    isCustom: false,
    goTypeName: `${goPackage}.${kind}`,
    columnDescriptions,
    convert,
  });
}

/** The version that is worked on, unless it is among those that are served, or of another group. */
function workedOnBeside(
  facts: readonly ResourceFact[],
  apiVersion: string,
  make: (fact: ResourceFact) => ResourceVersion,
): ResourceVersion | undefined {
  const [first] = facts;
  const { group, version } = splitGroupVersion(apiVersion);
  if (!first || group !== first.group || facts.some((fact) => fact.version === version)) return undefined;
  return make({ ...first, version });
}

interface Storing {
  readonly convert: (object: ApiObject, apiVersion: string) => ApiObject;
  readonly storageApiVersion: string;
  readonly encodedApiVersion: string;
}

/** What a component says in a version that is newer than the release goes no further than what the release can keep. */
const keepsWhatIsStored = (
  strategy: Strategy,
  { convert, storageApiVersion, encodedApiVersion }: Storing,
): Strategy => ({
  ...strategy,
  defaults: (draft, apiVersion, features) => {
    strategy.defaults?.(draft, apiVersion, features);
    if (apiVersion === storageApiVersion)
      replace(draft, convert(convert(draft, encodedApiVersion), apiVersion));
  },
});

interface Shaping {
  readonly from: ApiObject;
  readonly storageApiVersion: string;
  readonly release: Release;
}

/** With the members that the version has in this release: the one that is worked on may have others. */
function inShape(object: ApiObject, { from, storageApiVersion, release }: Shaping): ApiObject {
  const { apiVersion, kind } = object;
  if (!release.rules.versions || object === from || apiVersion === storageApiVersion) return object;
  const { types } = release.catalog;
  const key = `${apiVersion}.${kind}`;
  return types.hasStruct(key) ? (canonical(types.structOf(key), object) as ApiObject) : object;
}

/** The version whose shape the rules of the kind know. */
function storageVersionOf(
  { conversion }: Pick<KindDefinition, 'conversion'>,
  { group, version, resource }: ResourceFact,
  { release }: RowSettings,
): string {
  return (
    conversion?.storage ?? release.rules.versions?.workedOn(group, resource) ?? apiVersionOf(group, version)
  );
}

const genericStrategyOf = (
  { group, version, kind, subresources }: ResourceFact,
  { countsGenerations }: Pick<KindDefinition, 'countsGenerations'>,
  types: BuiltinTypes,
): Strategy =>
  genericStrategy({
    hasStatus: subresources.some(({ name }) => name === 'status'),
    // Asked only when an object is written: the types of most groups are never looked at.
    get hasGeneration() {
      if (countsGenerations === false) return false;
      return types.structOf(`${apiVersionOf(group, version)}.${kind}`).fieldsByName.has('spec');
    },
  });

function preferredOf(facts: readonly ResourceFact[], groups: readonly GroupFact[]): ResourceFact | undefined {
  const [first] = facts;
  if (!first) return undefined;
  const group = groups.find(({ name }) => name === first.group);
  for (const version of group?.versions ?? []) {
    const fact = facts.find((candidate) => candidate.version === version);
    if (fact) return fact;
  }
  return first;
}

function versionOf(
  fact: ResourceFact,
  { scale, deprecation: ownDeprecation }: Partial<KindDefinition>,
  { release, config }: RowSettings,
): ResourceVersion {
  const { kinds, types, fieldLabels, columns } = release.catalog;
  const { group, version, resource, kind } = fact;
  const apiVersion = apiVersionOf(group, version);
  const known = kinds.find({ group, version, kind });
  const labels = fieldLabels.of({ group, version, resource });
  const typeKey = known?.typeKey ?? `${apiVersion}.${kind}`;
  const deprecation = ownDeprecation ?? deprecationOf(`${apiVersion} ${kind}`, known?.lifeCycle, release);
  return new RegistryVersion({
    group,
    version,
    apiVersion,
    kind,
    listKind: known?.list ?? `${kind}List`,
    schema: () => types.structOf(typeKey),
    metaSchema: () => types.structOf(META_KEY),
    columns: () => columns.of(fact),
    verbs: new Set(fact.verbs),
    subresources: new Map(
      fact.subresources.filter((sub) => config.servesSubresource(fact, sub)).map((sub) => [sub.name, sub]),
    ),
    deprecation,
    scale,
    fieldLabels: new Set(labels?.labels),
    unsupportedFieldLabel: labels?.unsupportedMessage ?? 'field label not supported: {label}',
    storageVersionHash: fact.storageVersionHash,
  });
}

function deprecationOf(
  what: string,
  lifeCycle: LifeCycle | undefined,
  release: Release,
): Deprecation | undefined {
  if (!lifeCycle?.deprecated || !isReleasedBy(release, lifeCycle.deprecated)) return undefined;
  const { deprecated, removed, replacement } = lifeCycle;
  const gone = removed ? `, unavailable in v${removed}+` : '';
  const use = replacement
    ? `; use ${apiVersionOf(replacement.group, replacement.version)} ${replacement.kind}`
    : '';
  return {
    warning: `${what} is deprecated in v${deprecated}+${gone}${use}`,
    removedRelease: removed ?? '',
  };
}
