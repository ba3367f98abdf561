/** Pressures beside a list of all moments at which they were felt, in any order of feeling and time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import type { Pressure } from '../machine/pressure.ts';
import { PressureMemory } from './pressure-memory.ts';

const STAYS_MS = 300;

class Node {
  readonly #memory = new PressureMemory(STAYS_MS);
  readonly #felt: { readonly pressure: Pressure; readonly untilMs: number }[] = [];
  #nowMs = 0;

  feel(pressures: readonly Pressure[]): void {
    this.#memory.feel(pressures, this.#nowMs);
    for (const pressure of pressures) this.#felt.push({ pressure, untilMs: this.#nowMs + STAYS_MS });
  }

  pass(spanMs: number): void {
    this.#nowMs += spanMs;
  }

  compare(): void {
    const lasting = this.#felt.filter(({ untilMs }) => untilMs > this.#nowMs);
    const ends = new Map<Pressure, number>();
    for (const { pressure, untilMs } of lasting)
      ends.set(pressure, Math.max(untilMs, ends.get(pressure) ?? 0));
    expect([...this.#memory.present(this.#nowMs)].sort()).toEqual([...ends.keys()].sort());
    const next = Math.min(...ends.values());
    expect(this.#memory.nextEndMs(this.#nowMs)).toBe(ends.size > 0 ? next : undefined);
  }
}

const pressures = fc.subarray<Pressure>(['memory', 'disk', 'pid']);
const act = actsOn<Node>();

it('a pressure lasts until so long after it was felt last, and comes back when it is felt again', () => {
  holdsInAnyOrder<Node>({
    begin: () => new Node(),
    acts: [
      act('feel', pressures, (node, felt) => node.feel(felt)),
      act('pass', fc.constantFrom(0, 1, 100, 200, 299, 300, 301), (node, span) => node.pass(span)),
    ],
    compare: (node) => node.compare(),
    most: 20,
    runs: 300,
  });
});
