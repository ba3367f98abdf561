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
  /** Group versions of others of which nobody knows at present what they serve. */
  readonly stale?: readonly string[];
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

/** A version of a group that somebody else serves; no resources: it has not said which. */
export interface ForeignVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources?: readonly ServedResource[];
}

/** Adds what others serve: their groups follow by priority, and their versions within a group. */
export function withForeign(served: Served, foreign: readonly ForeignVersion[]): Served {
  if (foreign.length === 0) return served;
  const known = new Set(served.groups.map(({ name }) => name));
  const added = new Map<string, ForeignVersion[]>();
  for (const each of foreign) {
    if (known.has(each.group)) continue;
    const others = added.get(each.group);
    if (others) others.push(each);
    else added.set(each.group, [each]);
  }
  const highest = (versions: readonly ForeignVersion[]): number =>
    Math.max(...versions.map(({ groupPriority }) => groupPriority));
  const groups = [...added].sort(
    ([a, left], [b, right]) => highest(right) - highest(left) || (a < b ? -1 : 1),
  );
  return {
    groups: [...served.groups, ...groups.map(([name, versions]) => foreignGroup(name, versions))],
    resources: [...served.resources, ...foreign.flatMap(({ resources = [] }) => resources)],
    stale: foreign
      .filter(({ group, resources }) => added.has(group) && !resources)
      .map(({ group, version }) => groupVersionText({ group, version })),
  };
}

function foreignGroup(name: string, versions: readonly ForeignVersion[]): GroupFact {
  const ordered = [...versions]
    .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
    .map(({ version }) => version);
  return { name, versions: ordered, preferredVersion: ordered[0] ?? '' };
}
