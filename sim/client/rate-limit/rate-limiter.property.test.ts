/** Pauses against a model that remembers every call, in any order of failures, successes and time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';
import { ItemBackoff, LongestOf, TokenBucket } from './rate-limiter.ts';

const KEYS = ['a', 'b'] as const;
type Key = (typeof KEYS)[number];
const PER_SECOND = 4;
const INTERVAL = seconds(1) / PER_SECOND;
const BURST = 3;

class Pair {
  now = 0;
  readonly #failures = { a: 0, b: 0 };
  /** Tokens that lie there; below zero: that are owed. */
  #tokens = BURST;
  readonly #limiter = new LongestOf<Key>([
    new ItemBackoff({ first: milliseconds(10), longest: seconds(1) }),
    new TokenBucket({ now: () => this.now as Micros, perSecond: PER_SECOND, burst: BURST }),
  ]);

  fail(key: Key): void {
    const own = Math.min(1_000_000, 10_000 * 2 ** this.#failures[key]++);
    this.#tokens--;
    const ofAll = Math.max(0, -this.#tokens * INTERVAL);
    expect(this.#limiter.pauseOf(key)).toBe(Math.max(own, ofAll));
  }

  forget(key: Key): void {
    this.#failures[key] = 0;
    this.#limiter.forget(key);
  }

  pass(span: number): void {
    this.now += span;
    this.#tokens = Math.min(BURST, this.#tokens + span / INTERVAL);
  }

  compare(): void {
    for (const key of KEYS) expect(this.#limiter.failuresOf(key)).toBe(this.#failures[key]);
  }
}

const key = fc.constantFrom(...KEYS);

const act = actsOn<Pair>();

it('a key waits for its own failures and for its turn among all', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('fail', key, (pair, of) => pair.fail(of)),
      act('fail', key, (pair, of) => pair.fail(of)),
      act('forget', key, (pair, of) => pair.forget(of)),
      // Whole parts of an interval that binary fractions can hold.
      act('pass', fc.integer({ min: 1, max: 12 }), (pair, part) => pair.pass((part * INTERVAL) / 4)),
    ],
    compare: (pair) => pair.compare(),
    most: 30,
    runs: 200,
  });
});
