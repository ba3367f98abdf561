/** How long agents may keep what they have read, in clusters that grow and shrink: what is said stays while it may be said. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { CacheTtl } from './cache-ttl.ts';

/** Of the documentation: seconds, and of how few and how many nodes. */
const MAY_BE_SAID = [
  [0, 0, 100],
  [15, 90, 500],
  [30, 450, 1_000],
  [60, 900, 2_000],
  [300, 1_800, 10_000],
  [600, 9_000, Infinity],
] as const;

class Pair {
  readonly #ttl = new CacheTtl();
  #nodes = 0;
  #said = 0;

  change(by: number): void {
    for (let left = Math.abs(by); left > 0; left--) {
      if (by < 0 && this.#nodes === 0) return;
      this.#nodes += Math.sign(by);
      if (by > 0) this.#ttl.nodeAdded();
      else this.#ttl.nodeRemoved();
      this.#look();
    }
  }

  #look(): void {
    const now = this.#ttl.seconds;
    const may = MAY_BE_SAID.filter(([, fewest, most]) => this.#nodes >= fewest && this.#nodes <= most);
    const allowed: readonly number[] = may.map(([seconds]) => seconds);
    if (allowed.includes(this.#said)) expect(now, `of ${this.#nodes} nodes`).toBe(this.#said);
    else expect(allowed, `of ${this.#nodes} nodes`).toContain(now);
    this.#said = now;
  }
}

it('stays as it is while it may, and then is what may be', () => {
  const change = actsOn<Pair>()(
    'change',
    fc.constantFrom(1, 20, 95, 600, 2_500, -1, -20, -95, -600, -2_500),
    (pair, by) => pair.change(by),
  );
  holdsInAnyOrder({ begin: () => new Pair(), acts: [change], compare: () => undefined, most: 16, runs: 10 });
});
