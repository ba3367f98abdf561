/**
 * Tells about objects by Events. Events are best effort: one that cannot be written is lost, and nobody waits for it.
 * The same event again counts up the one that is there. Specification: "Event".
 */
import type { ApiObject } from '../api/object.ts';
import { formatTime } from '../api/time-format.ts';
import type { Event, ObjectReference } from '../api/types/core-v1.ts';
import type { Process } from '../engine/process.ts';
import type { ApiClient } from './api-client.ts';
import { isCallFailure } from './api-failure.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';

const { events } = BUILTIN_HANDLES;

export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export class EventRecorder {
  readonly #client: ApiClient;
  readonly #component: string;
  readonly #host: string;
  /** By what makes two events the same: the written one. */
  readonly #written = new Map<string, Event>();

  /** `host`: of a component that runs once on each node, the name of its node. */
  constructor(client: ApiClient, component: string, host = '') {
    this.#client = client;
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
    this.#client.context.spawn('event', this.#write(reference, facts));
  }

  *#write(reference: ObjectReference, facts: EventFacts): Process<void> {
    const { kind = '', namespace = '', name = '', uid = '', fieldPath = '' } = reference;
    const key = [kind, namespace, name, uid, fieldPath, facts.type, facts.reason, facts.message].join(
      '\u0000',
    );
    try {
      this.#written.set(key, yield* this.#createOrCount(reference, facts, this.#written.get(key)));
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#written.delete(key);
    }
  }

  #createOrCount(reference: ObjectReference, facts: EventFacts, known: Event | undefined): Process<Event> {
    const { context } = this.#client;
    const now = formatTime(context.wallMs());
    if (known) {
      const { namespace = '', name = '' } = known.metadata;
      const body = { count: (known.count ?? 1) + 1, lastTimestamp: now };
      return this.#client.patch(events, { namespace, name }, { type: 'merge', body });
    }
    const namespace = reference.namespace ?? 'default';
    return this.#client.create(events, {
      metadata: { name: `${reference.name ?? ''}.${context.site('event names').hex(16)}`, namespace },
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
