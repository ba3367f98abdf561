/**
 * The events that could be next: all that are due within a window of the first one. The order of some is not
 * free, in no schedule:
 *
 * - messages over one connection arrive as they were sent (one strand);
 * - timers of one actor that are due at different instants ring in that order, as one clock drives them;
 * - what the world does (faults, checks, injections) happens at its instant, and in its order.
 *
 * Everything else may be reordered, but nothing happens before it is due: who lets others go first is late by
 * less than the window.
 */

import type { EventQueue } from './event-queue.ts';
import type { Owner, QueuedEvent } from './queued-event.ts';
import { invariant } from './invariant.ts';
import type { SchedulePolicy } from './schedule-policy.ts';

interface Enabled {
  readonly dueAt: number;
  readonly event: QueuedEvent;
}

export class EnabledEvents {
  readonly #queue: EventQueue;
  readonly #policy: SchedulePolicy;
  readonly #window: number;
  /** Taken from the queue, in its order; later ones may be cancelled. */
  #enabled: Enabled[] = [];
  /** Met in one look at them. */
  readonly #strands = new Set<object>();
  readonly #timers = new Map<Owner, number>();

  constructor(queue: EventQueue, policy: SchedulePolicy, window: number) {
    this.#queue = queue;
    this.#policy = policy;
    this.#window = window;
  }

  get size(): number {
    return this.#enabled.filter(({ event }) => !event.isCancelled).length;
  }

  /** Instant of the first event that could happen; Infinity when there is none. */
  get nextDueAt(): number {
    while (this.#enabled[0]?.event.isCancelled) this.#enabled.shift();
    return Math.min(this.#enabled[0]?.dueAt ?? Infinity, this.#queue.nextDueAt);
  }

  /** Removes the event that is next, due by `limit`; there must be one. */
  take(limit: number): Enabled {
    const end = Math.min(this.nextDueAt + this.#window, limit);
    this.#fill(end);
    const free = this.#free(end);
    const index = free.length > 1 ? this.#policy.nextEvent(free.map(({ event }) => event)) : 0;
    const taken = free[index];
    invariant(taken !== undefined, 'a schedule takes one of the enabled events', { index, of: free.length });
    this.#enabled.splice(this.#enabled.indexOf(taken), 1);
    return taken;
  }

  /** Fetches what is due by `end`. */
  #fill(end: number): void {
    for (let dueAt = this.#queue.nextDueAt; dueAt <= end; dueAt = this.#queue.nextDueAt) {
      const event = this.#queue.popUntil(end);
      if (!event) return;
      const after = this.#enabled.findLastIndex(
        (each) => each.dueAt < dueAt || (each.dueAt === dueAt && each.event.id < event.id),
      );
      this.#enabled.splice(after + 1, 0, { dueAt, event });
    }
  }

  /** Those that may overtake all that come before them. */
  #free(end: number): readonly Enabled[] {
    const enabled = this.#enabled;
    const [first] = enabled;
    // Most often nothing else is near.
    if (first && enabled.length === 1 && first.dueAt <= end && !first.event.isCancelled) return enabled;
    const last = this.#endOfOrder(end);
    this.#strands.clear();
    this.#timers.clear();
    const free: Enabled[] = [];
    for (const each of enabled) {
      if (each.dueAt > last) break;
      if (!each.event.isCancelled && this.#isFirst(each)) free.push(each);
    }
    return free;
  }

  /** What is due after something that the world does, does not come before it. */
  #endOfOrder(end: number): number {
    for (const { dueAt, event } of this.#enabled) {
      if (dueAt > end) break;
      if (!event.isCancelled && strandOf(event) === WORLD) return dueAt;
    }
    return end;
  }

  /** Of its strand, or of the instants at which timers of its owner ring. */
  #isFirst({ dueAt, event }: Enabled): boolean {
    const strand = strandOf(event);
    if (strand) {
      if (this.#strands.has(strand)) return false;
      this.#strands.add(strand);
      return true;
    }
    const { owner } = event;
    if (!owner) return true;
    const rings = this.#timers.get(owner);
    if (rings === undefined) this.#timers.set(owner, dueAt);
    return rings === undefined || rings === dueAt;
  }
}

const WORLD = {};

const strandOf = ({ action, owner }: QueuedEvent): object | undefined =>
  action.strand ?? (owner ? undefined : WORLD);
