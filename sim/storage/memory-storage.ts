/**
 * The store in memory: a key index for reads, the history of commits for watches and old revisions, leases.
 * Promises what `storage.ts` says and `storage.contract.ts` pins. A transaction is planned against the present
 * state, reported to the journal, which may refuse it, applied, and then told to the watchers, all before `transact`
 * returns.
 * It refuses to know kinds, clocks (callers say when to compact and what time it is) and files (see `journal.ts`).
 */
import { invariant } from '../engine/invariant.ts';
import { History, revisionOf, type Commit } from './history.ts';
import type { JournalOperation, JournalRecord } from './journal.ts';
import { KeyIndex } from './key-index.ts';
import { Leases } from './leases.ts';
import { FIRST_REVISION, nextRevision } from './revision.ts';
import {
  RevisionError,
  type Comparison,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageOperation,
  type StorageWatch,
  type StoredEntry,
  type Transaction,
  type TransactionResult,
  type WatchRequest,
} from './storage.ts';
import { keyOf, Watchers } from './watchers.ts';

/** Much more than five minutes of a busy cluster. */
const DEFAULT_MAX_HISTORY_BYTES = 256 * 1024 * 1024;

export interface MemoryStorageOptions<V> {
  /** Told of everything that will change the store, before it does: if it throws, nothing has changed. */
  readonly onRecord?: (record: JournalRecord<V>) => void;
  /** History beyond about this size is compacted before it is old: its older half, before the next write. */
  readonly maxHistoryBytes?: number;
}

export class MemoryStorage<V> implements Storage<V> {
  #revision: Revision = FIRST_REVISION;
  #compactedRevision: Revision | 0 = 0;
  #index = new KeyIndex<V>();
  #history = new History<V>(nextRevision(FIRST_REVISION));
  readonly #watchers = new Watchers<V>();
  readonly #leases = new Leases();
  readonly #onRecord: ((record: JournalRecord<V>) => void) | undefined;
  readonly #maxHistoryBytes: number;
  #isDelivering = false;

  constructor({ onRecord, maxHistoryBytes = DEFAULT_MAX_HISTORY_BYTES }: MemoryStorageOptions<V> = {}) {
    this.#onRecord = onRecord;
    this.#maxHistoryBytes = maxHistoryBytes;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get compactedRevision(): Revision | 0 {
    return this.#compactedRevision;
  }

  get nextLeaseExpiry(): number | undefined {
    return this.#leases.nextExpiry;
  }

  get(key: string, revision?: Revision): StoredEntry<V> | undefined {
    if (revision === undefined) return this.#index.current(key);
    this.#checkReadable(revision);
    return this.#index.at(key, revision);
  }

