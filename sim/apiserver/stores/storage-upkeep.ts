/**
 * What somebody has to do for the storage as time goes by: old history is compacted (what is older
 * than one interval and up to two is gone), and keys with a lease expire. Specification: "Limits".
 */
import { Compactor } from '../../storage/compactor.ts';
import type { Revision, Storage } from '../../storage/storage.ts';
import type { StoredObject } from './stored-object.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { untilWritten } from './until-written.ts';

export const DEFAULT_COMPACTION_INTERVAL_MS = 5 * 60 * 1_000;

export class StorageUpkeep {
  readonly #storage: Storage<StoredObject>;
  readonly #surroundings: ApiServerSurroundings;
  readonly #intervalMs: number;
  readonly #compactor: Compactor;
  readonly #onCompacted: (revision: Revision) => void;
  #stopCompaction: () => void = () => undefined;

  /** An interval of 0 keeps the whole history. */
  constructor(options: {
    storage: Storage<StoredObject>;
    surroundings: ApiServerSurroundings;
    compactionIntervalMs?: number;
    /** Told at each look at the history, what is gone by then. */
    onCompacted: (revision: Revision) => void;
  }) {
    this.#storage = options.storage;
    this.#surroundings = options.surroundings;
    this.#intervalMs = options.compactionIntervalMs ?? DEFAULT_COMPACTION_INTERVAL_MS;
    this.#compactor = new Compactor(options.storage);
    this.#onCompacted = options.onCompacted;
  }

  start(): void {
    if (this.#intervalMs > 0) this.#compactAgain();
    this.#awaitOldLeases();
  }

  stop(): void {
    this.#stopCompaction();
  }

  /** A lease for keys that are to be gone after so many seconds. */
  grantLease(seconds: number): number {
    const expiresAt = this.#surroundings.wallMs() + seconds * 1_000;
    const lease = this.#storage.grantLease(expiresAt);
    this.#surroundings.after(seconds * 1_000, () => this.#expireLeases());
    return lease;
  }

  /** Leases that were granted before this server was there. */
  #awaitOldLeases(): void {
    const expiry = this.#storage.nextLeaseExpiry;
    if (expiry === undefined) return;
    this.#surroundings.after(Math.max(0, expiry - this.#surroundings.wallMs()), () => {
      this.#expireLeases();
      this.#awaitOldLeases();
    });
  }

  /** Where the storage takes no writes, keys live on until it does. */
  #expireLeases(): void {
    untilWritten(this.#surroundings, () => this.#storage.expireLeases(this.#surroundings.wallMs()));
  }

  #compactAgain(): void {
    this.#compactor.tick();
    const { compactedRevision } = this.#storage;
    if (compactedRevision > 0) this.#onCompacted(compactedRevision as Revision);
    this.#stopCompaction = this.#surroundings.after(this.#intervalMs, () => this.#compactAgain());
  }
}
