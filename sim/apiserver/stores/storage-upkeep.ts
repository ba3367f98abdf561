/**
 * What somebody has to do for the storage as time goes by: old history is compacted (what is older
 * than one interval and up to two is gone), and keys with a lease expire. Specification: "Limits".
 */
import { Compactor } from '../../storage/compactor.ts';
import type { Revision, Storage } from '../../storage/storage.ts';
import { ReusedLease } from './reused-lease.ts';
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
  /** By the time that their keys live. */
  readonly #leases = new Map<number, ReusedLease>();
  #stopCompaction: () => void = () => undefined;
  /** When leases are looked at, by the wall clock. */
  #lookAt: number | undefined;
  #stopLook: () => void = () => undefined;

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
    if (this.#intervalMs > 0) this.#lookAgain();
    this.#awaitExpiry();
  }

  stop(): void {
    this.#stopCompaction();
    this.#stopLook();
  }

  /** A lease for a key that is to be gone after so many seconds, or soon afterwards: as `ReusedLease` says. */
  leaseFor(seconds: number): number {
    let lease = this.#leases.get(seconds);
    if (!lease) this.#leases.set(seconds, (lease = new ReusedLease(seconds, (at) => this.#grantLease(at))));
    return lease.at(this.#surroundings.wallMs(), (id) => this.#storage.hasLease(id));
  }

  #grantLease(expiresAt: number): number {
    const lease = this.#storage.grantLease(expiresAt);
    this.#awaitExpiry();
    return lease;
  }

  /** Also of leases that were granted before this server was there. */
  #awaitExpiry(): void {
    const expiry = this.#storage.nextLeaseExpiry;
    if (expiry === undefined || (this.#lookAt !== undefined && this.#lookAt <= expiry)) return;
    this.#stopLook();
    this.#lookAt = expiry;
    const delay = Math.max(0, expiry - this.#surroundings.wallMs());
    this.#stopLook = this.#surroundings.after(delay, () => this.#expireLeases());
  }

  /** Where the storage takes no writes, keys live on until it does. */
  #expireLeases(): void {
    this.#lookAt = undefined;
    untilWritten(this.#surroundings, () => {
      this.#storage.expireLeases(this.#surroundings.wallMs());
      this.#awaitExpiry();
    });
  }

  /** What others dropped before this server was there, is gone; it drops nothing itself before its second interval ends. */
  #lookAgain(): void {
    const { compactedRevision } = this.#storage;
    if (compactedRevision > 0) this.#onCompacted(compactedRevision as Revision);
    this.#stopCompaction = this.#surroundings.after(this.#intervalMs, () => {
      this.#compactor.tick();
      this.#lookAgain();
    });
  }
}
