/**
 * The service controller: a service of type LoadBalancer gets an address from a cloud (`cloud.ts`) and a finalizer that
 * keeps it until the cloud has given the load balancer up. What fails is tried again after 5 s, then ever later up to
 * 5 minutes. A new manager ensures everything once more. Specification: not shown (Kubernetes: service controller).
 */
import type { ApiObject } from '../../api/object.ts';
import type { Service } from '../../api/types/core-v1.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { ItemBackoff } from '../../client/rate-limit/rate-limiter.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { messageOf } from '../workload/pod-control.ts';
import { addressesOf, addressFor, cloudBehaviourOf } from './cloud.ts';
import { CLEANUP_FINALIZER, formOf, hasCleanup, planFor } from './load-balancer-plan.ts';

const { services } = BUILTIN_HANDLES;

export const LOAD_BALANCER = defineController({
  name: 'service-lb-controller',
  formerNames: ['service'],
  serviceAccount: 'service-controller',
  start: (world) => new LoadBalancerController(world).run(),
});

const isLeaving = ({ metadata }: Service): boolean => metadata.deletionTimestamp !== undefined;

/** The cloud did not do it; the message says why. */
class CloudFailure extends Error {
  override readonly name = 'CloudFailure';
}

class LoadBalancerController {
  readonly #world: ControllerContext;
  readonly #informer: SharedInformer<Service>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #ensured = new Map<string, string>();
  /** What each has got from the cloud: the informer may be late. */
  readonly #given = new Map<string, string>();
  /** How often the cloud has failed for a service. */
  readonly #failures = new Map<string, number>();

  constructor(world: ControllerContext) {
    this.#world = world;
    this.#informer = world.informerOf(services);
    this.#queue = new WorkQueue(world.context, {
      limiter: new ItemBackoff({ first: seconds(5), longest: minutes(5) }),
    });
    this.#events = new EventRecorder(world.client, 'service-controller');
  }

  *run(): Process<void> {
    const note = (service: Service): void => {
      const key = storeKeyOf(service);
      if (planFor(service, this.#ensured.get(key)) !== 'nothing') this.#queue.add(key);
    };
    this.#informer.addHandler({
      added: note,
      // What it writes itself brings nothing up before its time.
      changed: (service, old) => {
        if (formOf(service) !== formOf(old) || isLeaving(service)) note(service);
      },
      removed: (service) => {
        this.#ensured.delete(storeKeyOf(service));
        this.#given.delete(storeKeyOf(service));
        this.#failures.delete(storeKeyOf(service));
      },
    });
    yield* this.#informer.waitUntilSynced();
    startWorkers(this.#world.context, this.#queue, { reconcile: (key) => this.#reconcile(key) });
  }

  *#reconcile(key: string): Process<{ readonly requeue: true } | undefined> {
    const service = this.#informer.store.get(key);
    if (!service) return undefined;
    const plan = planFor(service, this.#ensured.get(key));
    if (plan === 'nothing') {
      // It may have been given up by a write that nobody answered.
      if (!hasCleanup(service)) this.#given.delete(key);
      return undefined;
    }
    try {
      if (plan === 'ensure') yield* this.#ensure(key, service);
      else yield* this.#giveUp(key, service);
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!(error instanceof CloudFailure) && !isCallFailure(error)) throw error;
      const why = error instanceof CloudFailure ? error.message : messageOf(error);
      this.#tell(service, 'Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${why}`);
      return { requeue: true };
    }
  }

  *#ensure(key: string, service: Service): Process<void> {
    this.#tell(service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
    if (!hasCleanup(service)) yield* this.#patch(service, { metadata: { finalizers: [CLEANUP_FINALIZER] } });
    yield* this.#askCloud(key, service, 'failed to ensure load balancer');
    const others = [...this.#given].flatMap(([each, given]) => (each === key ? [] : given));
    const address = addressFor(service, this.#informer.store.list(), others);
    if (address === undefined) throw new CloudFailure('failed to ensure load balancer: no address is left');
    this.#given.set(key, address);
    yield* this.#setAddresses(service, [address]);
    this.#ensured.set(key, formOf(service));
    this.#tell(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
  }

  *#giveUp(key: string, service: Service): Process<void> {
    this.#tell(service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
    yield* this.#askCloud(key, service, 'failed to delete load balancer');
    yield* this.#setAddresses(service, []);
    yield* this.#patch(service, { metadata: { '$deleteFromPrimitiveList/finalizers': [CLEANUP_FINALIZER] } });
    this.#given.delete(key);
    this.#ensured.delete(key);
    this.#tell(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
  }

  *#askCloud(key: string, service: Service, what: string): Process<void> {
    const { takesSeconds, fails, message } = cloudBehaviourOf(service);
    if (takesSeconds > 0) yield* this.#world.context.sleep(milliseconds(takesSeconds * 1_000));
    const failed = this.#failures.get(key) ?? 0;
    if (failed >= fails) return;
    this.#failures.set(key, failed + 1);
    throw new CloudFailure(`${what}: ${message}`);
  }

  *#setAddresses(service: Service, addresses: readonly string[]): Process<void> {
    if (addressesOf(service).join() === addresses.join()) return;
    const ingress = addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
    yield* this.#patch(service, {
      status: { loadBalancer: ingress.length > 0 ? { ingress } : { ingress: null } },
    });
  }

  /** What others have written meanwhile stays, finalizers of theirs among it. */
  *#patch(service: Service, body: object): Process<void> {
    // Its role lets it write the subresource alone, and finalizers go with that.
    yield* this.#world.client.patch(
      services,
      { namespace: service.metadata.namespace ?? '', name: service.metadata.name ?? '' },
      { type: 'strategic', body },
      { subresource: 'status' },
    );
  }

  #tell(service: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(service, { type, reason, message });
  }
}
