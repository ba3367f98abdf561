/** The kinds that a release registers, with their types and life cycle. Specification: "API deprecation". */

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Releases such as `1.22`; `removed` may lie in the future. */
export interface LifeCycle {
  readonly introduced: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

export interface KindFact extends GroupVersionKind {
  /** Catalog key of the type: `apps/v1.Deployment`. */
  readonly typeKey: string;
  /** The kind of its list, if it has one. */
  readonly list?: string;
  /** For a list: the kind of its items. */
  readonly listOf?: string;
  readonly lifeCycle?: LifeCycle;
  /** A shared kind that is registered in many groups: `DeleteOptions`, `Status`, `WatchEvent`, … */
  readonly isShared: boolean;
}

type KindRow = readonly [
  kind: string,
  type?: string | 0,
  list?: string | 0,
  listOf?: string | 0,
  introduced?: string | 0,
  deprecated?: string | 0,
  removed?: string | 0,
  replacement?: readonly [group: string, version: string, kind: string] | 0,
];

interface SharedKindRow {
  readonly kind: string;
  readonly type: string;
  readonly groupVersions?: readonly string[];
  readonly all?: boolean;
  readonly except?: readonly string[];
}

export interface KindTable {
  readonly kinds: Readonly<Record<string, readonly KindRow[]>>;
  readonly common: readonly SharedKindRow[];
  readonly groupVersions: readonly string[];
}

/** `apps/v1` → group `apps`, version `v1`; `v1` → the core group `''`. */
export const splitGroupVersion = (groupVersion: string): { group: string; version: string } => {
  const slash = groupVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: groupVersion }
    : { group: groupVersion.slice(0, slash), version: groupVersion.slice(slash + 1) };
};

/** Group `''` and version `v1` → `v1`; `apps` and `v1` → `apps/v1`. */
export const groupVersionText = ({ group, version }: { group: string; version: string }): string =>
  group ? `${group}/${version}` : version;

const lifeCycleOf = ([, , , , introduced, deprecated, removed, replacement]: KindRow):
  LifeCycle | undefined => {
  if (!introduced) return undefined;
  return {
    introduced,
    ...(deprecated && { deprecated }),
    ...(removed && { removed }),
    ...(replacement && {
      replacement: { group: replacement[0], version: replacement[1], kind: replacement[2] },
    }),
  };
};

const factOf = (groupVersion: string, row: KindRow): KindFact => {
  const [kind, type, list, listOf] = row;
  const lifeCycle = lifeCycleOf(row);
  return {
    ...splitGroupVersion(groupVersion),
    kind,
    typeKey: type || `${groupVersion}.${kind}`,
    ...(list && { list }),
    ...(listOf && { listOf }),
    ...(lifeCycle && { lifeCycle }),
    isShared: false,
  };
};

const isSharedIn = (row: SharedKindRow, groupVersion: string): boolean =>
  row.all ? !row.except?.includes(groupVersion) : (row.groupVersions?.includes(groupVersion) ?? false);

/** Of one release. A version's kinds are made when one of them is asked for. */
export class BuiltinKinds {
  readonly #read: () => KindTable;
  #table: KindTable | undefined;
  readonly #byGroupVersion = new Map<string, ReadonlyMap<string, KindFact>>();

  /** `read` is called once, when a kind is first asked for. */
  constructor(read: () => KindTable) {
    this.#read = read;
  }

  /** All group versions with registered kinds, also those that are no longer served. */
  get groupVersions(): readonly string[] {
    return this.#known.groupVersions;
  }

  /** Kinds of a group version such as `apps/v1` or `v1`, shared kinds last; empty if it is unknown. */
  of(groupVersion: string): readonly KindFact[] {
    return [...this.#kindMap(groupVersion).values()];
  }

  /** The registered kind, shared kinds included. */
  find({ group, version, kind }: GroupVersionKind): KindFact | undefined {
    return this.#kindMap(groupVersionText({ group, version })).get(kind);
  }

  get #known(): KindTable {
    return (this.#table ??= this.#read());
  }

  #kindMap(groupVersion: string): ReadonlyMap<string, KindFact> {
    const known = this.#byGroupVersion.get(groupVersion);
    if (known) return known;
    const { kinds, common, groupVersions } = this.#known;
    const facts = new Map<string, KindFact>();
    // Clients choose the name: it may be one that every object has.
    const rows = Object.hasOwn(kinds, groupVersion) ? kinds[groupVersion] : undefined;
    for (const row of rows ?? []) facts.set(row[0], factOf(groupVersion, row));
    for (const row of groupVersions.includes(groupVersion) ? common : []) {
      if (facts.has(row.kind) || !isSharedIn(row, groupVersion)) continue;
      const scope = splitGroupVersion(groupVersion);
      facts.set(row.kind, { ...scope, kind: row.kind, typeKey: row.type, isShared: true });
    }
    // Unknown versions are not kept: their names come from clients and have no bound.
    if (groupVersions.includes(groupVersion)) this.#byGroupVersion.set(groupVersion, facts);
    return facts;
  }
}
