/**
 * Revisioned key-value storage with etcd's semantics: one global revision, the history of every key,
 * ranges at a revision, transactions, watches from a revision, compaction, leases. It knows keys and
 * opaque immutable values, never kinds. Synchronous: whoever wants latency or faults puts them in front.
 * `storage.contract.ts` pins the promises. Specification: "Limits", "Resource-version semantics".
 */

declare const revisionBrand: unique symbol;
/** Global revision of the store: a positive integer that every writing transaction increases by one. Made by `revision()`. */
export type Revision = number & { readonly [revisionBrand]: true };

export interface StoredEntry<V> {
  readonly key: string;
  readonly value: V;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** How often the key was written since its creation; the creation is 1. */
  readonly version: number;
  readonly leaseId?: number;
}

export interface RangeRequest {
  /** All keys with this prefix … */
  readonly prefix: string;
  /** … that are not below this key (inclusive). */
  readonly startKey?: string;
  /** At most so many entries; 0 or absent: all. */
  readonly limit?: number;
  /** State right after this revision; absent: now. */
  readonly revision?: Revision;
}

export interface RangeResult<V> {
  /** In bytewise order of their keys. */
  readonly entries: readonly StoredEntry<V>[];
  readonly hasMore: boolean;
  /** Entries in the whole range at that revision, the limit aside. */
  readonly count: number;
  /** Revision of the store when it answered (not the one asked for). */
  readonly revision: Revision;
}

/** A value, or a function of the revision that it will be stored at (so that it can carry its own version). */
export type NewValue<V> = (revision: Revision) => V;

export type StorageOperation<V> =
  | { readonly kind: 'put'; readonly key: string; readonly value: NewValue<V>; readonly leaseId?: number }
  | { readonly kind: 'delete'; readonly key: string };

/** Holds when the key's last write was at this revision; 0: the key does not exist. */
export interface Comparison {
  readonly key: string;
  readonly modRevision: Revision | 0;
}

export interface Transaction<V> {
  readonly compare: readonly Comparison[];
  readonly success: readonly StorageOperation<V>[];
}

export type TransactionResult<V> =
  | {
      readonly succeeded: true;
      readonly revision: Revision;
      /** Of each operation: what it put, or what it deleted (undefined if there was nothing to delete). */
      readonly entries: readonly (StoredEntry<V> | undefined)[];
    }
  | {
      readonly succeeded: false;
      readonly revision: Revision;
      /** The present entries of the compared keys. */
      readonly entries: readonly (StoredEntry<V> | undefined)[];
    };

export type StorageEvent<V> =
  | {
      readonly kind: 'put';
      readonly entry: StoredEntry<V>;
      readonly previous: StoredEntry<V> | undefined;
      readonly revision: Revision;
    }
  | {
      readonly kind: 'delete';
      readonly key: string;
      readonly previous: StoredEntry<V>;
      readonly revision: Revision;
    };

export interface WatchRequest<V> {
  readonly prefix: string;
  /** First revision of interest (inclusive); absent: the next. */
  readonly startRevision?: Revision;
  /** All events of one revision at once, in the order of their operations. Must not call back into the store. */
  readonly onEvents: (events: readonly StorageEvent<V>[], revision: Revision) => void;
}

export interface StorageWatch {
  close(): void;
}

/** The asked revision is gone (`compacted`, 410 above) or not there yet (`future`). */
export class RevisionError extends Error {
  override readonly name = 'RevisionError';
  readonly kind: 'compacted' | 'future';
  readonly revision: Revision;
  /** The oldest revision that can be read (`compacted`) or the newest (`future`). */
  readonly limit: Revision;

  constructor(kind: 'compacted' | 'future', revision: Revision, limit: Revision) {
    super(
      kind === 'compacted'
        ? 'etcdserver: mvcc: required revision has been compacted'
        : 'etcdserver: mvcc: required revision is a future revision',
    );
    this.kind = kind;
    this.revision = revision;
    this.limit = limit;
  }
}

/** The store cannot take the write: it is as if it had never been tried. Only stores that are kept somewhere throw it. */
export class StorageWriteError extends Error {
  override readonly name = 'StorageWriteError';
  /** `noSpace`: until there is room again. `failed`: what keeps the store failed. `lost`: nobody knows what it kept. */
  readonly kind: 'noSpace' | 'failed' | 'lost';
  override readonly cause: string;

  constructor(kind: 'noSpace' | 'failed' | 'lost', cause: string) {
    super(
      kind === 'noSpace'
        ? 'etcdserver: mvcc: database space exceeded'
        : `the storage takes no writes: ${cause}`,
    );
    this.kind = kind;
    this.cause = cause;
  }
}

export interface Storage<V> {
  /** Revision of the last write; 1 for an empty store, as in etcd. */
  readonly revision: Revision;
  /** Everything before it has been compacted away; 0 if nothing has. */
  readonly compactedRevision: Revision | 0;

  /** @throws RevisionError */
  get(key: string, revision?: Revision): StoredEntry<V> | undefined;
  /** @throws RevisionError */
  range(request: RangeRequest): RangeResult<V>;
  /**
   * All operations at one new revision if every comparison holds, else none. Deleting what is not there
   * writes nothing; a transaction that writes nothing leaves the revision as it is. A key occurs at most once.
   * @throws StorageWriteError
   */
  transact(transaction: Transaction<V>): TransactionResult<V>;

  /**
   * Delivers the retained history from `startRevision` before it returns, then every later transaction as it commits.
   * Watchers of longer directories are told before those of shorter ones, so the empty prefix hears last.
   * The event of the compacted revision itself is still there; a future start is silence until then.
   * @throws RevisionError `compacted`
   */
  watch(request: WatchRequest<V>): StorageWatch;

  /** Drops the history before `revision`: of each key only what is readable at `revision` stays. @throws RevisionError */
  compact(revision: Revision): void;

  /** A lease whose keys are deleted when it expires at `expiresAt` (in the unit of `expireLeases`). */
  grantLease(expiresAt: number): number;
  /** Whether there is still such a lease. */
  hasLease(id: number): boolean;
  /** Deletes the keys of all leases that end at or before `now`, one revision for each lease. */
  expireLeases(now: number): void;
  /** When the next lease ends; undefined without leases. */
  readonly nextLeaseExpiry: number | undefined;
}
