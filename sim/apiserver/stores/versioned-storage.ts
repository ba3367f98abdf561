/**
 * A storage that several releases write to, as one of them sees it: what it reads is in the form that it works on, what
 * it writes in the form that it stores. As long as nobody else writes, and both forms are one, nothing is looked at.
 */
import type {
  RangeRequest,
  RangeResult,
  Revision,
  Storage,
  StorageEvent,
  StorageWatch,
  StoredEntry,
  Transaction,
  TransactionResult,
  WatchRequest,
} from '../../storage/storage.ts';
import type { StoredForms } from './stored-forms.ts';
import type { StoredObject } from './stored-object.ts';

type Entry = StoredEntry<StoredObject>;

/** What caches learn from. */
export type VersionedSource = Pick<Storage<StoredObject>, 'range' | 'watch' | 'revision'>;

/** Of a storage: whether objects of several releases are in it. */
interface Mixture {
  isMixed: boolean;
}

const mixtures = new WeakMap<Storage<StoredObject>, Mixture>();

function mixtureOf(storage: Storage<StoredObject>): Mixture {
  const known = mixtures.get(storage) ?? { isMixed: false };
  mixtures.set(storage, known);
  return known;
}

/** From now on its objects are looked at: releases other than the present one have written, or will. */
export function noteSeveralReleases(storage: Storage<StoredObject>): void {
  mixtureOf(storage).isMixed = true;
}

/** The source of the caches of a server, beside its storage. */
export function versionedSource(
  source: VersionedSource,
  storage: Storage<StoredObject>,
  forms: StoredForms,
): VersionedSource {
  return new Versioned(source, mixtureOf(storage), forms);
}

/** Reads in the form that a release works on. */
class Versioned implements VersionedSource {
  readonly #source: VersionedSource;
  readonly #mixture: Mixture;
  readonly #forms: StoredForms;

  constructor(source: VersionedSource, mixture: Mixture, forms: StoredForms) {
    this.#source = source;
    this.#mixture = mixture;
    this.#forms = forms;
    if (!forms.isPlain) mixture.isMixed = true;
  }

  get revision(): Revision {
    return this.#source.revision;
  }

  range(request: RangeRequest): RangeResult<StoredObject> {
    const result = this.#source.range(request);
    if (!this.#mixture.isMixed) return result;
    const entries = result.entries.map((entry) => this.entry(entry));
    return { ...result, entries };
  }

  watch(request: WatchRequest<StoredObject>): StorageWatch {
    const { onEvents } = request;
    return this.#source.watch({
      ...request,
      onEvents: (events, revision) =>
        onEvents(this.#mixture.isMixed ? events.map((event) => this.#event(event)) : events, revision),
    });
  }

  entry(entry: Entry): Entry {
    if (!this.#mixture.isMixed) return entry;
    const value = this.#forms.decode(entry.value);
    return value === entry.value ? entry : { ...entry, value };
  }

  #event(event: StorageEvent<StoredObject>): StorageEvent<StoredObject> {
    if (event.kind === 'delete') return { ...event, previous: this.entry(event.previous) };
    return {
      ...event,
      entry: this.entry(event.entry),
      previous: event.previous && this.entry(event.previous),
    };
  }
}

export class VersionedStorage implements Storage<StoredObject> {
  readonly #storage: Storage<StoredObject>;
  readonly #reads: Versioned;
  readonly #mixture: Mixture;
  readonly #forms: StoredForms;

  constructor(storage: Storage<StoredObject>, forms: StoredForms) {
    this.#storage = storage;
    this.#mixture = mixtureOf(storage);
    this.#forms = forms;
    this.#reads = new Versioned(storage, this.#mixture, forms);
  }

  get revision(): Revision {
    return this.#storage.revision;
  }

  get compactedRevision(): Revision | 0 {
    return this.#storage.compactedRevision;
  }

  get nextLeaseExpiry(): number | undefined {
    return this.#storage.nextLeaseExpiry;
  }

  get(key: string, revision?: Revision): Entry | undefined {
    const entry = this.#storage.get(key, revision);
    return entry && this.#reads.entry(entry);
  }

  range(request: RangeRequest): RangeResult<StoredObject> {
    return this.#reads.range(request);
  }

  watch(request: WatchRequest<StoredObject>): StorageWatch {
    return this.#reads.watch(request);
  }

  transact(transaction: Transaction<StoredObject>): TransactionResult<StoredObject> {
    if (!this.#mixture.isMixed) return this.#storage.transact(transaction);
    const result = this.#storage.transact({
      ...transaction,
      success: transaction.success.map((operation) =>
        operation.kind === 'delete'
          ? operation
          : { ...operation, value: (revision: Revision) => this.#forms.encode(operation.value(revision)) },
      ),
    });
    return { ...result, entries: result.entries.map((entry) => entry && this.#reads.entry(entry)) };
  }

  /** Whether an object that was read is stored in a version of old: a write that changes nothing brings it up to date. */
  isStale(object: StoredObject): boolean {
    return this.#mixture.isMixed && this.#forms.isStale(object);
  }

  /** A stored object in the form that is worked on. */
  decode(object: StoredObject): StoredObject {
    return this.#forms.decode(object);
  }

  compact(revision: Revision): void {
    this.#storage.compact(revision);
  }

  grantLease(expiresAt: number): number {
    return this.#storage.grantLease(expiresAt);
  }

  hasLease(id: number): boolean {
    return this.#storage.hasLease(id);
  }

  expireLeases(now: number): void {
    this.#storage.expireLeases(now);
  }
}
