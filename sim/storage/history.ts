import { invariant } from '../engine/invariant.ts';
import type { Revision, StorageEvent } from './storage.ts';

/** The events of one revision, in the order of their operations. */
export interface Commit<V> {
  readonly revision: Revision;
  readonly events: readonly StorageEvent<V>[];
}

/** The commits that are still retained: exactly one for each revision from `first` on. */
export class History<V> {
  #first: number;
  #commits: Commit<V>[] = [];

  /** @param first revision that the first commit will have */
  constructor(first: Revision) {
    this.#first = first;
  }

  append(commit: Commit<V>): void {
    invariant(commit.revision === this.#first + this.#commits.length, 'every revision has one commit');
    this.#commits.push(commit);
  }

  /** Commits at or after `revision`. */
  from(revision: number): readonly Commit<V>[] {
    return this.#commits.slice(Math.max(0, revision - this.#first));
  }

  /** Drops the commits before `revision`; answers them and the one of `revision` itself, which stays. */
  compact(revision: Revision): readonly Commit<V>[] {
    const dropped = Math.max(0, revision - this.#first);
    const superseded = this.#commits.slice(0, dropped + 1);
    this.#commits = this.#commits.slice(dropped);
    this.#first += dropped;
    return superseded;
  }
}
