/**
 * The storage as the specification states it, in the plainest form: a whole state for every revision. It shares no
 * code with the implementation that it judges, runs the same contract, and is the oracle of random commands.
 * Revisions are plain numbers here; `R` is the type under which a caller knows them.
 */

export interface ModelEntry<V, R extends number> {
  readonly key: string;
  readonly value: V;
  readonly createRevision: R;
  readonly modRevision: R;
  readonly version: number;
  readonly leaseId?: number;
}

export type ModelOperation<V, R extends number> =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: (revision: R) => V;
      readonly leaseId?: number;
    }
  | { readonly kind: 'delete'; readonly key: string };

export type ModelEvent<V, R extends number> =
  | {
      readonly kind: 'put';
      readonly entry: ModelEntry<V, R>;
      readonly previous: ModelEntry<V, R> | undefined;
      readonly revision: R;
    }
  | {
      readonly kind: 'delete';
      readonly key: string;
      readonly previous: ModelEntry<V, R>;
      readonly revision: R;
    };

interface ModelWatch<V, R extends number> {
  readonly prefix: string;
  readonly startRevision?: R;
  readonly onEvents: (events: readonly ModelEvent<V, R>[], revision: R) => void;
}

/** Makes the error for a revision that is gone or not there yet. */
export type RefuseRevision<R extends number> = (kind: 'compacted' | 'future', revision: R, limit: R) => Error;

type State<V, R extends number> = readonly ModelEntry<V, R>[];

export class StorageModel<V, R extends number = number> {
  /** State and events of each revision; index 0 is not used and revision 1 is the empty store. */
  readonly #states: State<V, R>[] = [[], []];
  readonly #events: (readonly ModelEvent<V, R>[])[] = [[], []];
  readonly #watches: (ModelWatch<V, R> & { readonly first: number })[] = [];
  #leases: { readonly id: number; readonly expiresAt: number }[] = [];
  #grantedLeases = 0;
  #compacted = 0;
  #isTelling = false;
  readonly #refuse: RefuseRevision<R>;

  constructor(refuse: RefuseRevision<R>) {
    this.#refuse = refuse;
  }

