/** What was done and not seen yet, against a model that keeps each announcement apart, in any order of acts. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../engine/any-order.arbitrary.ts';
import { seconds } from '../engine/time.ts';
import { Expectations } from './expectations.ts';

const KEYS = ['web', 'db'] as const;
type Key = (typeof KEYS)[number];
const MOST_SECONDS = 300;

interface Announced {
  readonly created: number;
  readonly deleted: readonly string[];
  readonly at: number;
  seen: number;
  readonly gone: Set<string>;
}

class Pair {
  now = 0;
  readonly #announced = new Map<Key, Announced>();
  readonly #expected = new Expectations(() => seconds(this.now));

  announce(key: Key, created: number, deleted: readonly string[]): void {
    this.#announced.set(key, { created, deleted, at: this.now, seen: 0, gone: new Set() });
    if (deleted.length === 0) this.#expected.expectCreations(key, created);
    else if (created === 0) this.#expected.expectDeletions(key, deleted);
    else this.#expected.expectChanges(key, { creations: created, deletions: deleted });
  }

  seeCreation(key: Key): void {
    const announced = this.#announced.get(key);
    if (announced) announced.seen++;
    this.#expected.creationObserved(key);
  }

  seeDeletion(key: Key, uid: string): void {
    this.#announced.get(key)?.gone.add(uid);
    this.#expected.deletionObserved(key, uid);
  }

  forget(key: Key): void {
    this.#announced.delete(key);
    this.#expected.forget(key);
  }

  compare(): void {
    for (const key of KEYS) expect(this.#expected.areSatisfied(key), key).toBe(this.#isFree(key));
  }

  #isFree(key: Key): boolean {
    const announced = this.#announced.get(key);
    if (!announced || this.now - announced.at > MOST_SECONDS) return true;
    const { created, deleted, seen, gone } = announced;
    return seen >= created && deleted.every((uid) => gone.has(uid));
  }
}

const key = fc.constantFrom(...KEYS);
const uid = fc.constantFrom('a', 'b');
const uids = fc.uniqueArray(uid);

const act = actsOn<Pair>();

it('waits for what was announced last of a key, for that alone, and for five minutes at the most', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('announce', fc.tuple(key, fc.nat(2), uids), (pair, [of, created, deleted]) =>
        pair.announce(of, created, deleted),
      ),
      act('creation', key, (pair, of) => pair.seeCreation(of)),
      act('deletion', fc.tuple(key, uid), (pair, [of, gone]) => pair.seeDeletion(of, gone)),
      act('forget', key, (pair, of) => pair.forget(of)),
      act('pass', fc.constantFrom(1, 100, 200), (pair, span) => void (pair.now += span)),
    ],
    compare: (pair) => pair.compare(),
    most: 30,
    runs: 400,
  });
});
