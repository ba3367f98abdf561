/**
 * Tells about objects by Events of `events.k8s.io`, as the scheduler does. The same event again within minutes (whatever
 * its note) becomes a series: the second is written, more are only counted, and told of every half hour and at the end.
 * Best effort: an event that cannot be written is lost, and nobody waits for it.
 */
import type { ApiObject } from '../api/object.ts';
import { formatMicroTimeOf } from '../api/time-format.ts';
import type { ObjectReference } from '../api/types/core-v1.ts';
import type { Event } from '../api/types/events-k8s-io-v1.ts';
import type { Process } from '../engine/process.ts';
import { minutes } from '../engine/time.ts';
import type { ApiClient } from './api-client.ts';
import { isCallFailure, isNotFound } from './api-failure.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';
import { EventNames } from './event-names.ts';

const { eventsV1 } = BUILTIN_HANDLES;

/** An event that was not seen again for so long is over. */
const OVER_AFTER = minutes(6);
const TOLD_EVERY = minutes(30);

export interface SeriesEventFacts {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: ApiObject;
}

interface Series {
  event: Event;
  count: number;
  lastSeen: number;
  lastTold: number;
}

export class EventSeriesRecorder {
  readonly #client: ApiClient;
  readonly #instance: string;
  readonly #names: EventNames;
  readonly #known = new Map<string, Series>();
  #isSweeping = false;

  /** `instance`: the controller and the host that it runs on. */
  constructor(client: ApiClient, instance: string) {
    this.#client = client;
    this.#names = new EventNames(client.context);
    this.#instance = instance;
  }

  /** `controller`: in whose name, such as `default-scheduler`. */
  record(controller: string, regarding: ApiObject, facts: SeriesEventFacts): void {
    const { context } = this.#client;
    const key = [
      controller,
      facts.type,
      facts.action,
      facts.reason,
      keyOf(regarding),
      keyOf(facts.related),
    ].join('\u0000');
    const known = this.#known.get(key);
    const now = context.now();
    if (!known) {
      const event = this.#eventOf(controller, regarding, facts);
      const series = { event, count: 1, lastSeen: now, lastTold: now };
      this.#known.set(key, series);
      context.spawn('event', this.#create(series));
      this.#sweep();
      return;
    }
    known.count++;
    known.lastSeen = now;
    if (known.count > 2) return;
    known.lastTold = now;
    context.spawn('event', this.#tell(known));
  }

  #eventOf(controller: string, regarding: ApiObject, facts: SeriesEventFacts): Event {
    const { context } = this.#client;
    const { name = '', namespace = 'default' } = regarding.metadata;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: this.#names.next(name), namespace },
      eventTime: formatMicroTimeOf(context.wallMicros()),
      reportingController: controller,
      reportingInstance: `${controller}-${this.#instance}`,
      action: facts.action,
      reason: facts.reason,
      regarding: referenceTo(regarding),
      ...(facts.related && { related: referenceTo(facts.related) }),
      note: facts.note,
      type: facts.type,
    };
  }

  *#create(series: Series): Process<void> {
    try {
      series.event = yield* this.#client.create(eventsV1, series.event);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }

  *#tell(series: Series): Process<void> {
    const { event, count } = series;
    const { name = '', namespace = '' } = event.metadata;
    const lastObservedTime = formatMicroTimeOf(this.#client.context.wallMicros());
    const body = { series: { count, lastObservedTime } };
    try {
      yield* this.#client.patch(eventsV1, { name, namespace }, { type: 'strategic', body });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      if (isNotFound(error)) yield* this.#create({ ...series, event: { ...event, ...body } });
    }
  }

  /** As long as there is something to forget. */
  #sweep(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#client.context.spawn('event series', this.#forgetOld());
  }

  *#forgetOld(): Process<void> {
    const { context } = this.#client;
    while (this.#known.size > 0) {
      yield* context.sleep(OVER_AFTER);
      const now = context.now();
      for (const [key, series] of this.#known) {
        const isOver = now - series.lastSeen >= OVER_AFTER;
        if (isOver) this.#known.delete(key);
        if (series.count > 2 && (isOver || now - series.lastTold >= TOLD_EVERY)) {
          series.lastTold = now;
          context.spawn('event', this.#tell(series));
        }
      }
    }
    this.#isSweeping = false;
  }
}

const keyOf = (object: ApiObject | undefined): string => {
  if (!object) return '';
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return `${namespace}/${name}/${uid}`;
};

function referenceTo({ apiVersion, kind, metadata }: ApiObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    kind,
    apiVersion,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
