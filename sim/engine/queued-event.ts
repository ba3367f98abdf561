/** Something that is to happen: when and to whom the queue and the loop know, what happens is its action. */

import type { Label } from './digest.ts';

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
