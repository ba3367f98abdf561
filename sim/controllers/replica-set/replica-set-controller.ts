/**
 * The controllers of ReplicaSets and ReplicationControllers: each keeps as many pods as its object says, adopts orphans
 * that match and releases what does not, and tells in the status how many there are. It acts on its informers' view and
 * does nothing about an object before it has seen what it did last. Specification: not shown: Kubernetes 1.31.
 */
import type { ApiObject } from '../../api/object.ts';
import { formatTime } from '../../api/time-format.ts';
import type { ReplicaSetStatus } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { type CallFailure, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant, ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { apiVersionOf } from '../../client/resource-handle.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { seconds, type Micros } from '../../engine/time.ts';
import {
  type Controller,
  type ControllerContext,
  defineController,
  type SharedInformer,
} from '../manager/controller.ts';
import { attemptAll, slowStart } from '../workload/attempts.ts';
import { type Expected, expectedBy, type WorkloadOptions } from '../workload/expected.ts';
import {
  isNamespaceEnding,
  messageOf,
  PodControl,
  type PodDraft,
  podFromTemplate,
} from '../workload/pod-control.ts';
import { PodNews } from '../workload/pod-news.ts';
import { isActive, isAvailable, isReady } from '../workload/pods.ts';
import { type FoundPods, KnownPods } from './known-pods.ts';
import { planReplicas } from './replica-plan.ts';
import { replicaStatus, saysTheSame } from './replica-status.ts';
import { keyOfMeta, REPLICA_SETS, type Replicated, REPLICATION_CONTROLLERS } from './replicated.ts';

const { pods } = BUILTIN_HANDLES;
const WORKERS = 5;

export const replicaSetController = (options: WorkloadOptions = {}): Controller =>
  defineController({
    name: 'replicaset-controller',
    formerNames: ['replicaset'],
    serviceAccount: 'replicaset-controller',
    start: (world) => new ReplicaController(world, REPLICA_SETS, options).run(),
  });

export const REPLICA_SET = replicaSetController();

export const REPLICATION_CONTROLLER = defineController({
  name: 'replicationcontroller-controller',
  formerNames: ['replicationcontroller'],
  serviceAccount: 'replication-controller',
  start: (world) => new ReplicaController(world, REPLICATION_CONTROLLERS, {}).run(),
});

type ReplicaFailure =
  { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly error: CallFailure } | undefined;

class ReplicaController<T extends ApiObject> {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #kind: Replicated<T>;
  readonly #sets: SharedInformer<T>;
  readonly #pods: SharedInformer<Pod>;
  readonly #queue: WorkQueue;
  readonly #expected: Expected;
  readonly #podControl: PodControl;
  /** By the keys of their sets. */
  readonly #known = new Map<string, KnownPods<T>>();

  constructor(
    { context, client, informerOf }: ControllerContext,
    kind: Replicated<T>,
    options: WorkloadOptions,
  ) {
    this.#context = context;
    this.#client = client;
    this.#kind = kind;
    this.#sets = informerOf(kind.handle);
    this.#pods = informerOf(pods);
    this.#queue = new WorkQueue(context);
    this.#expected = expectedBy(context, options);
    this.#podControl = new PodControl({ client, events: new EventRecorder(client, kind.component) });
  }

  *run(): Process<void> {
    this.#listen();
    for (const informer of [this.#sets, this.#pods]) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key), workers: WORKERS });
  }

  #listen(): void {
    this.#sets.addHandler({
      added: (set) => this.#queue.add(storeKeyOf(set)),
      changed: (set, old) => {
        if (set.metadata.uid !== old.metadata.uid) this.#expected.forget(storeKeyOf(old));
        this.#queue.add(storeKeyOf(set));
      },
      removed: (set) => {
        this.#expected.forget(storeKeyOf(set));
        this.#queue.add(storeKeyOf(set));
      },
    });
    this.#pods.addHandler(
      new PodNews({
        kind: this.#kind.handle.kind,
        store: this.#sets.store,
        selectorOf: (set) => this.#kind.selectorOf(set),
        created: (key) => this.#expected.creationObserved(key),
        deleted: (key, pod) => this.#expected.deletionObserved(key, storeKeyOf(pod)),
        changed: (key, pod, old) => this.#podChanged(key, pod, old),
      }),
    );
  }

  #podChanged(key: string, pod: Pod, old: Pod | undefined): void {
    this.#queue.add(key);
    const set = this.#sets.store.get(key);
    const wait = set ? this.#kind.minReadySecondsOf(set) : 0;
    // A pod becomes available without any event: one second more for clocks that tick in seconds.
    if (wait > 0 && old && !isReady(old) && isReady(pod)) this.#queue.addAfter(key, seconds(wait + 1));
  }

  *#reconcile(key: string): Process<undefined | { requeueAfter: Micros }> {
    const cached = this.#sets.store.get(key);
    if (!cached) {
      this.#known.delete(key);
      this.#expected.forget(key);
      return undefined;
    }
    const { handle } = this.#kind;
    const set: T = { ...cached, apiVersion: apiVersionOf(handle), kind: handle.kind };
    const isSettled = this.#expected.areSatisfied(key);
    const own = yield* this.#claim(set);
    const failure =
      isSettled && set.metadata.deletionTimestamp === undefined
        ? yield* this.#replicate(key, set, own.active)
        : undefined;
    // Made anew meanwhile: nobody will count for it what was done for the former.
    if (this.#sets.store.get(key)?.metadata.uid !== set.metadata.uid) this.#expected.forget(key);
    const status = yield* this.#writeStatus(set, own, failure);
    if (failure) throw failure.error;
    const wait = this.#kind.minReadySecondsOf(set);
    const wanted = this.#kind.replicasOf(set);
    const isWaiting = status.readyReplicas === wanted && status.availableReplicas !== wanted;
    return wait > 0 && isWaiting ? { requeueAfter: seconds(wait) } : undefined;
  }

  /** Its own pods afterwards. */
  *#claim(set: T): Process<FoundPods> {
    const { namespace = '', uid = '' } = set.metadata;
    const known = this.#knownOf(storeKeyOf(set));
    const found = known.look(set, this.#pods.store.eachByIndex('controller', uid));
    const { selector } = known;
    const candidates = [...found.active];
    for (const pod of this.#pods.store.eachByIndex('controller', '')) {
      const { metadata } = pod;
      if (metadata.namespace === namespace && selector.matches(metadata.labels) && isActive(pod))
        candidates.push(pod);
    }
    if (found.areOwn && candidates.length === found.active.length) return found;
    const claimant = new Claimant({
      client: this.#client,
      controllerHandle: this.#kind.handle,
      controller: set,
      handle: pods,
      isSelected: ({ metadata }) => selector.matches(metadata.labels),
    });
    return new KnownPods(this.#kind).look(set, yield* claimant.claim(candidates));
  }

  #knownOf(key: string): KnownPods<T> {
    let known = this.#known.get(key);
    if (!known) this.#known.set(key, (known = new KnownPods(this.#kind)));
    return known;
  }

  *#replicate(key: string, set: T, own: readonly Pod[]): Process<ReplicaFailure> {
    const plan = planReplicas({
      wanted: this.#kind.replicasOf(set),
      pods: own,
      related: () => this.#related(set),
      nowMs: this.#context.wallMs(),
    });
    if (plan.kind === 'create') return yield* this.#create(key, set, plan.count);
    if (plan.kind === 'delete') return yield* this.#delete(key, set, plan.pods);
    return undefined;
  }

  *#create(key: string, set: T, count: number): Process<ReplicaFailure> {
    const { namespace = '', name: prefix = '' } = set.metadata;
    const owner = ownerReferenceOf({ controllerHandle: this.#kind.handle, controller: set });
    const pod = podFromTemplate(this.#kind.templateOf(set), { namespace, prefix, owner });
    this.#expected.expectCreations(key, count);
    const { skipped, failure } = yield* slowStart(this.#context, count, () => this.#createOne(key, set, pod));
    for (let index = 0; index < skipped; index++) this.#expected.creationObserved(key);
    return failure && { reason: 'FailedCreate', error: failure };
  }

  *#createOne(key: string, set: T, pod: PodDraft): Process<void> {
    try {
      yield* this.#podControl.create(set, pod);
    } catch (error) {
      // Whoever waits for it tries no more: nothing can be made there any more.
      if (isNamespaceEnding(error)) return;
      // It will never be seen, unless the answer was lost.
      this.#expected.creationObserved(key);
      throw error;
    }
  }

  *#delete(key: string, set: T, unwanted: readonly Pod[]): Process<ReplicaFailure> {
    this.#expected.expectDeletions(key, unwanted.map(storeKeyOf));
    const failures = yield* attemptAll(
      this.#context,
      unwanted.map((pod) => this.#deleteOne(key, set, pod)),
    );
    const [error] = failures;
    return error && { reason: 'FailedDelete', error };
  }

  *#deleteOne(key: string, set: T, pod: Pod): Process<void> {
    try {
      yield* this.#podControl.delete(set, pod);
    } catch (error) {
      this.#expected.deletionObserved(key, storeKeyOf(pod));
      if (!isNotFound(error)) throw error;
    }
  }

  /** Active pods of all sets that have the same controller, which is a Deployment's business. */
  #related(set: T): readonly Pod[] {
    const controller = controllerOf(set);
    const sets = controller ? this.#sets.store.byIndex('controller', controller.uid) : [set];
    return sets
      .flatMap(({ metadata }) => this.#pods.store.byIndex('controller', metadata.uid ?? ''))
      .filter(isActive);
  }

  /** A second try is made on what the server has now. */
  *#writeStatus(set: T, own: FoundPods, failure: ReplicaFailure): Process<ReplicaSetStatus> {
    const status = this.#statusOf(set, own, failure);
    if (saysTheSame(this.#kind.statusOf(set), status)) return status;
    try {
      yield* this.#putStatus(set, status);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const fresh = yield* this.#client.get(this.#kind.handle, keyOfMeta(set.metadata));
      yield* this.#putStatus(fresh, status);
    }
    return status;
  }

  #putStatus(set: T, status: ReplicaSetStatus): Process<ApiObject> {
    return this.#client.update<ApiObject>(this.#kind.handle, { ...set, status }, { subresource: 'status' });
  }

  #statusOf(set: T, own: FoundPods, failure: ReplicaFailure): ReplicaSetStatus {
    const nowMs = this.#context.wallMs();
    const wait = this.#kind.minReadySecondsOf(set);
    const { active, fullyLabeled, ready } = own;
    return replicaStatus({
      old: this.#kind.statusOf(set),
      generation: set.metadata.generation ?? 0,
      replicas: active.length,
      fullyLabeled,
      ready,
      available: wait === 0 ? ready : active.filter((pod) => isAvailable(pod, wait, nowMs)).length,
      now: formatTime(nowMs),
      failure: failure && { reason: failure.reason, message: messageOf(failure.error) },
    });
  }
}
