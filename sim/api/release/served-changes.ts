/**
 * What the API servers of a release other than 1.31 serve: recorded of 1.29 to 1.36, inferred of the others (see
 * `sim/cli/import-releases/served-table.ts`). Of each resource, too, which version they store.
 */
import type { ResourceTable } from '../catalog/builtin-resources.ts';
import { RESOURCES } from '../catalog/tables/resources.ts';
import { byPriority, groupOrder } from './service-priorities.ts';
import { SERVED_CHANGES } from './tables/served-changes.ts';

type ResourceRow = ResourceTable['resources'][number];
type SubresourceRow = NonNullable<ResourceRow['u']>[number];

/** 0: not there; 1: on demand; 2: served. */
type Since = readonly (readonly [minor: number, state: 0 | 1 | 2])[];

interface ServedChange {
  readonly row?: ResourceRow;
  readonly since: Since;
  readonly subresources?: Readonly<Record<string, { readonly row?: SubresourceRow; readonly since: Since }>>;
}

interface Served {
  readonly resources: Readonly<Record<string, ServedChange>>;
  readonly hashes: Readonly<Record<string, string>>;
}

let served: Served | undefined;
const servedChanges = (): Served => (served ??= JSON.parse(SERVED_CHANGES) as Served);

export const FIRST_RELEASE = 15;
export const LAST_RELEASE = 37;

const stateAt = (minor: number, since: Since): 0 | 1 | 2 => {
  let state: 0 | 1 | 2 = 0;
  for (const [from, its] of since) if (from <= minor) state = its;
  return state;
};

export function resourceTableOf(minor: number): ResourceTable {
  const base = new Map((JSON.parse(RESOURCES) as ResourceTable).resources.map((row) => [rowKey(row), row]));
  const rows: ResourceRow[] = [];
  for (const [key, change] of Object.entries(servedChanges().resources)) {
    const state = stateAt(minor, change.since);
    const row = change.row ?? base.get(key);
    if (state !== 0 && row) rows.push(rowAt(minor, row, state, change));
  }
  rows.sort(inDiscoveryOrder(groupOrder(minor)));
  return {
    resources: rows,
    groups: { default: groupsOf(rows.filter(({ d }) => d === 1)), alpha: groupsOf(rows) },
  };
}

function rowAt(minor: number, row: ResourceRow, state: 1 | 2, change: ServedChange): ResourceRow {
  const { d: _served, h: _hash, u: subresources = [], ...rest } = row;
  const hash = storesObjects(row) ? hashAt(minor, row) : undefined;
  const present = [
    ...subresources,
    ...Object.values(change.subresources ?? {}).flatMap(({ row: added }) => (added ? [added] : [])),
  ].flatMap((sub) => {
    const since = change.subresources?.[sub[0]]?.since;
    const own = since ? stateAt(minor, since) : sub[5] === 1 ? 2 : 1;
    return own === 0
      ? []
      : [sub.with(5, own === 2 || (own === 1 && !since) ? 1 : 0) as unknown as SubresourceRow];
  });
  return {
    ...rest,
    ...(hash !== undefined && { h: hash }),
    ...(state === 2 && { d: 1 }),
    ...(present.length > 0 && { u: present.sort((a, b) => (a[0] < b[0] ? -1 : 1)) }),
  };
}

/** Whoever can list them. */
const LIST = 1 << 4;
const storesObjects = ({ b, r }: ResourceRow): boolean => (b & LIST) !== 0 && r !== 'componentstatuses';

export interface KnownResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Every version of every resource that some release serves. */
export function everyResource(): readonly KnownResource[] {
  const base = new Map((JSON.parse(RESOURCES) as ResourceTable).resources.map((row) => [rowKey(row), row]));
  return Object.entries(servedChanges().resources).flatMap(([key, change]) => {
    const row = change.row ?? base.get(key);
    if (!row) return [];
    return [{ group: row.g, version: row.v, resource: row.r, kind: row.k, namespaced: row.n === 1 }];
  });
}

const rowKey = ({ g, v, r }: ResourceRow): string => `${g}/${v}/${r}`;

