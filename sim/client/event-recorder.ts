/**
 * Tells about objects by Events. Events are best effort: one that cannot be written is lost, and nobody waits for it.
 * The same event again counts up the one that is there. Specification: "Event".
 */
import type { ApiObject } from '../api/object.ts';
import { formatTime } from '../api/time-format.ts';
import type { Event, ObjectReference } from '../api/types/core-v1.ts';
import type { Process } from '../engine/process.ts';
import type { ApiClient } from './api-client.ts';
import { isCallFailure, isNotFound } from './api-failure.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';
import { EventCorrelation, MOST_REMEMBERED } from './event-correlation.ts';
import type { EventFacts } from './event-facts.ts';
import { EventNames } from './event-names.ts';
import { RecentlyUsed } from './recently-used.ts';

const { events } = BUILTIN_HANDLES;

interface ToldEvent {
  readonly reference: ObjectReference;
  readonly facts: EventFacts;
  /** Of its own Event, if it gets one. */
  readonly name: string;
}

interface WrittenEvent {
  readonly event: Event;
  count: number;
}

export class EventRecorder {
  readonly #client: ApiClient;
  readonly #component: string;
  readonly #host: string;
  readonly #names: EventNames;
  readonly #correlation = new EventCorrelation();
  /** By what makes two events the same: the written one, and how often it has happened. */
  readonly #written = new RecentlyUsed<WrittenEvent>(MOST_REMEMBERED);
  /** Those alike are written one after the other. */
  readonly #waiting = new Map<string, ToldEvent[]>();

  /** `host`: of a component that runs once on each node, the name of its node. */
  constructor(client: ApiClient, component: string, host = '') {
    this.#client = client;
    this.#names = new EventNames(client.context);
    this.#component = component;
    this.#host = host;
  }

  /** `fieldPath`: which part of the object it is about, such as `spec.containers{web}`. */
  record(object: ApiObject, facts: EventFacts, fieldPath?: string): void {
    const { name = '', namespace, uid, resourceVersion } = object.metadata;
    const reference: ObjectReference = {
      kind: object.kind,
      apiVersion: object.apiVersion,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(fieldPath !== undefined && { fieldPath }),
    };
    this.recordFor(reference, facts);
  }

  recordFor(reference: ObjectReference, facts: EventFacts): void {
    const { context } = this.#client;
    const told = this.#correlation.take(reference, facts, context.now() / 1_000);
    const known = this.#written.get(told.key);
    if (told.isTooMuch) {
      if (known) known.count += 1;
      return;
    }
    const event = { reference, facts: told.facts, name: this.#names.next(reference.name ?? '') };
    const waiting = this.#waiting.get(told.key);
    if (waiting) waiting.push(event);
    else {
      this.#waiting.set(told.key, [event]);
      context.spawn('event', this.#writeAll(told.key));
    }
  }

  *#writeAll(key: string): Process<void> {
    const waiting = this.#waiting.get(key) ?? [];
    for (let next = waiting.shift(); next; next = waiting.shift()) yield* this.#write(key, next);
    this.#waiting.delete(key);
  }

  *#write(key: string, told: ToldEvent): Process<void> {
    const known = this.#written.get(key);
    try {
      const event = (known && (yield* this.#countUp(known, told))) ?? (yield* this.#create(told));
      this.#written.set(key, { event, count: event.count ?? 1 });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#written.delete(key);
    }
  }

  /** Undefined: it has gone meanwhile. */
  *#countUp({ event, count }: WrittenEvent, { facts }: ToldEvent): Process<Event | undefined> {
    const { namespace = '', name = '' } = event.metadata;
    const lastTimestamp = formatTime(this.#client.context.wallMs());
    const message = facts.message === event.message ? {} : { message: facts.message };
    const body = { count: count + 1, lastTimestamp, ...message };
    try {
      return yield* this.#client.patch(events, { namespace, name }, { type: 'merge', body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  #create({ reference, facts, name }: ToldEvent): Process<Event> {
    const { context } = this.#client;
    const now = formatTime(context.wallMs());
    const namespace = reference.namespace ?? 'default';
    return this.#client.create(events, {
      metadata: { name, namespace },
      involvedObject: reference,
      reason: facts.reason,
      message: facts.message,
      source: { component: this.#component, ...(this.#host && { host: this.#host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: facts.type,
      reportingComponent: this.#component,
      reportingInstance: this.#host,
    });
  }
}
