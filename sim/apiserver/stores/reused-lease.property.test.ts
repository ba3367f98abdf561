/**
 * Leases that are used for several keys, by any clock, amid a storage that forgets: each key gets one that the storage knows,
 * lives at least as long as was asked for and hardly longer; as few are granted as that allows.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { ReusedLease } from './reused-lease.ts';

const TTL_SECONDS = 600;
/** A twentieth. */
const LONGER_MS = 30_000;
const MOST_KEYS = 1_000;

class World {
  readonly #granted = new Map<number, { readonly expiresAt: number; readonly keys: string[] }>();
  readonly #lease = new ReusedLease(TTL_SECONDS, (expiresAt) => {
    const id = ++this.#last;
    this.#granted.set(id, { expiresAt, keys: [] });
    return id;
  });
  #last = 0;
  #keys = 0;
  #nowMs = 1_000_000;

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** It is set back to before its last leases. */
  forget(count: number): void {
    for (const id of [...this.#granted.keys()].slice(-count)) this.#granted.delete(id);
  }

  give(count: number): void {
    for (let each = 0; each < count; each++) {
      const newest = this.#last;
      const before = this.#granted.get(newest);
      const id = this.#lease.at(this.#nowMs, (known) => this.#granted.has(known));
      const lease = this.#granted.get(id);
      const leftMs = (lease?.expiresAt ?? 0) - this.#nowMs - TTL_SECONDS * 1_000;
      expect(leftMs, 'it lives for long enough').toBeGreaterThanOrEqual(0);
      expect(leftMs, 'it lives not much longer').toBeLessThanOrEqual(LONGER_MS);
      lease?.keys.push(`k${this.#keys++}`);
      expect(lease?.keys.length, 'keys of one lease').toBeLessThanOrEqual(MOST_KEYS);
      if (!before || id === newest) continue;
      const beforeMs = before.expiresAt - this.#nowMs - TTL_SECONDS * 1_000;
      const hasRoom = before.keys.length < MOST_KEYS;
      expect(hasRoom && beforeMs > 0 && beforeMs <= LONGER_MS, 'the former would have done').toBe(false);
    }
  }
}

const act = actsOn<World>();
const give = act('give', fc.constantFrom(1, 1, 3, 600), (world, count) => world.give(count));

it('are known, last, and are shared', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      give,
      give,
      act('pass', fc.constantFrom(1, 9_000, 29_999, 30_000, 30_001, 400_000), (world, ms) => world.pass(ms)),
      act('set back the clock', fc.constantFrom(1, 5_000, 40_000), (world, ms) => world.pass(-ms)),
      act('forget', fc.constantFrom(1, 2), (world, count) => world.forget(count)),
      act('give', NOTHING, (world) => world.give(1)),
    ],
    compare: () => undefined,
    most: 20,
    runs: 60,
  });
});
