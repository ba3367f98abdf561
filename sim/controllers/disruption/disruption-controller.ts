/**
 * The disruption controller: it keeps in the status of every PodDisruptionBudget how many pods may be evicted, and takes
 * back the announcement of a disruption that did not come. Specification: not shown: Kubernetes 1.31.
 */
import { formatTime } from '../../api/time-format.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/types/policy-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isConflict } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { messageOf } from '../workload/pod-control.ts';
import { isFinished, isTerminating, podCondition, timeMs } from '../workload/pods.ts';
import {
  budgetStatus,
  disruptedPods,
  expectationOf,
  failSafeStatus,
  needsScale,
  saysTheSame,
} from './budget-status.ts';
import { ScaleFinder } from './scale-finder.ts';
import { selectorText } from '../../api/selector/selector-text.ts';

const { podDisruptionBudgets, pods } = BUILTIN_HANDLES;
/** So long a pod may be announced to be disrupted and not go. */
const STALE_AFTER_MS = 120_000;

export const DISRUPTION = defineController({
  name: 'disruption-controller',
  formerNames: ['disruption'],
  serviceAccount: 'disruption-controller',
  start: (world) => new DisruptionController(world).run(),
});

class DisruptionController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #budgets: SharedInformer<PodDisruptionBudget>;
  readonly #pods: SharedInformer<Pod>;
  readonly #queue: WorkQueue;
  /** Keys of pods that are announced to be disrupted. */
  readonly #announced: WorkQueue;
  readonly #events: EventRecorder;
  readonly #scales: ScaleFinder;

  constructor(world: ControllerContext) {
    const { context, client, informerOf } = world;
    this.#context = context;
    this.#client = client;
    this.#budgets = informerOf(podDisruptionBudgets);
    this.#pods = informerOf(pods);
    this.#queue = new WorkQueue(context);
    this.#announced = new WorkQueue(context);
    this.#events = new EventRecorder(client, 'controllermanager');
    this.#scales = new ScaleFinder(world);
  }

  *run(): Process<void> {
    const note = (budget: PodDisruptionBudget): void => this.#queue.add(storeKeyOf(budget));
    this.#budgets.addHandler({ added: note, changed: note, removed: note });
    this.#pods.addHandler({
      added: (pod) => this.#podChanged(pod),
      changed: (pod) => this.#podChanged(pod),
      removed: (pod) => this.#noteBudgetOf(pod),
    });
    for (const informer of [this.#budgets, this.#pods]) yield* informer.waitUntilSynced();
    yield* this.#scales.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key) });
    startWorkers(this.#context, this.#announced, { reconcile: (key) => this.#takeBack(key) });
  }

  #podChanged(pod: Pod): void {
    this.#noteBudgetOf(pod);
    const left = this.#staleIn(pod);
    if (left !== undefined) this.#announced.addAfter(storeKeyOf(pod), milliseconds(Math.max(0, left)));
  }

  /** The first that matches: several are somebody's mistake. */
  #noteBudgetOf(pod: Pod): void {
    const budgets = this.#budgets.store
      .byIndex('namespace', pod.metadata.namespace ?? '')
      .filter(({ spec }) => labelSelectorOf(spec?.selector).matches(pod.metadata.labels));
    const [first] = budgets;
    if (!first) return;
    this.#queue.add(storeKeyOf(first));
    if (budgets.length === 1) return;
    const { namespace = '', name = '' } = pod.metadata;
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name ?? ''}" arbitrarily.`;
    const about = { ...pod, apiVersion: 'v1', kind: pods.kind };
    this.#events.record(about, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message });
  }

  *#reconcile(key: string): Process<undefined> {
    const cached = this.#budgets.store.get(key);
    if (!cached) return undefined;
    const budget: PodDisruptionBudget = {
      ...cached,
      apiVersion: 'policy/v1',
      kind: podDisruptionBudgets.kind,
    };
    try {
      yield* this.#renew(budget);
    } catch (error) {
      if (!isCallFailure(error) || isConflict(error)) throw error;
      yield* this.#write(budget, failSafeStatus(budget, messageOf(error), this.#now));
    }
    return undefined;
  }

  *#renew(budget: PodDisruptionBudget): Process<void> {
    const selector = labelSelectorOf(budget.spec?.selector);
    const selected = this.#pods.store
      .byIndex('namespace', budget.metadata.namespace ?? '')
      .filter(({ metadata }) => selector.matches(metadata.labels));
    if (selected.length === 0) this.#tell(budget, 'Normal', 'NoPods', 'No matching pods found');
    const scale = needsScale(budget) ? yield* this.#scaleOf(budget, selected) : 0;
    const nowMs = this.#context.wallMs();
    const disrupted = disruptedPods(budget, selected, nowMs);
    const { namespace = '' } = budget.metadata;
    for (const pod of disrupted.overdue) {
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      this.#events.record(
        { ...pod, apiVersion: 'v1', kind: pods.kind },
        { type: 'Warning', reason: 'NotDeleted', message },
      );
    }
    const expectation = expectationOf(budget, selected.length, scale);
    const status = budgetStatus(budget, { ...expectation, pods: selected, disrupted, now: this.#now });
    if (!saysTheSame(budget.status, status)) yield* this.#write(budget, status);
    if (disrupted.recheckInMs !== undefined)
      this.#queue.addAfter(storeKeyOf(budget), milliseconds(disrupted.recheckInMs + 1));
  }

  *#scaleOf(budget: PodDisruptionBudget, selected: readonly Pod[]): Process<number> {
    try {
      const { total, unmanaged } = yield* this.#scales.of(selected);
      if (unmanaged.length > 0) {
        const selector = selectorText(budget.spec?.selector ?? {});
        const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
        this.#tell(budget, 'Warning', 'UnmanagedPods', message);
      }
      return total;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      if (isCallFailure(error)) this.#tell(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  #tell(budget: PodDisruptionBudget, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(budget, { type, reason, message });
  }

  *#write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Process<void> {
    yield* this.#client.update(podDisruptionBudgets, { ...budget, status }, { subresource: 'status' });
  }

  /** In ms; undefined: nothing was announced, or it goes. */
  #staleIn(pod: Pod): number | undefined {
    const announced = podCondition(pod, 'DisruptionTarget');
    if (announced?.status !== 'True' || isTerminating(pod) || isFinished(pod)) return undefined;
    return (timeMs(announced.lastTransitionTime) ?? 0) + STALE_AFTER_MS - this.#context.wallMs();
  }

  *#takeBack(key: string): Process<undefined | { requeueAfter: ReturnType<typeof milliseconds> }> {
    const pod = this.#pods.store.get(key);
    const left = pod && this.#staleIn(pod);
    if (!pod || left === undefined) return undefined;
    if (left > 0) return { requeueAfter: milliseconds(left) };
    const condition = { type: 'DisruptionTarget', status: 'False', lastTransitionTime: this.#now };
    const others = (pod.status?.conditions ?? []).map((one) =>
      one.type === condition.type ? condition : one,
    );
    const status = { ...pod.status, conditions: others };
    yield* this.#client.update(pods, { ...pod, status }, { subresource: 'status' });
    return undefined;
  }

  get #now(): string {
    return formatTime(this.#context.wallMs());
  }
}
