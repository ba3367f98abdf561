/**
 * The DaemonSet controller: one pod on every node that suits, replaced as the update strategy says when the template
 * changes. The pods are bound by the scheduler. What is to be done is planned in `daemon-plan.ts`.
 * Specification: not shown: Kubernetes 1.31.
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { ControllerRevision, DaemonSet } from '../../api/types/apps-v1.ts';
import type { Node, Pod, PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant, ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds } from '../../engine/time.ts';
import {
  type Controller,
  type ControllerContext,
  defineController,
  type SharedInformer,
} from '../manager/controller.ts';
import { attemptAll, slowStart } from '../workload/attempts.ts';
import { type Expected, expectedBy, type WorkloadOptions } from '../workload/expected.ts';
import { PodBackoff } from '../workload/pod-backoff.ts';
import { isNamespaceEnding, PodControl, podFromTemplate } from '../workload/pod-control.ts';
import { PodNews } from '../workload/pod-news.ts';
import { isReady } from '../workload/pods.ts';
import { DaemonHistory, hashOf, type History } from './daemon-history.ts';
import {
  daemonStatus,
  type DaemonPlan,
  type DaemonView,
  endedText,
  groupByNode,
  planRollout,
  planUpkeep,
} from './daemon-plan.ts';
import { boundTo, daemonTemplate, suitabilityOf, targetOf } from './daemon-pod.ts';

const { controllerRevisions, daemonSets, nodes, pods } = BUILTIN_HANDLES;
const WORKERS = 2;
const BURST = 250;

export const daemonSetController = (options: WorkloadOptions = {}): Controller =>
  defineController({
    name: 'daemonset-controller',
    formerNames: ['daemonset'],
    serviceAccount: 'daemon-set-controller',
    start: (world) => new DaemonSetController(world, options).run(),
  });

export const DAEMON_SET = daemonSetController();

class DaemonSetController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #sets: SharedInformer<DaemonSet>;
  readonly #pods: SharedInformer<Pod>;
  readonly #nodes: SharedInformer<Node>;
  readonly #revisions: SharedInformer<ControllerRevision>;
  readonly #queue: WorkQueue;
  readonly #expected: Expected;
  readonly #events: EventRecorder;
  readonly #podControl: PodControl;
  readonly #history: DaemonHistory;
  readonly #endedPods = new PodBackoff({ first: seconds(1), longest: minutes(15) });

  constructor({ context, client, informerOf }: ControllerContext, options: WorkloadOptions) {
    this.#context = context;
    this.#client = client;
    this.#sets = informerOf(daemonSets);
    this.#pods = informerOf(pods);
    this.#nodes = informerOf(nodes);
    this.#revisions = informerOf(controllerRevisions);
    this.#queue = new WorkQueue(context);
    this.#expected = expectedBy(context, options);
    this.#events = new EventRecorder(client, 'daemonset-controller');
    this.#podControl = new PodControl({ client, events: this.#events });
    this.#history = new DaemonHistory(client, this.#revisions);
  }

  *run(): Process<void> {
    this.#listen();
    for (const informer of [this.#sets, this.#pods, this.#nodes, this.#revisions])
      yield* informer.waitUntilSynced();
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
    this.#revisions.addHandler({
      added: (revision) => this.#revisionChanged(revision),
      changed: (revision) => this.#revisionChanged(revision),
      removed: (revision) => this.#revisionChanged(revision),
    });
    this.#nodes.addHandler({
      added: (node) => this.#nodeChanged(node, undefined),
      changed: (node, old) => this.#nodeChanged(node, old),
    });
    this.#pods.addHandler(
      new PodNews({
        kind: daemonSets.kind,
        store: this.#sets.store,
        selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
        created: (key) => this.#expected.creationObserved(key),
        deleted: (key, pod) => this.#expected.deletionObserved(key, storeKeyOf(pod)),
        changed: (key, pod, old) => this.#podChanged(key, pod, old),
      }),
    );
  }

  #revisionChanged(revision: ControllerRevision): void {
    const owner = controllerOf(revision);
    if (owner?.kind === daemonSets.kind)
      this.#queue.add(`${revision.metadata.namespace ?? ''}/${owner.name}`);
  }

  #nodeChanged(node: Node, old: Node | undefined): void {
    for (const set of this.#sets.store.list()) {
      const now = suitabilityOf(set, node);
      const before = old && suitabilityOf(set, old);
      const isNews = before
        ? before.shouldRun !== now.shouldRun || before.mayStay !== now.mayStay
        : now.shouldRun;
      if (isNews) this.#queue.add(storeKeyOf(set));
    }
  }

  #podChanged(key: string, pod: Pod, old: Pod | undefined): void {
    this.#queue.add(key);
    const wait = this.#sets.store.get(key)?.spec?.minReadySeconds ?? 0;
    if (wait > 0 && old && !isReady(old) && isReady(pod)) this.#queue.addAfter(key, seconds(wait + 1));
  }

  *#reconcile(key: string): Process<undefined> {
    const cached = this.#sets.store.get(key);
    if (!cached) {
      this.#expected.forget(key);
      return undefined;
    }
    // While its history goes with it nothing can be said of it.
    if (cached.metadata.deletionTimestamp !== undefined) return undefined;
    const set: DaemonSet = { ...cached, apiVersion: 'apps/v1', kind: daemonSets.kind };
    const history = yield* this.#history.of(set);
    if (this.#expected.areSatisfied(key)) yield* this.#process(key, set, history);
    else yield* this.#tell(yield* this.#view(set, history), false);
    // Made anew meanwhile: nobody will count for it what was done for the former.
    if (this.#sets.store.get(key)?.metadata.uid !== set.metadata.uid) this.#expected.forget(key);
    return undefined;
  }

  *#process(key: string, set: DaemonSet, history: History): Process<void> {
    let failure: unknown;
    try {
      yield* this.#bringAbout(key, set, history);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      failure = error;
    }
    yield* this.#tell(yield* this.#view(set, history), true);
    if (failure !== undefined) throw failure;
  }

  *#bringAbout(key: string, set: DaemonSet, history: History): Process<void> {
    const upkeep = yield* this.#view(set, history);
    const plan = planUpkeep(upkeep);
    const ended = plan.ended.filter((pod) => this.#mayRemove(set, pod));
    yield* this.#perform(key, upkeep, { ...plan, remove: [...ended, ...plan.remove] });
    if (this.#expected.areSatisfied(key) && set.spec?.updateStrategy?.type === 'RollingUpdate') {
      const rollout = yield* this.#view(set, history);
      yield* this.#perform(key, rollout, planRollout(rollout));
    }
    yield* this.#history.cleanUp(set, history, yield* this.#claim(set));
  }

  /** An agent may refuse a pod again and again: that is not to become a race. */
  #mayRemove(set: DaemonSet, pod: Pod): boolean {
    const node = targetOf(pod) ?? '';
    if (pod.status?.phase === 'Failed') {
      const backoffKey = `${set.metadata.uid ?? ''}/${node}`;
      const left = this.#endedPods.leftOf(backoffKey, this.#context.now());
      if (left > 0) {
        this.#queue.addAfter(storeKeyOf(set), left);
        return false;
      }
      this.#endedPods.next(backoffKey, this.#context.now());
    }
    const { reason, message } = endedText(pod, node);
    this.#events.record(set, { type: reason === 'FailedDaemonPod' ? 'Warning' : 'Normal', reason, message });
    return true;
  }

  *#view(daemonSet: DaemonSet, { current }: History): Process<DaemonView> {
    return {
      daemonSet,
      hash: hashOf(current),
      nodes: this.#nodes.store.list(),
      podsByNode: groupByNode(yield* this.#claim(daemonSet)),
      nowMs: this.#context.wallMs(),
    };
  }

  #claim(set: DaemonSet): Process<readonly Pod[]> {
    const { namespace = '', uid = '' } = set.metadata;
    const selector = labelSelectorOf(set.spec?.selector);
    const orphans = this.#pods.store
      .byIndex('controller', '')
      .filter(({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels));
    return new Claimant({
      client: this.#client,
      controllerHandle: daemonSets,
      controller: set,
      handle: pods,
      isSelected: ({ metadata }) => selector.matches(metadata.labels),
    }).claim([...this.#pods.store.byIndex('controller', uid), ...orphans]);
  }

  *#perform(key: string, { daemonSet, hash }: DaemonView, plan: DaemonPlan): Process<void> {
    const create = plan.create.slice(0, BURST);
    const remove = plan.remove.slice(0, BURST);
    this.#expected.expectChanges(key, { creations: create.length, deletions: remove.map(storeKeyOf) });
    const template = daemonTemplate(daemonSet, hash);
    const waiting = [...create];
    const { skipped, failure } = yield* slowStart(this.#context, create.length, () =>
      this.#createOne(key, daemonSet, boundTo(template, waiting.shift() ?? '')),
    );
    for (let index = 0; index < skipped; index++) this.#expected.creationObserved(key);
    const failures = yield* attemptAll(
      this.#context,
      remove.map((pod) => this.#deleteOne(key, daemonSet, pod)),
    );
    const [first = failure] = failures;
    if (first) throw first;
  }

  *#createOne(key: string, set: DaemonSet, template: PodTemplateSpec): Process<void> {
    const { namespace = '', name: prefix = '' } = set.metadata;
    const owner = ownerReferenceOf({ controllerHandle: daemonSets, controller: set });
    try {
      yield* this.#podControl.create(set, podFromTemplate(template, { namespace, prefix, owner }));
    } catch (error) {
      // Whoever waits for it tries no more: nothing can be made there any more.
      if (isNamespaceEnding(error)) return;
      this.#expected.creationObserved(key);
      throw error;
    }
  }

  *#deleteOne(key: string, set: DaemonSet, pod: Pod): Process<void> {
    try {
      yield* this.#podControl.delete(set, pod);
    } catch (error) {
      this.#expected.deletionObserved(key, storeKeyOf(pod));
      if (!isNotFound(error)) throw error;
    }
  }

  /** `hasProcessed`: everything about this generation has been done. A second try is made on what the server has now. */
  *#tell(view: DaemonView, hasProcessed: boolean): Process<void> {
    const set = view.daemonSet;
    const status = daemonStatus(view);
    if (status.numberReady !== (status.numberAvailable ?? 0) && (set.spec?.minReadySeconds ?? 0) > 0)
      this.#queue.addAfter(storeKeyOf(set), seconds(set.spec?.minReadySeconds ?? 0));
    const generation = set.metadata.generation ?? 0;
    const isTold = Object.entries(status).every(
      ([name, count]) => (Reflect.get(set.status ?? {}, name) ?? 0) === count,
    );
    if (isTold && (set.status?.observedGeneration ?? 0) >= generation) return;
    const written = { ...status, ...(hasProcessed && { observedGeneration: generation }) };
    const put = (base: DaemonSet): Process<DaemonSet> =>
      this.#client.update(
        daemonSets,
        { ...base, status: { ...base.status, ...written } },
        { subresource: 'status' },
      );
    try {
      yield* put(set);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const { namespace = '', name = '' } = set.metadata;
      yield* put(yield* this.#client.get(daemonSets, { namespace, name }));
    }
  }
}
