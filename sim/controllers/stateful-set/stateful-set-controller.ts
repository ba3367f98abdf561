/**
 * The StatefulSet controller: pods with names that last, one for each ordinal and never two, made and deleted in order.
 * It needs no expectations: a name can be taken only once. What is to be done is planned in `stateful-plan.ts`.
 * Specification: not shown: Kubernetes 1.31.
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { type CallFailure, isCallFailure, isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant } from '../../client/controller-ref/claimant.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { type ReconcileResult, startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { slowStart } from '../workload/attempts.ts';
import { isNamespaceEnding } from '../workload/pod-control.ts';
import { PodNews } from '../workload/pod-news.ts';
import { isReady } from '../workload/pods.ts';
import { templateIn } from '../workload/revision-data.ts';
import { StatefulHistories, type StatefulHistory } from './stateful-history.ts';
import {
  planStatefulSet,
  statefulStatus,
  type StatefulPlan,
  type StatefulStep,
  type StatefulView,
} from './stateful-plan.ts';
import { StatefulPodControl } from './stateful-pod-control.ts';
import { ordinalOf, type PodVersion, replicasOf } from './stateful-pod.ts';

const { controllerRevisions, persistentVolumeClaims, pods, statefulSets } = BUILTIN_HANDLES;
const WORKERS = 5;
const MOST_STATUS_TRIES = 5;

export const STATEFUL_SET = defineController({
  name: 'statefulset-controller',
  formerNames: ['statefulset'],
  serviceAccount: 'statefulset-controller',
  start: (world) => new StatefulSetController(world).run(),
});

class StatefulSetController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #sets: SharedInformer<StatefulSet>;
  readonly #pods: SharedInformer<Pod>;
  readonly #claims: SharedInformer<PersistentVolumeClaim>;
  readonly #revisions: SharedInformer<ControllerRevision>;
  readonly #queue: WorkQueue;
  readonly #histories: StatefulHistories;
  readonly #podControl: StatefulPodControl;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#client = client;
    this.#sets = informerOf(statefulSets);
    this.#pods = informerOf(pods);
    this.#claims = informerOf(persistentVolumeClaims);
    this.#revisions = informerOf(controllerRevisions);
    this.#queue = new WorkQueue(context);
    this.#histories = new StatefulHistories(client, this.#revisions);
    const events = new EventRecorder(client, 'statefulset-controller');
    this.#podControl = new StatefulPodControl({ client, events, claims: this.#claims });
  }

  *run(): Process<void> {
    const note = (set: StatefulSet): void => this.#queue.add(storeKeyOf(set));
    this.#sets.addHandler({ added: note, changed: note, removed: note });
    this.#pods.addHandler(
      new PodNews({
        kind: statefulSets.kind,
        store: this.#sets.store,
        selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
        changed: (key, pod, old) => this.#podChanged(key, pod, old),
      }),
    );
    const informers = [this.#sets, this.#pods, this.#claims, this.#revisions];
    for (const informer of informers) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key), workers: WORKERS });
  }

  #podChanged(key: string, pod: Pod, old: Pod | undefined): void {
    this.#queue.add(key);
    const wait = this.#sets.store.get(key)?.spec?.minReadySeconds ?? 0;
    if (wait > 0 && old && !isReady(old) && isReady(pod)) this.#queue.addAfter(key, seconds(wait + 1));
  }

  *#reconcile(key: string): Process<ReconcileResult | undefined> {
    const cached = this.#sets.store.get(key);
    if (!cached) return undefined;
    const set: StatefulSet = { ...cached, apiVersion: 'apps/v1', kind: statefulSets.kind };
    yield* this.#histories.adoptOrphans(set);
    const owned = yield* this.#claim(set);
    const history = yield* this.#histories.of(set);
    const view = this.#view(set, owned, history);
    const plan = planStatefulSet(view);
    const { failure, removed } = yield* this.#perform(view, plan, history);
    const status = statefulStatus(view, removed, history.collisionCount);
    yield* this.#tell(set, status);
    if (failure) throw failure;
    yield* this.#histories.cleanUp(set, history, owned);
    const wait = set.spec?.minReadySeconds ?? 0;
    return wait > 0 && status.availableReplicas !== replicasOf(set)
      ? { requeueAfter: seconds(wait) }
      : undefined;
  }

  #view(set: StatefulSet, owned: readonly Pod[], { current, update }: StatefulHistory): StatefulView {
    return {
      set,
      pods: owned,
      currentRevision: current.metadata.name ?? '',
      updateRevision: update.metadata.name ?? '',
      areClaimsRight: (pod, ordinal) => this.#podControl.areClaimsRight(set, ordinal, pod),
      nowMs: this.#context.wallMs(),
    };
  }

  /** Only pods whose names are the set's are its own, or are adopted. */
  #claim(set: StatefulSet): Process<readonly Pod[]> {
    const { namespace = '', uid = '' } = set.metadata;
    const selector = labelSelectorOf(set.spec?.selector);
    const isMember = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined;
    const orphans = this.#pods.store
      .byIndex('controller', '')
      .filter(
        (pod) =>
          pod.metadata.namespace === namespace && selector.matches(pod.metadata.labels) && isMember(pod),
      );
    return new Claimant({
      client: this.#client,
      controllerHandle: statefulSets,
      controller: set,
      handle: pods,
      isSelected: (pod) => selector.matches(pod.metadata.labels) && isMember(pod),
    }).claim([...this.#pods.store.byIndex('controller', uid), ...orphans]);
  }

  *#perform(
    view: StatefulView,
    { upkeep, isInOrder, outdated }: StatefulPlan,
    history: StatefulHistory,
  ): Process<{ failure: CallFailure | undefined; removed: number }> {
    const act = (step: StatefulStep): Process<void> => this.#act(view, step, history);
    for (const steps of upkeep) {
      const failure = isInOrder ? yield* inOrder(steps, act) : yield* this.#atOnce(steps, act);
      if (failure) return { failure, removed: 0 };
    }
    let removed = 0;
    for (const step of outdated) {
      const failure = yield* inOrder([step], act);
      if (failure && !isNotFound(failure)) return { failure, removed };
      removed++;
    }
    return { failure: undefined, removed };
  }

  *#atOnce(
    steps: readonly StatefulStep[],
    act: (step: StatefulStep) => Process<void>,
  ): Process<CallFailure | undefined> {
    const waiting = [...steps];
    const { failure } = yield* slowStart(this.#context, steps.length, () => actOnNext(waiting, act));
    return failure;
  }

  *#act({ set }: StatefulView, step: StatefulStep, history: StatefulHistory): Process<void> {
    switch (step.kind) {
      case 'create':
        yield* this.#podControl.create(set, step.ordinal, versionIn(set, history[step.version]));
        return;
      case 'delete':
        yield* this.#podControl.delete(set, step.ordinal, step.pod);
        return;
      case 'claim':
        yield* this.#podControl.createClaims(set, step.ordinal);
        return;
      case 'repair':
        yield* this.#podControl.repair(set, step.ordinal, step.pod);
    }
  }

  /** Conflicts are tried again on what the informer has then. */
  *#tell(set: StatefulSet, status: StatefulSetStatus): Process<void> {
    if (!saysSomethingNew(set.status, status)) return;
    let base = set;
    for (let tries = 1; ; tries++) {
      try {
        yield* this.#client.update(
          statefulSets,
          { ...base, status: { ...base.status, ...status } },
          { subresource: 'status' },
        );
        return;
      } catch (error) {
        if (!isConflict(error) || tries === MOST_STATUS_TRIES) throw error;
        base = this.#sets.store.get(storeKeyOf(set)) ?? base;
      }
    }
  }
}

