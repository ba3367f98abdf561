/**
 * The one queue of future events, in the total order (dueAt, id): first come, first served. Events that are due
 * soon stand in a wheel, the others in a heap. Cancelled events stay until they surface.
 */

import type { Label } from './digest.ts';
import { FarEvents } from './far-events.ts';
import { NEAR_SPAN, NearEvents } from './near-events.ts';

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
  /** Events whose actions share a strand never overtake one another, whatever the schedule. */
  readonly strand?: object | undefined;
  fire(event: QueuedEvent): void;
  /** What the event is about, beside the actor to which it happens. */
  touches?(event: QueuedEvent): string | undefined;
}

type Place = 'near' | 'far' | 'nowhere';

export class QueuedEvent {
  /** Number in the order of scheduling, from 1; names the event in the trace. */
  readonly id: number;
  /** The event that scheduled it; 0: the world outside. */
  readonly cause: number;
  readonly kind: Label;
  readonly subject: Label;
  readonly owner: Owner | undefined;
  readonly action: Action;
  /** What the action is about, where many events share one action. */
  readonly payload: unknown;
  isCancelled = false;
  /** In which part of the queue it is now; nowhere once it has happened or was deferred. For the queue. */
  place: Place = 'nowhere';
  /** The one behind it in its slot. For the queue. */
  next: QueuedEvent | undefined = undefined;

  constructor(
    id: number,
    cause: number,
    kind: Label,
    subject: Label,
    owner: Owner | undefined,
    action: Action,
    payload?: unknown,
  ) {
    this.id = id;
    this.cause = cause;
    this.kind = kind;
    this.subject = subject;
    this.owner = owner;
    this.action = action;
    this.payload = payload;
  }
}

export class EventQueue {
  readonly #near = new NearEvents();
  readonly #far = new FarEvents();
  #size = 0;
  /** Instant of the latest event taken. Everything near lies less than the wheel's span ahead of it. */
  #cursor = 0;
  /** Cancelled events in the wheel. */
  #cancelledNear = 0;

  /** Events that are still to happen. */
  get size(): number {
    return this.#size;
  }

  /** Instant of the next event; Infinity when there is none. */
  get nextDueAt(): number {
    if (this.#cancelledNear > 0) this.#surface();
    return Math.min(this.#near.dueAt, this.#far.dueAt);
  }

  push(dueAt: number, event: QueuedEvent): void {
    const ahead = dueAt - this.#cursor;
    if (ahead >= 0 && ahead < NEAR_SPAN) {
      event.place = 'near';
      this.#near.push(dueAt, event);
    } else {
      event.place = 'far';
      this.#far.push(dueAt, event);
    }
    this.#size++;
  }

  /** Removes and returns the first event; undefined when there is none. */
  pop(): QueuedEvent | undefined {
    const dueAt = this.nextDueAt;
    if (dueAt === Infinity) return undefined;
    if (dueAt > this.#cursor) this.#cursor = dueAt;
    // Of one instant, what is far was scheduled before what is near: the cursor only moves forward.
    const event = this.#far.dueAt === dueAt ? this.#far.pop() : this.#near.pop();
    event.place = 'nowhere';
    this.#size--;
    return event;
  }

  /** It will not happen, whether it still waits here or was deferred. Without effect once it has happened. */
  cancel(event: QueuedEvent): void {
    if (event.isCancelled) return;
    event.isCancelled = true;
    if (event.place === 'nowhere') return;
    this.#size--;
    if (event.place === 'far') this.#far.cancelled();
    else this.#cancelledNear++;
  }

  /** Drops cancelled events from the front of the wheel. */
  #surface(): void {
    const near = this.#near;
    while (this.#cancelledNear > 0 && near.dueAt !== Infinity && near.peek().isCancelled) {
      near.pop();
      this.#cancelledNear--;
    }
  }
}
