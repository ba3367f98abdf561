import type { Revision, Storage } from './storage.ts';

/**
 * Keeps the history of a store bounded: each tick compacts to where the store was at the tick before, so at least one
 * interval of history is always readable, and never more than two. Whoever has a clock ticks it (every five minutes of
 * virtual time, unless told otherwise).
 */
export class Compactor {
  readonly #storage: Pick<Storage<never>, 'revision' | 'compactedRevision' | 'compact'>;
  #lastTick: Revision | undefined;

  constructor(storage: Pick<Storage<never>, 'revision' | 'compactedRevision' | 'compact'>) {
    this.#storage = storage;
  }

  tick(): void {
    const last = this.#lastTick;
    if (last !== undefined && last > this.#storage.compactedRevision) this.#storage.compact(last);
    this.#lastTick = this.#storage.revision;
  }
}
