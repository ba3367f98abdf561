/**
 * The resources that a server of a release serves, as its discovery documents give them, and its groups.
 * `default` is what is served without any flag, `all` with every version and every alpha gate on.
 * Specification: "API groups and resources".
 */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export type Profile = 'default' | 'all';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  /** Plural name in paths. */
  readonly resource: string;
}

export interface SubresourceFact {
  /** `status`, `scale`, `eviction`, … */
  readonly name: string;
  /** Group, version and kind of its body, which may differ from the parent's. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  readonly isDefault: boolean;
}

export interface ResourceFact extends GroupVersionResource {
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly storageVersionHash?: string;
  /** Served in the default profile. */
  readonly isDefault: boolean;
  readonly subresources: readonly SubresourceFact[];
}

export interface GroupFact {
  readonly name: string;
  /** In discovery order. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

type SubresourceRow = readonly [
  name: string,
  group: string,
  version: string,
  kind: string,
  verbs: number,
  isDefault: 0 | 1,
];

interface ResourceRow {
  readonly g: string;
  readonly v: string;
  readonly r: string;
  readonly s: string;
  readonly k: string;
  readonly b: number;
  readonly n?: 1;
  readonly sn?: readonly string[];
  readonly c?: readonly string[];
  readonly h?: string;
  readonly d?: 1;
  readonly u?: readonly SubresourceRow[];
}

interface GroupRow {
  readonly name: string;
  readonly versions: readonly string[];
  readonly preferred: string;
}

export interface ResourceTable {
  readonly resources: readonly ResourceRow[];
  readonly groups: { readonly default: readonly GroupRow[]; readonly alpha: readonly GroupRow[] };
}

/** Bit n of a row's verbs is the n-th of these. */
const VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

const verbsOf = (bits: number): readonly Verb[] => VERBS.filter((_, index) => bits & (1 << index));

const subresourceOf = ([name, group, version, kind, verbs, isDefault]: SubresourceRow): SubresourceFact => ({
  name,
  group,
  version,
  kind,
  verbs: verbsOf(verbs),
  isDefault: isDefault === 1,
});

const resourceOf = (row: ResourceRow): ResourceFact => ({
  group: row.g,
  version: row.v,
  resource: row.r,
  singular: row.s,
  kind: row.k,
  namespaced: row.n === 1,
  verbs: verbsOf(row.b),
  shortNames: row.sn ?? [],
  categories: row.c ?? [],
  ...(row.h !== undefined && { storageVersionHash: row.h }),
  isDefault: row.d === 1,
  subresources: (row.u ?? []).map(subresourceOf),
});

/** Of one release. */
export class BuiltinResources {
  readonly #read: () => ResourceTable;
  #table: ResourceTable | undefined;
  #all: readonly ResourceFact[] | undefined;
  readonly #groups = new Map<Profile, readonly GroupFact[]>();

  /** `read` is called once, when a resource is first asked for. */
  constructor(read: () => ResourceTable) {
    this.#read = read;
  }

  /** All resources in discovery order of their group versions; `isDefault` tells the profiles apart. */
  get all(): readonly ResourceFact[] {
    return (this.#all ??= this.#known.resources.map(resourceOf));
  }

  /** Groups in discovery order; the core group is `''` and comes first. */
  groups(profile: Profile): readonly GroupFact[] {
    const known = this.#groups.get(profile);
    if (known) return known;
    const rows = this.#known.groups[profile === 'default' ? 'default' : 'alpha'];
    const made = rows.map(({ name, versions, preferred }) => ({
      name,
      versions,
      preferredVersion: preferred,
    }));
    this.#groups.set(profile, made);
    return made;
  }

  get #known(): ResourceTable {
    return (this.#table ??= this.#read());
  }
}
