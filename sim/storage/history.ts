import { invariant } from '../engine/invariant.ts';
import { SampledSize } from './rough-size.ts';
import type { Revision, StorageEvent } from './storage.ts';

/** The events of one revision, in the order of their operations; there is at least one. */
export type Commit<V> = readonly StorageEvent<V>[];

/** The commits that are still retained: exactly one for each revision from `first` on. */
export class History<V> {
  #first: number;
  /** Most have one event, which stands for itself: so there is less to keep. */
  #commits: (StorageEvent<V> | Commit<V>)[] = [];
  readonly #size = new SampledSize();

  /** @param first revision that the first commit will have */
  constructor(first: Revision) {
    this.#first = first;
  }

  append(commit: Commit<V>): void {
    invariant(revisionOf(commit) === this.#first + this.#commits.length, 'every revision has one commit');
    this.#commits.push(commit.length === 1 ? firstOf(commit) : commit);
    this.#size.added(commit, valuesOf);
  }

  /** About how much memory the retained commits hold. */
  get bytes(): number {
    return this.#size.bytes;
  }

  /** The revision in the middle of what is retained. */
  get middle(): number {
    return this.#first + Math.floor(this.#commits.length / 2);
  }

  /** Commits at or after `revision`. */
  from(revision: number): readonly Commit<V>[] {
    return this.#commits.slice(Math.max(0, revision - this.#first)).map(commitOf);
  }

  /** Drops the commits before `revision`; answers them and the one of `revision` itself, which stays. */
  compact(revision: Revision): readonly Commit<V>[] {
    const dropped = Math.max(0, revision - this.#first);
    const superseded = this.#commits.slice(0, dropped + 1);
    this.#commits = this.#commits.slice(dropped);
    this.#first += dropped;
    this.#size.keepLast(this.#commits.length);
    return superseded.map(commitOf);
  }
}

const commitOf = <V>(kept: StorageEvent<V> | Commit<V>): Commit<V> => ('kind' in kept ? [kept] : kept);

/** By its index: taking a list apart costs more, and this is asked several times for each write. */
const firstOf = <V>(commit: Commit<V>): StorageEvent<V> => commit[0] as StorageEvent<V>;

export const revisionOf = (commit: Commit<unknown>): Revision => firstOf(commit).revision;

/** What events brought, or what they took away. */
const valuesOf = <V>(commit: Commit<V>): readonly (V | undefined)[] =>
  commit.map((event) => (event.kind === 'put' ? event.entry : event.previous)?.value);
