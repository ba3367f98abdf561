/**
 * The endpoints controller: the Endpoints of each service that selects pods name those pods, the ready ones apart from the
 * others. What the API server would not take is told by an Event and tried again.
 */
import type { Endpoints, Pod, Service } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { NewObject } from '../../client/options.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import {
  HEADLESS,
  isHeadless,
  LAST_TRIGGER,
  matters,
  podsOf,
  selectsPods,
  servicesOf,
} from '../service-endpoints/pods-of-service.ts';
import { isNamespaceEnding } from '../workload/pod-control.ts';
import { outOfDate } from '../service-endpoints/out-of-date.ts';
import { TriggerTimes } from '../service-endpoints/trigger-times.ts';
import { subsetsOf, truncated } from './subsets.ts';

const { services, pods, endpoints } = BUILTIN_HANDLES;
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const WORKERS = 5;

export const ENDPOINTS = defineController({
  name: 'endpoints-controller',
  formerNames: ['endpoint'],
  serviceAccount: 'endpoint-controller',
  start: (world) => new EndpointsController(world).run(),
});

class EndpointsController {
  readonly #client: ApiClient;
  readonly #services: SharedInformer<Service>;
  readonly #pods: SharedInformer<Pod>;
  readonly #endpoints: SharedInformer<Endpoints>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #triggers = new TriggerTimes();
  /** Versions of Endpoints that were written over: while the informer still shows one, nothing can be said of it. */
  readonly #outdated = new Map<string, string>();

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#client = client;
    this.#services = informerOf(services);
    this.#pods = informerOf(pods);
    this.#endpoints = informerOf(endpoints);
    this.#queue = new WorkQueue(context);
    this.#events = new EventRecorder(client, 'endpoint-controller');
  }

  *run(): Process<void> {
    const ofService = (service: Service): void => this.#queue.add(storeKeyOf(service));
    const ofPod = (pod: Pod): void => {
      for (const key of servicesOf(pod, this.#services.store)) this.#queue.add(key);
    };
    this.#services.addHandler({ added: ofService, changed: ofService, removed: ofService });
    this.#pods.addHandler({
      added: ofPod,
      changed: (pod, old) => {
        if (!matters(pod, old)) return;
        ofPod(pod);
        if (pod.metadata.labels !== old.metadata.labels) ofPod(old);
      },
      removed: ofPod,
    });
    this.#endpoints.addHandler({ removed: (object) => this.#queue.add(storeKeyOf(object)) });
    for (const informer of [this.#services, this.#pods, this.#endpoints]) yield* informer.waitUntilSynced();
    // Endpoints whose service has gone while nobody looked are found by their names.
    for (const object of this.#endpoints.store.list())
      if (!isOfServer(object)) this.#queue.add(storeKeyOf(object));
    startWorkers(this.#client.context, this.#queue, {
      reconcile: (key) => this.#reconcile(key),
      workers: WORKERS,
    });
  }

  *#reconcile(key: string): Process<undefined> {
    const service = this.#services.store.get(key);
    if (!service) {
      this.#triggers.forget(key);
      this.#outdated.delete(key);
      yield* this.#remove(key);
      return undefined;
    }
    if (!selectsPods(service)) return undefined;
    const present = this.#endpoints.store.get(key);
    if (present && this.#outdated.get(key) === present.metadata.resourceVersion) throw outOfDate('Endpoints');
    const all = podsOf(service, this.#pods.store);
    const trigger = this.#triggers.next(key, service, all);
    const { subsets, isCut } = truncated(subsetsOf(service, all));
    const labels = labelsOf(service);
    const isDone =
      present !== undefined &&
      isSame(present.subsets ?? [], subsets) &&
      isSame(sorted(present.metadata.labels), sorted(labels)) &&
      (present.metadata.annotations?.[OVER_CAPACITY] === 'truncated') === isCut;
    if (isDone) return undefined;
    const { name = '', namespace = '' } = service.metadata;
    const { [LAST_TRIGGER]: _, [OVER_CAPACITY]: __, ...others } = present?.metadata.annotations ?? {};
    const annotations = {
      ...others,
      ...(trigger !== undefined && { [LAST_TRIGGER]: trigger }),
      ...(isCut && { [OVER_CAPACITY]: 'truncated' }),
    };
    const wanted = {
      ...present,
      metadata: { ...present?.metadata, name, namespace, labels, annotations },
      subsets,
    };
    yield* this.#write(wanted, present);
    return undefined;
  }

  *#write(wanted: NewObject<Endpoints>, present: Endpoints | undefined): Process<void> {
    try {
      if (present) {
        const { resourceVersion = '' } = present.metadata;
        const written = yield* this.#client.update(endpoints, wanted);
        // An update that changes nothing is no news that could be waited for (kubernetes#127370).
        if (written.metadata.resourceVersion !== resourceVersion)
          this.#outdated.set(storeKeyOf(present), resourceVersion);
      } else yield* this.#client.create(endpoints, wanted);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      if (!present && isNamespaceEnding(error)) return;
      const { name = '', namespace = '' } = wanted.metadata;
      const verb = present ? 'update' : 'create';
      this.#events.recordFor(
        { apiVersion: 'v1', kind: 'Endpoints', name, namespace },
        {
          type: 'Warning',
          reason: present ? 'FailedToUpdateEndpoint' : 'FailedToCreateEndpoint',
          message: `Failed to ${verb} endpoint ${namespace}/${name}: ${error.message}`,
        },
      );
      throw error;
    }
  }

  /** Whether it has seen them or not: they may be its own, and so new that it has not. */
  *#remove(key: string): Process<void> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      yield* this.#client.delete(endpoints, { name, namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Endpoints that somebody elects a leader by were never those of a service. */
const isOfServer = ({ metadata }: Endpoints): boolean =>
  metadata.annotations?.['control-plane.alpha.kubernetes.io/leader'] !== undefined;

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return isHeadless(service) ? { ...labels, [HEADLESS]: '' } : labels;
}

const sorted = (labels: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] =>
  Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