  get revision(): R {
    return (this.#states.length - 1) as R;
  }

  get compactedRevision(): R | 0 {
    return this.#compacted as R | 0;
  }

  get nextLeaseExpiry(): number | undefined {
    const ends = this.#leases.map(({ expiresAt }) => expiresAt);
    return ends.length > 0 ? Math.min(...ends) : undefined;
  }

  /** Every event so far, compacted ones included: the truth that checkers of histories need. */
  get everything(): readonly ModelEvent<V, R>[] {
    return this.#events.flat();
  }

  get(key: string, revision?: R): ModelEntry<V, R> | undefined {
    return this.#stateAt(revision).find((entry) => entry.key === key);
  }

  range({
    prefix,
    startKey = '',
    limit = 0,
    revision,
  }: {
    readonly prefix: string;
    readonly startKey?: string;
    readonly limit?: number;
    readonly revision?: R;
  }): { entries: State<V, R>; hasMore: boolean; count: number; revision: R } {
    const all = this.#stateAt(revision)
      .filter(({ key }) => key.startsWith(prefix) && compareBytewise(key, startKey) >= 0)
      .sort((a, b) => compareBytewise(a.key, b.key));
    const entries = limit > 0 ? all.slice(0, limit) : all;
    return { entries, hasMore: entries.length < all.length, count: all.length, revision: this.revision };
  }

  transact({
    compare,
    success,
  }: {
    readonly compare: readonly { readonly key: string; readonly modRevision: R | 0 }[];
    readonly success: readonly ModelOperation<V, R>[];
  }) {
    if (this.#isTelling) throw new Error('a watcher must not call back');
    if (compare.some(({ key, modRevision }) => (this.get(key)?.modRevision ?? 0) !== modRevision)) {
      return {
        succeeded: false as const,
        revision: this.revision,
        entries: compare.map(({ key }) => this.get(key)),
      };
    }
    this.#checkOperations(success);
    const before = this.#stateAt(undefined);
    const revision = (this.revision + 1) as R;
    const events = success.flatMap((operation) => eventOf(operation, before, revision));
    const entries = success.map((operation) => {
      const event = events.find((each) => keyOf(each) === operation.key);
      return event?.kind === 'put' ? event.entry : event?.previous;
    });
    if (events.length > 0) this.#commit(before, events);
    return { succeeded: true as const, revision: this.revision, entries };
  }

  watch(request: ModelWatch<V, R>): { close(): void } {
    const first = request.startRevision ?? this.revision + 1;
    if (first < this.#compacted) throw this.#refuse('compacted', first as R, this.#compacted as R);
    for (let revision = first; revision <= this.revision; revision += 1) this.#tell(request, revision);
    const watch = { ...request, first };
    this.#watches.push(watch);
    return {
      close: () => {
        this.#watches.splice(this.#watches.indexOf(watch), 1);
      },
    };
  }

  compact(revision: R): void {
    if (revision <= this.#compacted) throw this.#refuse('compacted', revision, this.#compacted as R);
    if (revision > this.revision) throw this.#refuse('future', revision, this.revision);
    this.#compacted = revision;
  }

  grantLease(expiresAt: number): number {
    this.#grantedLeases += 1;
    this.#leases.push({ id: this.#grantedLeases, expiresAt });
    return this.#grantedLeases;
  }

  hasLease(lease: number): boolean {
    return this.#leases.some(({ id }) => id === lease);
  }

  expireLeases(now: number): void {
    const ended = this.#leases.filter(({ expiresAt }) => expiresAt <= now);
    ended.sort((a, b) => a.expiresAt - b.expiresAt || a.id - b.id);
    for (const { id } of ended) {
      const keys = this.#stateAt(undefined).filter(({ leaseId }) => leaseId === id);
      keys.sort((a, b) => compareBytewise(a.key, b.key));
      this.transact({ compare: [], success: keys.map(({ key }) => ({ kind: 'delete', key })) });
    }
    this.#leases = this.#leases.filter(({ expiresAt }) => expiresAt > now);
  }

  #stateAt(revision: R | undefined): State<V, R> {
    if (revision !== undefined && revision < this.#compacted) {
      throw this.#refuse('compacted', revision, this.#compacted as R);
    }
    if (revision !== undefined && revision > this.revision)
      throw this.#refuse('future', revision, this.revision);
    return this.#states[revision ?? this.revision] ?? [];
  }

  #checkOperations(operations: readonly ModelOperation<V, R>[]): void {
    const keys = operations.map(({ key }) => key);
    if (keys.some((key, index) => keys.indexOf(key) !== index)) throw new Error('a key occurs at most once');
    for (const operation of operations) {
      if (operation.kind === 'delete' || operation.leaseId === undefined) continue;
      if (!this.#leases.some(({ id }) => id === operation.leaseId)) throw new Error('not a living lease');
    }
  }

  #commit(before: State<V, R>, events: readonly ModelEvent<V, R>[]): void {
    const touched = events.map(keyOf);
    const puts = events.flatMap((event) => (event.kind === 'put' ? [event.entry] : []));
    this.#states.push([...before.filter(({ key }) => !touched.includes(key)), ...puts]);
    this.#events.push(events);
    const longestFirst = [...this.#watches].sort((a, b) => b.prefix.length - a.prefix.length);
    for (const watch of longestFirst) if (this.revision >= watch.first) this.#tell(watch, this.revision);
  }

  #tell({ prefix, onEvents }: ModelWatch<V, R>, revision: number): void {
    const events = (this.#events[revision] ?? []).filter((event) => keyOf(event).startsWith(prefix));
    if (events.length === 0) return;
    this.#isTelling = true;
    try {
      onEvents(events, revision as R);
    } finally {
      this.#isTelling = false;
    }
  }
}

const keyOf = <V, R extends number>(event: ModelEvent<V, R>): string =>
  event.kind === 'put' ? event.entry.key : event.key;

function eventOf<V, R extends number>(
  operation: ModelOperation<V, R>,
  before: State<V, R>,
  revision: R,
): ModelEvent<V, R>[] {
  const { key } = operation;
  const previous = before.find((entry) => entry.key === key);
  if (operation.kind === 'delete') return previous ? [{ kind: 'delete', key, previous, revision }] : [];
  const entry: ModelEntry<V, R> = {
    key,
    value: operation.value(revision),
    createRevision: previous ? previous.createRevision : revision,
    modRevision: revision,
    version: previous ? previous.version + 1 : 1,
    ...(operation.leaseId === undefined ? {} : { leaseId: operation.leaseId }),
  };
  return [{ kind: 'put', entry, previous, revision }];
}

/** By code points, which is the order of UTF-8 bytes. */
export function compareBytewise(a: string, b: string): number {
  let differs = 0;
  while (differs < a.length && a.charCodeAt(differs) === b.charCodeAt(differs)) differs++;
  return (a.codePointAt(differs) ?? -1) - (b.codePointAt(differs) ?? -1);
}
