/**
 * Events of the next 2,048 µs: a wheel with a slot for each microsecond, whose events stand in line. Most messages
 * are due so soon, and cost no comparison at all: a push appends, a pop takes the head of the first taken slot,
 * which two levels of bits find. It holds instants from `cursor` on only; the queue sees to that.
 */

import type { QueuedEvent } from './queued-event.ts';

/** Microseconds that the wheel spans; a power of two. */
export const NEAR_SPAN = 2048;
const MASK = NEAR_SPAN - 1;
const WORDS = NEAR_SPAN / 32;
/** Copied, which is cheaper than filling, as worlds are many and short. */
const EMPTY: readonly (QueuedEvent | undefined)[] = Array.from({ length: NEAR_SPAN });

export class NearEvents {
  /** Instant of the first event; Infinity when there is none. */
  dueAt = Infinity;
  readonly #heads = EMPTY.slice();
  readonly #tails = EMPTY.slice();
  /** A bit for each slot that is taken, … */
  readonly #taken = new Int32Array(WORDS);
  /** … and one for each word of these that is not zero. */
  readonly #takenWords = new Int32Array(WORDS / 32);

  /** Ids grow from push to push, so the line of a slot is in order. */
  push(dueAt: number, event: QueuedEvent): void {
    const slot = dueAt & MASK;
    const tail = this.#tails[slot];
    this.#tails[slot] = event;
    if (tail) {
      tail.next = event;
      return;
    }
    this.#heads[slot] = event;
    const word = slot >> 5;
    this.#taken[word] = (this.#taken[word] as number) | (1 << (slot & 31));
    this.#takenWords[word >> 5] = (this.#takenWords[word >> 5] as number) | (1 << (word & 31));
    if (dueAt < this.dueAt) this.dueAt = dueAt;
  }

  /** The first event, which stays; there must be one. */
  peek(): QueuedEvent {
    return this.#heads[this.dueAt & MASK] as QueuedEvent;
  }

  /** Removes and returns the first event; there must be one. */
  pop(): QueuedEvent {
    const slot = this.dueAt & MASK;
    const event = this.#heads[slot] as QueuedEvent;
    const { next } = event;
    this.#heads[slot] = next;
    if (next) event.next = undefined;
    else this.#vacate(slot);
    return event;
  }

  #vacate(slot: number): void {
    this.#tails[slot] = undefined;
    const word = slot >> 5;
    const left = (this.#taken[word] as number) & ~(1 << (slot & 31));
    this.#taken[word] = left;
    if (left === 0)
      this.#takenWords[word >> 5] = (this.#takenWords[word >> 5] as number) & ~(1 << (word & 31));
    const next = this.#nextTaken(slot);
    this.dueAt = next < 0 ? Infinity : this.dueAt + ((next - slot) & MASK);
  }

  /** The first taken slot after `slot`, around the wheel; -1 when all are free. */
  #nextTaken(slot: number): number {
    const own = slot >> 5;
    const later = (this.#taken[own] as number) & (-2 << (slot & 31));
    if (later !== 0) return own * 32 + lowestBit(later);
    const word = this.#nextTakenWord(own);
    return word < 0 ? -1 : word * 32 + lowestBit(this.#taken[word] as number);
  }

  /** The first word with a taken slot after `word`, or around the wheel up to it. */
  #nextTakenWord(word: number): number {
    const groups = WORDS / 32;
    const group = word >> 5;
    const later = (this.#takenWords[group] as number) & (-2 << (word & 31));
    if (later !== 0) return group * 32 + lowestBit(later);
    for (let step = 1; step <= groups; step++) {
      const other = (group + step) % groups;
      const bits = this.#takenWords[other] as number;
      if (bits !== 0) return other * 32 + lowestBit(bits);
    }
    return -1;
  }
}

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);
