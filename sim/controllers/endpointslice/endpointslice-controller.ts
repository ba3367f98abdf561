/**
 * The EndpointSlice controller: slices of each service that selects pods list those pods with what is known of them. It
 * writes nothing about a service before it has seen its own last writes.
 */
import { ApiError } from '../../api/status.ts';
import type { Node, Pod, Service } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { ItemBackoff, LongestOf, TokenBucket } from '../../client/rate-limit/rate-limiter.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import {
  familiesOf,
  HEADLESS,
  isHeadless,
  LAST_TRIGGER,
  matters,
  podsOf,
  selectsPods,
  servicesOf,
} from '../service-endpoints/pods-of-service.ts';
import { SliceTracker } from '../service-endpoints/slice-tracker.ts';
import { outOfDate } from '../service-endpoints/out-of-date.ts';
import { TriggerTimes } from '../service-endpoints/trigger-times.ts';
import { writeSlices } from '../service-endpoints/write-slices.ts';
import { endpointsOf } from './service-endpoints.ts';
import { planSlices } from './slice-plan.ts';

const { services, pods, nodes, endpointSlices } = BUILTIN_HANDLES;
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGER = 'endpointslice-controller.k8s.io';
const WORKERS = 5;
const MOST_ENDPOINTS = 100;
/** Changes of slices that somebody else makes are looked at so much later. */
const SLICE_CHANGE_PAUSE = seconds(1);

export const ENDPOINT_SLICES = defineController({
  name: 'endpointslice-controller',
  formerNames: ['endpointslice'],
  serviceAccount: 'endpointslice-controller',
  start: (world) => new EndpointSliceController(world).run(),
});

class EndpointSliceController {
  readonly #client: ApiClient;
  readonly #services: SharedInformer<Service>;
  readonly #pods: SharedInformer<Pod>;
  readonly #nodes: SharedInformer<Node>;
  readonly #slices: SharedInformer<EndpointSlice>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #tracker = new SliceTracker();
  readonly #triggers = new TriggerTimes();

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#client = client;
    this.#services = informerOf(services);
    this.#pods = informerOf(pods);
    this.#nodes = informerOf(nodes);
    this.#slices = informerOf(endpointSlices);
    const now = () => context.now();
    this.#queue = new WorkQueue(context, {
      limiter: new LongestOf([new ItemBackoff({ first: seconds(1) }), new TokenBucket({ now })]),
    });
    this.#events = new EventRecorder(client, 'endpoint-slice-controller');
  }

  *run(): Process<void> {
    const ofService = (service: Service): void => this.#queue.add(storeKeyOf(service));
    const ofPod = (pod: Pod): void => {
      for (const key of servicesOf(pod, this.#services.store)) this.#queue.add(key);
    };
    const everything = (): void => this.#services.store.list().forEach(ofService);
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
    this.#slices.addHandler({
      added: (slice) => this.#noteSlice(slice),
      changed: (slice, old) => {
        if (slice !== old) this.#noteSlice(slice);
      },
      removed: (slice) => {
        if (!isOwn(slice)) return;
        this.#tracker.sawRemoval(keyOf(slice), slice);
        this.#queue.addAfter(keyOf(slice), SLICE_CHANGE_PAUSE);
      },
    });
    this.#nodes.addHandler({
      removed: everything,
      changed: (node, old) => (zoneOf(node) === zoneOf(old) ? undefined : everything()),
    });
    for (const informer of [this.#services, this.#pods, this.#nodes, this.#slices])
      yield* informer.waitUntilSynced();
    startWorkers(this.#client.context, this.#queue, {
      reconcile: (key) => this.#reconcile(key),
      workers: WORKERS,
    });
  }

  #noteSlice(slice: EndpointSlice): void {
    if (isOwn(slice)) this.#queue.addAfter(keyOf(slice), SLICE_CHANGE_PAUSE);
  }

  *#reconcile(key: string): Process<undefined> {
    const service = this.#services.store.get(key);
    if (!service) {
      // Its slices go with their owner.
      this.#triggers.forget(key);
      this.#tracker.forget(key);
      return undefined;
    }
    if (!selectsPods(service)) return undefined;
    const present = this.#slicesOf(service);
    if (this.#tracker.isStale(key, present)) throw outOfDate('EndpointSlice');
    const all = podsOf(service, this.#pods.store);
    const trigger = this.#triggers.next(key, service, all);
    const nodeCalled = (name: string): Node | undefined => this.#nodes.store.get(name);
    const types = familiesOf(service);
    const found = types.map((type) => endpointsOf({ service, pods: all, nodeCalled }, type));
    const labels = labelsOf(service);
    const plan = planSlices(
      found.flatMap(({ groups }) => groups),
      present,
      {
        most: MOST_ENDPOINTS,
        isOwned: (slice) => isOwnedBy(slice, service),
        placeholders: types,
        needsWrite: ({ metadata }) => !isSameLabels(metadata.labels, labels),
      },
    );
    const annotations = trigger === undefined ? {} : { [LAST_TRIGGER]: trigger };
    const { metadata } = service;
    const problems = found.flatMap(({ problems: some }) => some);
    try {
      yield* writeSlices(
        this.#client,
        { key, apiVersion: 'v1', kind: 'Service', metadata, labels, annotations },
        { plan, tracker: this.#tracker },
      );
    } catch (error) {
      if (isCallFailure(error)) this.#complain(service, [...problems, error.message]);
      throw error;
    }
    if (problems.length > 0) this.#complain(service, problems);
    return undefined;
  }

  /** What is listed already stays listed; the rest is tried again. */
  #complain(service: Service, problems: readonly string[]): never {
    const { namespace = '', name = '' } = service.metadata;
    const text = problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${text}`;
    this.#events.record(
      { ...service, apiVersion: 'v1', kind: 'Service' },
      { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message },
    );
    throw new ApiError({ reason: '', message: text, code: 0 });
  }

  #slicesOf({ metadata: { namespace = '', name } }: Service): readonly EndpointSlice[] {
    return this.#slices.store
      .byIndex('namespace', namespace)
      .filter((slice) => isOwn(slice) && slice.metadata.labels?.[SERVICE_NAME] === name);
  }
}

const isOwn = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[MANAGED_BY] === MANAGER;
/** Those of a former service of the same name are not. */
const isOwnedBy = ({ metadata }: EndpointSlice, service: Service): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid) === true;
const keyOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace ?? ''}/${metadata.labels?.[SERVICE_NAME] ?? ''}`;
const zoneOf = ({ metadata }: Node): string => metadata.labels?.['topology.kubernetes.io/zone'] ?? '';

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, [SERVICE_NAME]: __, [MANAGED_BY]: ___, ...own } = service.metadata.labels ?? {};
  return {
    ...own,
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata.name ?? '',
    [MANAGED_BY]: MANAGER,
  };
}

function isSameLabels(
  one: Readonly<Record<string, string>> = {},
  other: Readonly<Record<string, string>>,
): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
