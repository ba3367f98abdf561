/**
 * Events that lie further ahead, mostly timers: a 4-ary heap in the total order (dueAt, id). The heap is typed
 * arrays alone, so that sifting touches no objects. Cancelled events stay until they surface or until they are
 * half of the heap.
 */

import type { QueuedEvent } from './queued-event.ts';

const MIN_COMPACTION = 64;
const FIRST_CAPACITY = 256;

export class FarEvents {
  #size = 0;
  #cancelled = 0;
  /** The root was taken and nothing has filled its place yet: often the next event pushed will. */
  #hasHole = false;
  /** Of each heap position: dueAt, then id. */
  #keys = new Float64Array(2 * FIRST_CAPACITY);
  /** Of each heap position: where its event is. */
  #slots = new Int32Array(FIRST_CAPACITY);
  readonly #events: (QueuedEvent | undefined)[] = [];
  readonly #freeSlots: number[] = [];

  /** Instant of the first event that was not cancelled; Infinity when there is none. */
  get dueAt(): number {
    if (this.#hasHole || this.#cancelled > 0) this.#surface();
    return this.#size === 0 ? Infinity : (this.#keys[0] as number);
  }

  push(dueAt: number, event: QueuedEvent): void {
    const slot = this.#freeSlots.pop() ?? this.#events.length;
    this.#events[slot] = event;
    if (this.#hasHole) {
      this.#hasHole = false;
      this.#siftDown(dueAt, event.id, slot);
    } else {
      if (this.#size === this.#slots.length) this.#grow();
      this.#siftUp(this.#size++, dueAt, event.id, slot);
    }
  }

  /** Removes and returns the first event, after `dueAt` has said that there is one. */
  pop(): QueuedEvent {
    const slot = this.#slots[0] as number;
    const event = this.#events[slot] as QueuedEvent;
    this.#events[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#hasHole = true;
    return event;
  }

  /** One of its events was cancelled. */
  cancelled(): void {
    this.#cancelled++;
    if (this.#cancelled > MIN_COMPACTION && this.#cancelled * 2 > this.#size) this.#compact();
  }

  /** Brings an event that is still to happen to the root, if there is one. */
  #surface(): void {
    if (this.#hasHole) this.#fillHole();
    while (this.#cancelled > 0 && this.#size > 0 && this.#root().isCancelled) {
      this.pop();
      this.#cancelled--;
      this.#fillHole();
    }
  }

  #root(): QueuedEvent {
    return this.#events[this.#slots[0] as number] as QueuedEvent;
  }

  #fillHole(): void {
    this.#hasHole = false;
    const last = --this.#size;
    if (last === 0) return;
    const keys = this.#keys;
    this.#siftDown(keys[2 * last] as number, keys[2 * last + 1] as number, this.#slots[last] as number);
  }

  #siftUp(from: number, dueAt: number, order: number, slot: number): void {
    const keys = this.#keys;
    const slots = this.#slots;
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      const parentDueAt = keys[2 * parent] as number;
      if (parentDueAt < dueAt || (parentDueAt === dueAt && (keys[2 * parent + 1] as number) < order)) break;
      keys[2 * position] = parentDueAt;
      keys[2 * position + 1] = keys[2 * parent + 1] as number;
      slots[position] = slots[parent] as number;
      position = parent;
    }
    keys[2 * position] = dueAt;
    keys[2 * position + 1] = order;
    slots[position] = slot;
  }

  /** Finds the place of an entry that is put at the root. */
  #siftDown(dueAt: number, order: number, slot: number): void {
    const keys = this.#keys;
    const slots = this.#slots;
    const size = this.#size;
    let position = 0;
    for (let first = 1; first < size; first = 4 * position + 1) {
      const end = Math.min(first + 4, size);
      let least = first;
      let leastDueAt = keys[2 * first] as number;
      for (let child = first + 1; child < end; child++) {
        const childDueAt = keys[2 * child] as number;
        if (childDueAt > leastDueAt) continue;
        if (childDueAt === leastDueAt && (keys[2 * child + 1] as number) > (keys[2 * least + 1] as number))
          continue;
        least = child;
        leastDueAt = childDueAt;
      }
      if (leastDueAt > dueAt || (leastDueAt === dueAt && (keys[2 * least + 1] as number) > order)) break;
      keys[2 * position] = leastDueAt;
      keys[2 * position + 1] = keys[2 * least + 1] as number;
      slots[position] = slots[least] as number;
      position = least;
    }
    keys[2 * position] = dueAt;
    keys[2 * position + 1] = order;
    slots[position] = slot;
  }

  /** Rebuilds the heap without its cancelled events. The order is total, so the shape does not matter. */
  #compact(): void {
    if (this.#hasHole) this.#fillHole();
    const size = this.#size;
    this.#size = 0;
    for (let position = 0; position < size; position++) {
      const slot = this.#slots[position] as number;
      if (this.#events[slot]?.isCancelled) {
        this.#events[slot] = undefined;
        this.#freeSlots.push(slot);
      } else {
        const dueAt = this.#keys[2 * position] as number;
        this.#siftUp(this.#size++, dueAt, this.#keys[2 * position + 1] as number, slot);
      }
    }
    this.#cancelled = 0;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
    const slots = new Int32Array(this.#slots.length * 2);
    slots.set(this.#slots);
    this.#slots = slots;
  }
}
