/**
 * The EndpointSlice mirroring controller: Endpoints that somebody keeps by hand for a service without a selector are said
 * again by slices, so that whoever reads only those sees them too.
 */
import type { Endpoints, Service } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { planSlices, type WantedGroup } from '../endpointslice/slice-plan.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { outOfDate } from '../service-endpoints/out-of-date.ts';
import { LAST_TRIGGER } from '../service-endpoints/pods-of-service.ts';
import { SliceTracker } from '../service-endpoints/slice-tracker.ts';
import { writeSlices } from '../service-endpoints/write-slices.ts';
import { groupsOf, leftOutOf, MOST_ADDRESSES } from './mirrored.ts';

const { services, endpoints, endpointSlices } = BUILTIN_HANDLES;
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const SERVICE_NAME = 'kubernetes.io/service-name';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const WORKERS = 5;
/** Changes of Endpoints are gathered for so long. */
const BATCH = milliseconds(500);

export const ENDPOINT_SLICE_MIRRORING = defineController({
  name: 'endpointslice-mirroring-controller',
  formerNames: ['endpointslicemirroring'],
  serviceAccount: 'endpointslicemirroring-controller',
  start: (world) => new MirroringController(world).run(),
});

class MirroringController {
  readonly #client: ApiClient;
  readonly #services: SharedInformer<Service>;
  readonly #endpoints: SharedInformer<Endpoints>;
  readonly #slices: SharedInformer<EndpointSlice>;
  readonly #queue: WorkQueue;
  readonly #tracker = new SliceTracker();
  readonly #events: EventRecorder;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#client = client;
    this.#services = informerOf(services);
    this.#endpoints = informerOf(endpoints);
    this.#slices = informerOf(endpointSlices);
    this.#queue = new WorkQueue(context);
    this.#events = new EventRecorder(client, 'endpoint-slice-mirroring-controller');
  }

  *run(): Process<void> {
    const note = (object: Endpoints): void => {
      if (isMirrored(object)) this.#queue.addAfter(storeKeyOf(object), BATCH);
    };
    const noteService = (service: Service): void => this.#queue.addAfter(storeKeyOf(service), BATCH);
    this.#endpoints.addHandler({
      added: note,
      changed: (object, old) => {
        if (isMirrored(object) || isMirrored(old)) this.#queue.addAfter(storeKeyOf(object), BATCH);
      },
      removed: note,
    });
    this.#services.addHandler({
      added: noteService,
      changed: (service, old) => {
        if (isByHand(service) !== isByHand(old)) noteService(service);
      },
      removed: noteService,
    });
    const noteSlice = (slice: EndpointSlice): void => {
      if (isOwn(slice)) this.#queue.addAfter(keyOf(slice), BATCH);
    };
    this.#slices.addHandler({
      added: noteSlice,
      changed: noteSlice,
      removed: (slice) => {
        this.#tracker.sawRemoval(keyOf(slice), slice);
        noteSlice(slice);
      },
    });
    for (const informer of [this.#services, this.#endpoints, this.#slices]) yield* informer.waitUntilSynced();
    startWorkers(this.#client.context, this.#queue, {
      reconcile: (key) => this.#reconcile(key),
      workers: WORKERS,
    });
  }

  *#reconcile(key: string): Process<undefined> {
    const object = this.#endpoints.store.get(key);
    const service = this.#services.store.get(key);
    const present = this.#slices.store
      .byIndex('namespace', key.slice(0, key.indexOf('/')))
      .filter((slice) => isOwn(slice) && keyOf(slice) === key);
    if (this.#tracker.isStale(key, present)) throw outOfDate('EndpointSlice');
    const isWanted = object && service && isMirrored(object) && isByHand(service);
    if (!isWanted) {
      yield* this.#write(key, { object: object ?? NOBODY, groups: [], present });
      if (!object) this.#tracker.forget(key);
      return undefined;
    }
    this.#tellOfLeftOut(object);
    yield* this.#write(key, { object, groups: groupsOf(object), present });
    return undefined;
  }

  #tellOfLeftOut(object: Endpoints): void {
    const count = leftOutOf(object);
    if (count === 0) return;
    const message = `A max of ${MOST_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${count} addresses were skipped`;
    const told = { type: 'Warning', reason: 'TooManyAddressesToMirror', message } as const;
    this.#events.record({ ...object, kind: 'Endpoints', apiVersion: 'v1' }, told);
  }

  #write(key: string, { object, groups, present }: Mirroring): Process<void> {
    const { [LAST_TRIGGER]: trigger, [LAST_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {};
    const labels = {
      ...object.metadata.labels,
      [SERVICE_NAME]: object.metadata.name ?? '',
      [MANAGED_BY]: MANAGER,
    };
    const needsWrite = ({ metadata }: EndpointSlice): boolean =>
      text(metadata.labels) !== text(labels) || text(metadata.annotations) !== text(annotations);
    const plan = planSlices(groups, present, {
      most: MOST_ADDRESSES,
      isOwned: () => true,
      placeholders: [],
      needsWrite,
    });
    const { metadata } = object;
    return writeSlices(
      this.#client,
      {
        key,
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata,
        labels,
        annotations: trigger === undefined ? annotations : { ...annotations, [LAST_TRIGGER]: trigger },
      },
      { plan, tracker: this.#tracker },
    );
  }
}

interface Mirroring {
  readonly object: Endpoints;
  readonly groups: readonly WantedGroup[];
  readonly present: readonly EndpointSlice[];
}

const NOBODY: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: {} };

const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[SKIP_MIRROR] !== 'true' && metadata.annotations?.[LEADER] === undefined;
const isByHand = ({ spec }: Service): boolean => !spec?.selector;
const isOwn = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[MANAGED_BY] === MANAGER;
const keyOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace ?? ''}/${metadata.labels?.[SERVICE_NAME] ?? ''}`;

const text = (entries: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify(
    Object.entries(entries)
      .filter(([name]) => name !== LAST_TRIGGER)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
