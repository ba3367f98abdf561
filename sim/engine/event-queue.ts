/**
 * The one queue of future events, in the total order (dueAt, id): first come, first served. Events that are due
 * soon stand in a wheel, the others in a heap. Cancelled events stay until they surface.
 */

import { FarEvents } from './far-events.ts';
import { NEAR_SPAN, NearEvents } from './near-events.ts';
import type { QueuedEvent } from './queued-event.ts';

export class EventQueue {
  readonly #near = new NearEvents();
  readonly #far = new FarEvents();
  #size = 0;
  /** The latest instant of an event that was taken. Everything near lies less than the wheel's span ahead of it. */
  #cursor: number;
  #takenAt: number;
  /** Cancelled events in the wheel. */
  #cancelledNear = 0;

  /** `start`: the instant at which everything begins. */
  constructor(start = 0) {
    this.#cursor = start;
    this.#takenAt = start;
  }

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

  /** Instant of the event that was taken last. */
  get takenAt(): number {
    return this.#takenAt;
  }

  /** Removes and returns the first event, if it is due by then. */
  popUntil(limit: number): QueuedEvent | undefined {
    if (this.#cancelledNear > 0) this.#surface();
    const near = this.#near.dueAt;
    const far = this.#far.dueAt;
    // Of one instant, what is far was scheduled before what is near: the cursor only moves forward.
    const isFar = far <= near;
    const dueAt = isFar ? far : near;
    if (dueAt > limit || dueAt === Infinity) return undefined;
    this.#takenAt = dueAt;
    if (dueAt > this.#cursor) this.#cursor = dueAt;
    const event = isFar ? this.#far.pop() : this.#near.pop();
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
