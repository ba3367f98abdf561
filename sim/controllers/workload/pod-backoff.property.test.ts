/** Pauses before what failed is done again: each as long as its key has failed, and none for what has rested long enough. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds, type Micros } from '../../engine/time.ts';
import { PodBackoff } from './pod-backoff.ts';

const KEYS = ['a', 'b'] as const;
const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 60;

class World {
  readonly #backoff = new PodBackoff({ first: seconds(FIRST_SECONDS), longest: seconds(LONGEST_SECONDS) });
  /** Failures of each key without a rest of twice the longest pause among them, and when the last one was. */
  readonly #failed = new Map<string, { readonly times: number; readonly at: number }>();
  #now = 0;

  pass(span: number): void {
    this.#now += span;
  }

  fail(key: string): void {
    const known = this.#failed.get(key);
    const isRested = !known || this.#now - known.at > 2 * LONGEST_SECONDS;
    this.#failed.set(key, { times: isRested ? 1 : known.times + 1, at: this.#now });
    this.#backoff.next(key, seconds(this.#now));
  }

  /** As often as it takes to come to the longest pause, each as soon as it may be. */
  failSoon(key: string, times: number): void {
    for (let time = 0; time < times; time++) {
      this.fail(key);
      this.compare();
      this.pass(this.#leftOf(key));
      this.compare();
    }
  }

  compare(): void {
    for (const key of KEYS)
      expect(this.#backoff.leftOf(key, seconds(this.#now)), `what ${key} waits`).toBe(
        seconds(this.#leftOf(key)) satisfies Micros,
      );
  }

  #leftOf(key: string): number {
    const { times = 0, at = 0 } = this.#failed.get(key) ?? {};
    const pause = times === 0 ? 0 : Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (times - 1));
    return Math.max(0, at + pause - this.#now);
  }
}

const act = actsOn<World>();
const key = fc.constantFrom(...KEYS);

it('last as long as it was said', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('fail', key, (world, of) => world.fail(of)),
      act('fail soon', fc.tuple(key, fc.integer({ min: 1, max: 10 })), (world, drawn) =>
        world.failSoon(...drawn),
      ),
      act('pass', fc.constantFrom(1, 10, 60, 61, 119, 120, 121), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    most: 20,
    runs: 100,
  });
});
