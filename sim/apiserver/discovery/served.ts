/**
 * What an API server serves, as its discovery documents need it. Built-in and custom resources are rows of one shape,
 * so a CustomResourceDefinition shows up by adding rows. Specification: "Discovery".
 */
import { groupVersionText } from '../../api/catalog/builtin-kinds.ts';
import type {
  BuiltinResources,
  GroupFact,
  Profile,
  ResourceFact,
  SubresourceFact,
} from '../../api/catalog/builtin-resources.ts';
import type { Json } from '../../api/object.ts';
import type { ServicePriorities } from '../../api/release/release.ts';
import { compareVersions } from '../../api/version-order.ts';

export interface ServedSubresource {
  readonly name: string;
  /** Group, version and kind of its body. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** In the order in which they are shown. */
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly storageVersionHash?: string;
  /** Absent: a custom resource, or one of somebody else's server. */
  readonly isBuiltIn?: true;
  readonly subresources: readonly ServedSubresource[];
}

export interface Served {
  /** In discovery order; the core group `''` first. */
  readonly groups: readonly GroupFact[];
  readonly resources: readonly ServedResource[];
  /** Group versions that others answer: what they said of them last. */
  readonly foreign?: ReadonlyMap<string, ForeignContent>;
}

/** The built-in resources of a profile. */
export const builtinServed = (builtin: BuiltinResources, profile: Profile): Served =>
  builtinServedWhere(builtin, ({ isDefault }) => profile === 'all' || isDefault);

/**
 * The built-in resources and subresources that a predicate keeps: what feature gates and the runtime configuration
 * leave on. Groups and versions without resources are not served.
 */
export function builtinServedWhere(
  builtin: BuiltinResources,
  isServed: (row: ResourceFact | SubresourceFact) => boolean,
): Served {
  const resources = builtin.all
    .filter(isServed)
    .map((row) => ({ ...row, isBuiltIn: true as const, subresources: row.subresources.filter(isServed) }));
  const served = new Set(resources.map(groupVersionText));
  const groups = builtin.groups('all').flatMap(({ name, versions, preferredVersion }) => {
    const left = versions.filter((version) => served.has(groupVersionText({ group: name, version })));
    const [first] = left;
    if (first === undefined) return [];
    const preferred = left.includes(preferredVersion) ? preferredVersion : first;
    return [{ name, versions: left, preferredVersion: preferred }];
  });
  return { groups, resources };
}

/** Adds custom resources. Their groups follow the built-in ones by name, their versions in the order of versions. */
export function withCustomResources(
  { groups, resources }: Served,
  custom: readonly ServedResource[],
): Served {
  const builtin = new Set(groups.map(({ name }) => name));
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of custom) {
    if (builtin.has(group)) continue;
    const known = versions.get(group);
    if (known) known.add(version);
    else versions.set(group, new Set([version]));
  }
  const names = [...versions.keys()].sort();
  return {
    groups: [...groups, ...names.map((name) => customGroup(name, versions.get(name) ?? new Set()))],
    resources: [...resources, ...custom],
  };
}

function customGroup(name: string, versions: ReadonlySet<string>): GroupFact {
  const ordered = [...versions].sort(compareVersions);
  return { name, versions: ordered, preferredVersion: ordered[0] ?? '' };
}

/** The rows of one group version, by name. */
export const resourcesOf = (
  { resources }: Served,
  group: string,
  version: string,
): readonly ServedResource[] =>
  resources
    .filter((row) => row.group === group && row.version === version)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));

/** What somebody else says of a version. */
export interface ForeignContent {
  /** As aggregated discovery shows them; undefined: it has not said. */
  readonly resources?: readonly Json[];
  /** It did not say so when it was asked last. */
  readonly isStale: boolean;
}

/** A version of a group that somebody else serves. */
export interface ForeignVersion extends ForeignContent {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** Of APIServices for definitions. */
const CUSTOM_GROUP_PRIORITY = 1000;
const CUSTOM_VERSION_PRIORITY = 100;
/** The aggregator itself, which is no APIService, is ahead of all. */
export const AGGREGATOR = 'apiregistration.k8s.io';

/** Adds what others serve: groups stand by the highest priority that any of their versions gives them, then by name. */
export function withForeign(
  served: Served,
  foreign: readonly ForeignVersion[],
  own: ServicePriorities,
): Served {
  if (foreign.length === 0) return served;
  const priorityOf = (name: string): number =>
    Math.max(
      ...(known.has(name) ? [own[name]?.[0] ?? CUSTOM_GROUP_PRIORITY] : []),
      ...foreign.flatMap(({ group, groupPriority }) => (group === name ? [groupPriority] : [])),
    );
  const known = new Map(served.groups.map((group) => [group.name, group]));
  const isFirst = (name: string): boolean => name === '' || name === AGGREGATOR;
  const first = served.groups.filter(({ name }) => isFirst(name));
  const names = new Set([...known.keys(), ...foreign.map(({ group }) => group)]);
  const others = [...names]
    .filter((name) => !isFirst(name))
    .map((name) => ({ name, priority: priorityOf(name) }))
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return {
    groups: [
      ...first,
      ...others.map(({ name }) =>
        mergedGroup(
          known.get(name) ?? { name, versions: [], preferredVersion: '' },
          foreign.filter(({ group }) => group === name),
          own[name]?.[1] ?? {},
        ),
      ),
    ],
    resources: served.resources,
    foreign: new Map(
      foreign.map(({ resources, isStale, ...version }) => [
        groupVersionText(version),
        { ...(resources && { resources }), isStale },
      ]),
    ),
  };
}

function mergedGroup(
  group: GroupFact,
  foreign: readonly ForeignVersion[],
  own: Readonly<Record<string, number>>,
): GroupFact {
  if (foreign.length === 0) return group;
  const priorities = new Map(
    group.versions.map((version) => [version, own[version] ?? CUSTOM_VERSION_PRIORITY]),
  );
  for (const { version, versionPriority } of foreign) priorities.set(version, versionPriority);
  const versions = [...priorities]
    .sort(([a, left], [b, right]) => right - left || compareVersions(a, b))
    .map(([version]) => version);
  return { name: group.name, versions, preferredVersion: versions[0] ?? '' };
}
