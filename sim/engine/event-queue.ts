/**
 * The one queue of future events: a 4-ary heap in the total order (dueAt, tie, sequence). The heap is typed
 * arrays alone, so that sifting touches no objects. Cancelled events stay until they surface or
 * until they are half of the heap.
 */

import type { Label } from './digest.ts';
import { violation } from './invariant.ts';

/** What an event belongs to; its standing decides whether the event happens. */
export interface Owner {
  readonly label: Label;
  /** `paused`: events are deferred; `ended`: they are dropped. */
  readonly standing: Standing;
  /** Keeps an event until the owner resumes. */
  defer(event: QueuedEvent): void;
}

export type Standing = 'running' | 'paused' | 'ended';

/** What happens when an event is due. */
export interface Action {
  fire(event: QueuedEvent): void;
}

export class QueuedEvent {
  /** Number in the order of scheduling, from 1; names the event in the trace. */
  readonly id: number;
  /** The event that scheduled it; 0: the world outside. */
  readonly cause: number;
  readonly kind: Label;
  readonly subject: Label;
  readonly owner: Owner | undefined;
  readonly action: Action;
  isCancelled = false;
  /** In the queue now: neither happened nor deferred. For the queue. */
  isQueued = false;

  constructor(
    id: number,
    cause: number,
    kind: Label,
    subject: Label,
    owner: Owner | undefined,
    action: Action,
  ) {
    this.id = id;
    this.cause = cause;
    this.kind = kind;
    this.subject = subject;
    this.owner = owner;
    this.action = action;
  }
}

/** Ties are small: 12 bits of tie and 40 of sequence make one exact number. */
export const MAX_TIE = 4095;
const SEQUENCE_SPAN = 2 ** 40;
const MIN_COMPACTION = 64;
const FIRST_CAPACITY = 256;

export class EventQueue {
  #size = 0;
  #cancelled = 0;
  /** The root was taken and nothing has filled its place yet: often the next event pushed will. */
  #hasHole = false;
  /** Of each heap position: dueAt, then tie and sequence. */
  #keys = new Float64Array(2 * FIRST_CAPACITY);
  /** Of each heap position: where its event is. */
  #slots = new Int32Array(FIRST_CAPACITY);
  readonly #events: (QueuedEvent | undefined)[] = [];
  readonly #freeSlots: number[] = [];

  /** Events that are still to happen. */
  get size(): number {
    return this.#size - this.#cancelled - (this.#hasHole ? 1 : 0);
  }

  /** Instant of the next event; Infinity when there is none. */
  get nextDueAt(): number {
    this.#surface();
    return this.#size === 0 ? Infinity : (this.#keys[0] as number);
  }

  /** `tie` (0 to MAX_TIE) orders events of one instant before their ids do. */
  push(dueAt: number, tie: number, event: QueuedEvent): void {
    if (tie > MAX_TIE || event.id >= SEQUENCE_SPAN) throw violation('an event key fits its bits', { tie });
    event.isQueued = true;
    const slot = this.#freeSlots.pop() ?? this.#events.length;
    this.#events[slot] = event;
    const order = tie * SEQUENCE_SPAN + event.id;
    if (this.#hasHole) {
      this.#hasHole = false;
      this.#siftDown(dueAt, order, slot);
    } else {
      if (this.#size === this.#slots.length) this.#grow();
      this.#siftUp(this.#size++, dueAt, order, slot);
    }
  }

  /** Removes and returns the first event; undefined when there is none. */
  pop(): QueuedEvent | undefined {
    this.#surface();
    if (this.#size === 0) return undefined;
    const event = this.#takeRoot();
    event.isQueued = false;
    return event;
  }

  /** It will not happen, whether it still waits here or was deferred. Without effect once it has happened. */
  cancel(event: QueuedEvent): void {
    if (event.isCancelled) return;
    event.isCancelled = true;
    if (!event.isQueued) return;
    this.#cancelled++;
    if (this.#cancelled > MIN_COMPACTION && this.#cancelled * 2 > this.#size) this.#compact();
  }

  /** Brings an event that is still to happen to the root, if there is one. */
  #surface(): void {
    if (this.#hasHole) this.#fillHole();
    while (this.#cancelled > 0 && this.#size > 0 && this.#root().isCancelled) {
      this.#takeRoot();
      this.#cancelled--;
      this.#fillHole();
    }
  }

  #root(): QueuedEvent {
    return this.#events[this.#slots[0] as number] as QueuedEvent;
  }

  #takeRoot(): QueuedEvent {
    const slot = this.#slots[0] as number;
    const event = this.#events[slot] as QueuedEvent;
    this.#events[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#hasHole = true;
    return event;
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
