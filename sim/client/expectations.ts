/**
 * What a controller has done and not seen yet. A controller reads from an informer that lags behind its own writes;
 * so it notes how many objects it is about to create, and which it is about to delete, for the key that it works on, and
 * does nothing about that key before the informer has shown them all, or five minutes have passed.
 *
 * A record lives in the controller's memory alone: after a restart there are none, and everything counts as seen.
 */
import { minutes, type Micros } from '../engine/time.ts';

/** Then somebody was mistaken, or an event is lost: the controller looks again. */
const EXPIRES_AFTER = minutes(5);

interface Expectation {
  /** Below zero: more were seen than were expected. */
  creations: number;
  /** By uid, or whatever the controller calls them. */
  readonly deletions: Set<string>;
  readonly since: Micros;
}

export interface ExpectedChanges {
  readonly creations: number;
  readonly deletions: readonly string[];
}

export class Expectations {
  readonly #now: () => Micros;
  readonly #records = new Map<string, Expectation>();

  /** `now`: the controller's monotone clock. */
  constructor(now: () => Micros) {
    this.#now = now;
  }

  /** Everything that was expected of a key has been seen, or it is too long ago. */
  areSatisfied(key: string): boolean {
    const record = this.#records.get(key);
    if (!record || (record.creations <= 0 && record.deletions.size === 0)) return true;
    return this.#now() - record.since > EXPIRES_AFTER;
  }

  /** So many will be created. What was expected before is forgotten. */
  expectCreations(key: string, count: number): void {
    this.#records.set(key, { creations: count, deletions: new Set(), since: this.#now() });
  }

  /** These will be deleted. What was expected before is forgotten. */
  expectDeletions(key: string, uids: readonly string[]): void {
    this.#records.set(key, { creations: 0, deletions: new Set(uids), since: this.#now() });
  }

  /** Both at once. What was expected before is forgotten. */
  expectChanges(key: string, { creations, deletions }: ExpectedChanges): void {
    this.#records.set(key, { creations, deletions: new Set(deletions), since: this.#now() });
  }

  /** One was seen, or could not be created after all. */
  creationObserved(key: string): void {
    const record = this.#records.get(key);
    if (record) record.creations--;
  }

  /** It was seen to go, or could not be deleted after all. Seen twice, it counts once. */
  deletionObserved(key: string, uid: string): void {
    this.#records.get(key)?.deletions.delete(uid);
  }

  /** The key is there no more. */
  forget(key: string): void {
    this.#records.delete(key);
  }
}