function* inOrder(
  steps: readonly StatefulStep[],
  act: (step: StatefulStep) => Process<void>,
): Process<CallFailure | undefined> {
  try {
    for (const step of steps) yield* act(step);
    return undefined;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return isNamespaceEnding(error) ? undefined : error;
  }
}

function* actOnNext(waiting: StatefulStep[], act: (step: StatefulStep) => Process<void>): Process<void> {
  const step = waiting.shift();
  if (step) yield* act(step);
}

const NO_TEMPLATE: PodTemplateSpec = {};

/** The revision that is to come is that of the set itself. */
const versionIn = (set: StatefulSet, revision: ControllerRevision): PodVersion => ({
  template: templateIn(revision) ?? set.spec?.template ?? NO_TEMPLATE,
  revision: revision.metadata.name ?? '',
});

function saysSomethingNew(old: StatefulSetStatus | undefined, status: StatefulSetStatus): boolean {
  if (!old || (status.observedGeneration ?? 0) > (old.observedGeneration ?? 0)) return true;
  const counts = [
    'replicas',
    'currentReplicas',
    'readyReplicas',
    'updatedReplicas',
    'availableReplicas',
  ] as const;
  return (
    counts.some((name) => (old[name] ?? 0) !== (status[name] ?? 0)) ||
    old.currentRevision !== status.currentRevision ||
    old.updateRevision !== status.updateRevision
  );
}
