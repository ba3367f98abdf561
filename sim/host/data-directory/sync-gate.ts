/**
 * Holds back whatever tells of a write until the write is on disk. All writes of a turn, and all that come while a
 * sync is under way, share the next one.
 */
export interface SyncGateOptions {
  /** Syncs everything written so far; calls back once. */
  readonly sync: (done: () => void) => void;
  /** Runs work at the end of the turn. */
  readonly later: (work: () => void) => void;
}

interface Held {
  readonly writes: number;
  readonly release: () => void;
}

export class SyncGate {
  readonly #sync: SyncGateOptions['sync'];
  readonly #later: SyncGateOptions['later'];
  /** How many writes there were, and how many of them are on disk. */
  #written = 0;
  #settled = 0;
  #isSyncing = false;
  #held: Held[] = [];

  constructor({ sync, later }: SyncGateOptions) {
    this.#sync = sync;
    this.#later = later;
  }

  get written(): number {
    return this.#written;
  }

  get settled(): number {
    return this.#settled;
  }

  noteWrite(): void {
    this.#written += 1;
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    this.#later(() => this.#begin());
  }

  /** Calls back once everything written so far is on disk: at once, if it is. */
  whenSettled(release: () => void): void {
    if (this.#settled === this.#written) release();
    else this.#held.push({ writes: this.#written, release });
  }

  #begin(): void {
    const target = this.#written;
    this.#sync(() => {
      this.#settled = target;
      this.#isSyncing = target < this.#written;
      if (this.#isSyncing) this.#later(() => this.#begin());
      const held = this.#held;
      this.#held = held.filter(({ writes }) => writes > target);
      for (const { writes, release } of held) if (writes <= target) release();
    });
  }
}