/** Versions of a resource, the newest first; by which releases they are there at all. */
function versionsAt(minor: number, group: string, resource: string): readonly string[] {
  const versions: string[] = [];
  for (const [key, { since }] of Object.entries(servedChanges().resources)) {
    const [ofGroup, version = '', name] = key.split('/');
    if (ofGroup === group && name === resource && stateAt(minor, since) > 0) versions.push(version);
  }
  return versions.sort(byPriority(group));
}

/** Groups whose resources are stored in another one, as long as that one has them. */
const STORED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  extensions: ['apps', 'networking.k8s.io', 'policy'],
  'events.k8s.io': [''],
};

/** Where releases do not follow the rule, by resource: the version, and from which minor release to which. */
const EXCEPTIONS: Readonly<Record<string, readonly [version: string, first: number, last: number]>> = {
  'storage.k8s.io/volumeattributesclasses': ['v1beta1', 31, 31],
  // Stored so long after nobody was served it any more.
  'discovery.k8s.io/endpointslices': ['v1beta1', 16, 29],
};

/**
 * The version that a release stores: the one that clients prefer among those that the release before has, too, so that
 * it can be gone back to (rule 4b of the deprecation policy); of a new resource, the one that clients prefer.
 */
export function storageVersionAt(
  minor: number,
  group: string,
  resource: string,
): { group: string; version: string } {
  for (const other of STORED_ELSEWHERE[group] ?? [])
    if (versionsAt(minor, other, resource).length > 0) return storageVersionAt(minor, other, resource);
  const [exception = '', first = 0, last = 0] = EXCEPTIONS[`${group}/${resource}`] ?? [];
  if (first <= minor && minor <= last) return { group, version: exception };
  const present = versionsAt(minor, group, resource);
  const before = new Set(minor > FIRST_RELEASE ? versionsAt(minor - 1, group, resource) : present);
  return { group, version: present.find((version) => before.has(version)) ?? present[0] ?? '' };
}

/** Groups and resources whose versions have shapes of their own, and no conversions here: each release works on what it prefers. */
const WITHOUT_CONVERSIONS: ReadonlySet<string> = new Set([
  'resource.k8s.io',
  'storagemigration.k8s.io',
  'podcertificaterequests',
]);

/** The version whose shape the rules of a kind know, whatever a release serves; undefined: the preferred one of the release. */
export function workingVersion(group: string, resource: string): string | undefined {
  if (WITHOUT_CONVERSIONS.has(group) || WITHOUT_CONVERSIONS.has(resource)) return undefined;
  const stable = Object.keys(servedChanges().resources).flatMap((key) => {
    const [ofGroup, version = '', name] = key.split('/');
    return ofGroup === group && name === resource && /^v[0-9]+$/.test(version) ? [version] : [];
  });
  return stable.sort(byPriority(group))[0];
}

/** Of definitions servers give that of the oldest version, whichever they store. */
const versionOfHash = (minor: number, { g, r }: ResourceRow): { group: string; version: string } =>
  r === 'customresourcedefinitions' ? { group: g, version: 'v1beta1' } : storageVersionAt(minor, g, r);

function hashAt(minor: number, row: ResourceRow): string | undefined {
  const { group, version } = versionOfHash(minor, row);
  return servedChanges().hashes[`${group}/${version}/${row.k}`];
}

const inDiscoveryOrder =
  (groups: readonly string[]) =>
  (a: ResourceRow, b: ResourceRow): number =>
    groups.indexOf(a.g) - groups.indexOf(b.g) ||
    (a.v === b.v ? 0 : byPriority(a.g)(a.v, b.v)) ||
    (a.r < b.r ? -1 : 1);

function groupsOf(rows: readonly ResourceRow[]): ResourceTable['groups']['default'] {
  const versions = new Map<string, Set<string>>();
  for (const { g, v } of rows) versions.set(g, (versions.get(g) ?? new Set()).add(v));
  return [...versions].map(([name, names]) => {
    const ordered = [...names].sort(byPriority(name));
    return { name, versions: ordered, preferred: ordered[0] ?? '' };
  });
}
