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
import type { Candidate, SchedulePolicy } from './schedule-policy.ts';

/** What keeps an order of its own: a connection, the clock of an actor, or the world. Remembers the last look at it. */
interface Lane {
  readonly of: object;
  /** Whether what is due at one instant may come in any order, as the timers of one clock. */
  readonly isClock: boolean;
  look: number;
  /** Of the first that was met in that look. */
  dueAt: number;
}

class Enabled implements Candidate {
  readonly dueAt: number;
  readonly event: QueuedEvent;
  readonly lane: Lane;

  constructor(dueAt: number, event: QueuedEvent, lane: Lane) {
    this.dueAt = dueAt;
    this.event = event;
    this.lane = lane;
  }

  get id(): number {
    return this.event.id;
  }

  get owner(): Owner | undefined {
    return this.event.owner;
  }
}

export class EnabledEvents {
  readonly #queue: EventQueue;
  readonly #policy: SchedulePolicy;
  readonly #window: number;
  /** Taken from the queue, in its order; later ones may be cancelled. */
  readonly #enabled: Enabled[] = [];
  /** Looks at them so far. */
  #looks = 0;
  #takenAt = 0;

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

  /** Instant at which the event that was taken last was due. */
  get takenAt(): number {
    return this.#takenAt;
  }

  /** Removes the event that is next, due by `limit`; there must be one. */
  take(limit: number): QueuedEvent {
    const end = Math.min(this.nextDueAt + this.#window, limit);
    return this.#takeAlone(end) ?? this.#takeChosen(end);
  }

  /** Most events are the only ones of their window: nobody has to choose. */
  #takeAlone(end: number): QueuedEvent | undefined {
    if (this.#enabled.length > 0) return undefined;
    const event = this.#queue.popUntil(end);
    if (!event) return undefined;
    const { takenAt } = this.#queue;
    if (this.#queue.nextDueAt <= end) {
      this.#enabled.push(new Enabled(takenAt, event, this.#laneOf(event)));
      return undefined;
    }
    this.#takenAt = takenAt;
    return event;
  }

  #takeChosen(end: number): QueuedEvent {
    this.#fill(end);
    const free = this.#free(end);
    const index = free.length > 1 ? this.#policy.nextEvent(free) : 0;
    const taken = free[index];
    invariant(taken !== undefined, 'a schedule takes one of the enabled events', { index, of: free.length });
    this.#enabled.splice(this.#enabled.indexOf(taken), 1);
    this.#takenAt = taken.dueAt;
    return taken.event;
  }

  /** Fetches what is due by `end`. */
  #fill(end: number): void {
    for (let dueAt = this.#queue.nextDueAt; dueAt <= end; dueAt = this.#queue.nextDueAt) {
      const event = this.#queue.popUntil(end);
      if (!event) return;
      const after = this.#enabled.findLastIndex(
        (each) => each.dueAt < dueAt || (each.dueAt === dueAt && each.event.id < event.id),
      );
      this.#enabled.splice(after + 1, 0, new Enabled(dueAt, event, this.#laneOf(event)));
    }
  }

  #laneOf({ action: { strand }, owner }: QueuedEvent): Lane {
    const of = strand ?? owner ?? WORLD;
    const known = this.#enabled.find(({ lane }) => lane.of === of);
    return known?.lane ?? { of, isClock: of === owner, look: 0, dueAt: 0 };
  }

  /** Those that may overtake all that come before them. */
  #free(end: number): readonly Enabled[] {
    const look = ++this.#looks;
    const free: Enabled[] = [];
    let last = end;
    for (const each of this.#enabled) {
      if (each.dueAt > last) break;
      if (each.event.isCancelled) continue;
      // What is due after something that the world does, does not come before it.
      if (each.lane.of === WORLD) last = each.dueAt;
      if (isFirst(each, look)) free.push(each);
    }
    return free;
  }
}

const WORLD = {};

/** Of its lane, or of those that its clock rings at the same instant. */
function isFirst({ dueAt, lane }: Enabled, look: number): boolean {
  if (lane.look === look) return lane.isClock && lane.dueAt === dueAt;
  lane.look = look;
  lane.dueAt = dueAt;
  return true;
}