  range(request: RangeRequest): RangeResult<V> {
    if (request.revision !== undefined) this.#checkReadable(request.revision);
    const { entries, count } = this.#index.range(request);
    return { entries, count, hasMore: count > entries.length, revision: this.#revision };
  }

  transact({ compare, success }: Transaction<V>): TransactionResult<V> {
    invariant(!this.#isDelivering, 'a watcher does not call back into the store');
    if (!compare.every((comparison) => this.#holds(comparison))) {
      return {
        succeeded: false,
        revision: this.#revision,
        entries: compare.map(({ key }) => this.#index.current(key)),
      };
    }
    this.#checkOperations(success);
    if (this.#history.bytes > this.#maxHistoryBytes) this.#boundHistory();
    const revision = nextRevision(this.#revision);
    const planned = success.map((operation) => this.#plan(operation, revision));
    const commit = planned.every(isEvent) ? planned : planned.filter(isEvent);
    if (commit.length > 0) this.#commit(commit);
    return { succeeded: true, revision: this.#revision, entries: planned.map(entryOf) };
  }

  watch(request: WatchRequest<V>): StorageWatch {
    const start = request.startRevision ?? nextRevision(this.#revision);
    if (start < this.#compactedRevision) {
      throw new RevisionError('compacted', start, this.#compactedRevision as Revision);
    }
    this.#isDelivering = true;
    try {
      for (const commit of this.#history.from(start)) {
        const seen = commit.filter((event) => keyOf(event).startsWith(request.prefix));
        if (seen.length > 0) request.onEvents(seen, revisionOf(commit));
      }
    } finally {
      this.#isDelivering = false;
    }
    return this.#watchers.add(request, start);
  }

  compact(revision: Revision): void {
    if (revision <= this.#compactedRevision) {
      throw new RevisionError('compacted', revision, this.#compactedRevision as Revision);
    }
    if (revision > this.#revision) throw new RevisionError('future', revision, this.#revision);
    this.#onRecord?.({ kind: 'compaction', revision });
    this.#compact(revision);
  }

  grantLease(expiresAt: number): number {
    const id = this.#leases.lastId + 1;
    this.#onRecord?.({ kind: 'lease', id, expiresAt });
    this.#leases.grant(id, expiresAt);
    return id;
  }

  hasLease(id: number): boolean {
    return this.#leases.has(id);
  }

  expireLeases(now: number): void {
    for (let lease = this.#leases.firstExpired(now); lease; lease = this.#leases.firstExpired(now)) {
      this.transact({ compare: [], success: lease.keys.map((key) => ({ kind: 'delete', key })) });
      this.#onRecord?.({ kind: 'leaseEnd', id: lease.id });
      this.#leases.end(lease.id);
    }
  }

  /** The store as records: the leases, the state before the retained history, and that history. */
  *snapshot(): Generator<JournalRecord<V>> {
    const [oldest, ...others] = this.#history.from(0);
    const compacted = this.#compactedRevision;
    for (const { id, expiresAt } of this.#leases.all()) yield { kind: 'lease', id, expiresAt };
    const { lastId } = this.#leases;
    if (lastId > 0 && !this.#leases.has(lastId)) yield { kind: 'leaseEnd', id: lastId };
    if (compacted > 0) {
      yield { kind: 'base', revision: (oldest ? revisionOf(oldest) - 1 : this.#revision) as Revision };
      const entries = oldest ? this.#entriesBefore(oldest) : this.#index.range({ prefix: '' }).entries;
      for (const entry of entries) yield { kind: 'entry', entry };
    }
    if (oldest) for (const commit of [oldest, ...others]) yield commitRecord(commit);
    if (compacted > 0) yield { kind: 'compaction', revision: compacted as Revision };
  }

  /** Repeats a record of a snapshot or of the journal. Watchers are told of commits; the journal is not. */
  replay(record: JournalRecord<V>): void {
    switch (record.kind) {
      case 'base':
        invariant(this.#revision === FIRST_REVISION, 'a snapshot is restored into an empty store');
        this.#revision = record.revision;
        this.#history = new History(nextRevision(record.revision));
        return;
      case 'entry':
        this.#index.put(record.entry);
        this.#leases.attach(record.entry.key, record.entry.leaseId);
        return;
      case 'lease':
        this.#leases.grant(record.id, record.expiresAt);
        return;
      case 'leaseEnd':
        this.#leases.end(record.id);
        return;
      case 'commit':
        this.#replayCommit(record.revision, record.operations);
        return;
      case 'compaction':
        this.#compact(record.revision);
        return;
      case 'skip':
        this.#skipTo(record.revision);
        return;
    }
  }

  #boundHistory(): void {
    const { middle } = this.#history;
    if (middle > this.#compactedRevision && middle <= this.#revision) this.compact(middle as Revision);
  }

  #checkOperations(operations: readonly StorageOperation<V>[]): void {
    for (const operation of operations) {
      if (operation.kind === 'delete' || operation.leaseId === undefined) continue;
      invariant(this.#leases.has(operation.leaseId), 'a put names a living lease', { key: operation.key });
    }
    if (operations.length < 2) return;
    const keys = new Set(operations.map(({ key }) => key));
    invariant(keys.size === operations.length, 'a key occurs at most once in a transaction');
  }

  #holds({ key, modRevision }: Comparison): boolean {
    return (this.#index.current(key)?.modRevision ?? 0) === modRevision;
  }

  /** What an operation will do, without doing it; undefined: nothing. */
  #plan(operation: StorageOperation<V>, revision: Revision): StorageEvent<V> | undefined {
    const { key } = operation;
    const previous = this.#index.current(key);
    if (operation.kind === 'delete') return previous && { kind: 'delete', key, previous, revision };
    const { leaseId } = operation;
    const value = operation.value(revision);
    const createRevision = previous?.createRevision ?? revision;
    const version = (previous?.version ?? 0) + 1;
    // Written out: what a spread makes has room for more.
    const entry: StoredEntry<V> =
      leaseId === undefined
        ? { key, value, createRevision, modRevision: revision, version }
        : { key, value, createRevision, modRevision: revision, version, leaseId };
    return { kind: 'put', entry, previous, revision };
  }

  #commit(commit: Commit<V>): void {
    this.#onRecord?.(commitRecord(commit));
    this.#take(commit);
  }

  #take(commit: Commit<V>): void {
    this.#apply(commit);
    this.#isDelivering = true;
    try {
      this.#watchers.deliver(commit);
    } finally {
      this.#isDelivering = false;
    }
  }

  #apply(commit: Commit<V>): void {
    this.#revision = revisionOf(commit);
    this.#history.append(commit);
    for (const event of commit) {
      const { previous } = event;
      if (previous?.leaseId !== undefined) this.#leases.detach(previous.key, previous.leaseId);
      if (event.kind === 'delete') {
        this.#index.delete(event.key, event.revision);
      } else {
        this.#index.put(event.entry);
        this.#leases.attach(event.entry.key, event.entry.leaseId);
      }
    }
  }

  #replayCommit(revision: Revision, operations: readonly JournalOperation<V>[]): void {
    invariant(revision === nextRevision(this.#revision), 'a replayed commit follows the last one', {
      revision,
      last: this.#revision,
    });
    const planned = operations.map((operation) =>
      this.#plan(
        operation.kind === 'put' ? { ...operation, value: () => operation.value } : operation,
        revision,
      ),
    );
    const commit = planned.filter(isEvent);
    invariant(commit.length > 0, 'a replayed commit writes something', { revision });
    this.#take(commit);
  }

  #compact(revision: Revision): void {
    this.#compactedRevision = revision;
    for (const commit of this.#history.compact(revision)) {
      for (const event of commit) this.#index.compact(keyOf(event), revision);
    }
  }

  #skipTo(revision: Revision): void {
    invariant(revision >= this.#revision, 'revisions are left out forwards', { revision });
    this.#compact(this.#revision);
    this.#revision = revision;
    this.#compactedRevision = revision;
    this.#history = new History(nextRevision(revision));
  }

  /** The state before the oldest retained commit: the state after it, with its events undone. */
  #entriesBefore(commit: Commit<V>): Iterable<StoredEntry<V>> {
    const { entries: after } = this.#index.range({ prefix: '', revision: revisionOf(commit) });
    const entries = new Map(after.map((entry) => [entry.key, entry]));
    for (const event of commit) {
      if (event.previous) entries.set(event.previous.key, event.previous);
      else entries.delete(keyOf(event));
    }
    return entries.values();
  }

  #checkReadable(revision: Revision): void {
    if (revision < this.#compactedRevision) {
      throw new RevisionError('compacted', revision, this.#compactedRevision as Revision);
    }
    if (revision > this.#revision) throw new RevisionError('future', revision, this.#revision);
  }
}

const isEvent = <V>(event: StorageEvent<V> | undefined): event is StorageEvent<V> => event !== undefined;

/** What it put, or what it deleted. */
const entryOf = <V>(event: StorageEvent<V> | undefined): StoredEntry<V> | undefined =>
  event?.kind === 'put' ? event.entry : event?.previous;

function commitRecord<V>(commit: Commit<V>): JournalRecord<V> {
  return { kind: 'commit', revision: revisionOf(commit), operations: commit.map(operationOf) };
}

function operationOf<V>(event: StorageEvent<V>): JournalOperation<V> {
  if (event.kind === 'delete') return { kind: 'delete', key: event.key };
  const { key, value, leaseId } = event.entry;
  return { kind: 'put', key, value, ...(leaseId !== undefined && { leaseId }) };
}
