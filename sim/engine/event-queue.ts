/**
 * The one queue of future events: a 4-ary heap in the total order (dueAt, tie, sequence). Keys live in typed
 * arrays beside the events, so that sifting touches no objects. Cancelled events stay until they surface or
 * until they are half of the heap.
 */

import type { Label } from './digest.ts';
import { invariant } from './invariant.ts';

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

export class EventQueue {
  #size = 0;
  #cancelled = 0;
  #dueAt = new Float64Array(256);
  #order = new Float64Array(256);
  readonly #events: QueuedEvent[] = [];

  /** Events that are still to happen. */
  get size(): number {
    return this.#size - this.#cancelled;
  }

  /** Instant of the next event; Infinity when there is none. */
  get nextDueAt(): number {
    this.#dropCancelled();
    return this.#size === 0 ? Infinity : (this.#dueAt[0] as number);
  }

  /** `tie` (0 to MAX_TIE) orders events of one instant before their ids do. */
  push(dueAt: number, tie: number, event: QueuedEvent): void {
    invariant(tie >= 0 && tie <= MAX_TIE && event.id < SEQUENCE_SPAN, 'an event key fits its bits', { tie });
    event.isQueued = true;
    const slot = this.#size++;
    if (slot === this.#dueAt.length) this.#grow();
    this.#siftUp(slot, dueAt, tie * SEQUENCE_SPAN + event.id, event);
  }

  /** Removes and returns the first event; undefined when there is none. */
  pop(): QueuedEvent | undefined {
    this.#dropCancelled();
    return this.#size === 0 ? undefined : this.#popRoot();
  }

  /** It will not happen, whether it still waits here or was deferred. Without effect once it has happened. */
  cancel(event: QueuedEvent): void {
    if (event.isCancelled) return;
    event.isCancelled = true;
    if (!event.isQueued) return;
    this.#cancelled++;
    if (this.#cancelled > MIN_COMPACTION && this.#cancelled * 2 > this.#size) this.#compact();
  }

  #dropCancelled(): void {
    while (this.#cancelled > 0 && this.#size > 0 && (this.#events[0] as QueuedEvent).isCancelled) {
      this.#popRoot();
      this.#cancelled--;
    }
  }

  #popRoot(): QueuedEvent {
    const root = this.#events[0] as QueuedEvent;
    root.isQueued = false;
    const last = --this.#size;
    const event = this.#events.pop() as QueuedEvent;
    if (last > 0) this.#siftDown(0, this.#dueAt[last] as number, this.#order[last] as number, event);
    return root;
  }

  #siftUp(from: number, dueAt: number, order: number, event: QueuedEvent): void {
    const dueAts = this.#dueAt;
    const orders = this.#order;
    const events = this.#events;
    let slot = from;
    while (slot > 0) {
      const parent = (slot - 1) >> 2;
      const parentDueAt = dueAts[parent] as number;
      if (parentDueAt < dueAt || (parentDueAt === dueAt && (orders[parent] as number) < order)) break;
      dueAts[slot] = parentDueAt;
      orders[slot] = orders[parent] as number;
      events[slot] = events[parent] as QueuedEvent;
      slot = parent;
    }
    dueAts[slot] = dueAt;
    orders[slot] = order;
    events[slot] = event;
  }

  #siftDown(from: number, dueAt: number, order: number, event: QueuedEvent): void {
    const dueAts = this.#dueAt;
    const orders = this.#order;
    const events = this.#events;
    const size = this.#size;
    let slot = from;
    for (;;) {
      const first = 4 * slot + 1;
      if (first >= size) break;
      const end = Math.min(first + 4, size);
      let least = first;
      let leastDueAt = dueAts[first] as number;
      for (let child = first + 1; child < end; child++) {
        const childDueAt = dueAts[child] as number;
        if (childDueAt > leastDueAt) continue;
        if (childDueAt === leastDueAt && (orders[child] as number) > (orders[least] as number)) continue;
        least = child;
        leastDueAt = childDueAt;
      }
      if (leastDueAt > dueAt || (leastDueAt === dueAt && (orders[least] as number) > order)) break;
      dueAts[slot] = leastDueAt;
      orders[slot] = orders[least] as number;
      events[slot] = events[least] as QueuedEvent;
      slot = least;
    }
    dueAts[slot] = dueAt;
    orders[slot] = order;
    events[slot] = event;
  }

  /** Rebuilds the heap without its cancelled events. The order is total, so the shape does not matter. */
  #compact(): void {
    const size = this.#size;
    this.#size = 0;
    for (let index = 0; index < size; index++) {
      const event = this.#events[index] as QueuedEvent;
      if (event.isCancelled) continue;
      this.#siftUp(this.#size++, this.#dueAt[index] as number, this.#order[index] as number, event);
    }
    this.#events.length = this.#size;
    this.#cancelled = 0;
  }

  #grow(): void {
    this.#dueAt = doubled(this.#dueAt);
    this.#order = doubled(this.#order);
  }
}

function doubled(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
