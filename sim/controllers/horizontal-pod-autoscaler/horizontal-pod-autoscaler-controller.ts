/**
 * The autoscaler: every 15 s it asks what the pods of each target use, and changes the target's scale. A target that is
 * at 0 it leaves alone, one out of its bounds it brings back without asking for metrics. Nothing it does is tried again
 * before the next round. How many are wanted is found in `replica-count.ts`, how fast in `behaviour.ts`.
 */
import { formatTime } from '../../api/time-format.ts';
import { type LabelSelector } from '../../api/selector/label-selector.ts';
import { parseLabelSelector } from '../../api/selector/label-selector-parser.ts';
import type { HorizontalPodAutoscaler } from '../../api/types/autoscaling-v2.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { ApiError } from '../../api/status.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { apiVersionOf } from '../../client/resource-handle.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { messageOf } from '../workload/pod-control.ts';
import { isSameStatus, StatusDraft } from './autoscaler-status.ts';
import { beginHistory, decide, type Rules, type ScaleHistory, withChange } from './behaviour.ts';
import { ApiCustomMetricsReader } from './custom-metrics-reader.ts';
import { type MetricsReaders, proposalsOf } from './metric-proposal.ts';
import { ApiMetricsReader } from './metrics-reader.ts';
import { type FoundTarget, NoScale, ScaleTargets } from './scale-target.ts';

const { horizontalPodAutoscalers, pods } = BUILTIN_HANDLES;
const ROUND = seconds(15);
const WORKERS = 5;

export const HORIZONTAL_POD_AUTOSCALER = defineController({
  name: 'horizontal-pod-autoscaler-controller',
  formerNames: ['horizontalpodautoscaling'],
  serviceAccount: 'horizontal-pod-autoscaler',
  start: (world) =>
    new HorizontalPodAutoscalerController(world, {
      resources: new ApiMetricsReader(world.client),
      custom: new ApiCustomMetricsReader(world.client),
    }).run(),
});

/** One look at one autoscaler. */
interface Look {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly key: string;
  readonly draft: StatusDraft;
  readonly target: FoundTarget;
  readonly current: number;
  readonly min: number;
  readonly max: number;
}

/** What is to be done. */
interface Plan {
  readonly replicas: number;
  readonly reason: string;
  readonly metrics?: Parameters<StatusDraft['count']>[0]['metrics'];
}

class HorizontalPodAutoscalerController {
  readonly #world: ControllerContext;
  readonly #readers: MetricsReaders;
  readonly #queue: WorkQueue;
  readonly #autoscalers: SharedInformer<HorizontalPodAutoscaler>;
  readonly #pods: SharedInformer<Pod>;
  readonly #targets: ScaleTargets;
  readonly #events: EventRecorder;
  readonly #histories = new Map<string, ScaleHistory>();
  /** Which pods each takes for its own, by its key. */
  readonly #selectors = new Map<string, Pick<LabelSelector, 'matches'>>();

  constructor(world: ControllerContext, readers: MetricsReaders) {
    this.#world = world;
    this.#readers = readers;
    this.#queue = new WorkQueue(world.context);
    this.#autoscalers = world.informerOf(horizontalPodAutoscalers);
    this.#pods = world.informerOf(pods);
    this.#targets = new ScaleTargets(world.client);
    this.#events = new EventRecorder(world.client, 'horizontal-pod-autoscaler');
  }

  *run(): Process<void> {
    const note = (autoscaler: HorizontalPodAutoscaler): void => {
      const key = storeKeyOf(autoscaler);
      this.#queue.addAfter(key, ROUND);
      if (!this.#selectors.has(key)) this.#selectors.set(key, NOTHING);
    };
    this.#autoscalers.addHandler({
      added: note,
      changed: note,
      // What it recommended is forgotten in its next round: one that is made anew before goes on with that.
      removed: (autoscaler) => void this.#selectors.delete(storeKeyOf(autoscaler)),
    });
    yield* this.#autoscalers.waitUntilSynced();
    yield* this.#pods.waitUntilSynced();
    const reconcile = (key: string) => this.#reconcile(key);
    startWorkers(this.#world.context, this.#queue, { workers: WORKERS, reconcile });
  }

  *#reconcile(key: string): Process<{ readonly requeueAfter: typeof ROUND } | undefined> {
    const cached = this.#autoscalers.store.get(key);
    if (!cached) {
      this.#histories.delete(key);
      return undefined;
    }
    const apiVersion = apiVersionOf(horizontalPodAutoscalers);
    yield* this.#look({ ...cached, apiVersion, kind: horizontalPodAutoscalers.kind }, key);
    return { requeueAfter: ROUND };
  }

  *#look(autoscaler: HorizontalPodAutoscaler, key: string): Process<void> {
    const { metadata, spec } = autoscaler;
    let problem: string | undefined;
    if (!spec) return;
    const draft = new StatusDraft(autoscaler, formatTime(this.#nowMs));
    try {
      const target = yield* this.#targets.find(spec.scaleTargetRef, metadata.namespace ?? '');
      draft.set('AbleToScale', true, 'SucceededGetScale', CAN_GET_SCALE);
      const current = target.scale.spec?.replicas ?? 0;
      if (!this.#histories.has(key)) this.#histories.set(key, beginHistory(current, this.#nowMs));
      const { minReplicas: min = 1, maxReplicas: max } = spec;
      problem = yield* this.#scale({ autoscaler, key, draft, target, current, min, max });
    } catch (error) {
      if (!(error instanceof NoScale)) throw error;
      this.#warn(autoscaler, 'FailedGetScale', error.message);
      draft.set('AbleToScale', false, 'FailedGetScale', `${CANNOT_GET_SCALE}: ${error.message}`);
    }
    yield* this.#write(autoscaler, draft);
    if (problem !== undefined) this.#warn(autoscaler, 'FailedComputeMetricsReplicas', problem);
  }

  /** Why nothing could be told, if so. */
  *#scale(look: Look): Process<string | undefined> {
    const { current, draft } = look;
    const plan = yield* this.#plan(look);
    if (typeof plan === 'string') return plan;
    const { replicas, reason, metrics } = plan;
    const known = { current, ...(metrics && { metrics }) };
    if (replicas === current) draft.count({ ...known, desired: current });
    else if (yield* this.#rescale(look, replicas, reason))
      draft.count({ ...known, desired: replicas, isRescaled: true });
    else draft.count(known);
    return undefined;
  }

  /** A text: why nothing can be told. */
  *#plan(look: Look): Process<Plan | string> {
    const { current, min, max, draft } = look;
    if (current === 0 && min !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      draft.set('ScalingActive', false, 'ScalingDisabled', message);
      return { replicas: 0, reason: '' };
    }
    if (current > max) return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' };
    if (current < min) return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' };
    return yield* this.#planByMetrics(look);
  }

  *#planByMetrics(look: Look): Process<Plan | string> {
    const { autoscaler, current, draft, target } = look;
    const { scale } = target;
    const selector = scale.status?.selector ?? '';
    const selected = this.#podsOf(look, selector);
    if (typeof selected === 'string') return this.#noPlan(look, selected);
    const question = {
      metrics: autoscaler.spec?.metrics ?? [],
      namespace: autoscaler.metadata.namespace ?? '',
      selector,
      pods: selected,
      currentReplicas: current,
      presentReplicas: scale.status?.replicas ?? 0,
      nowMs: () => this.#nowMs,
    };
    const { failures, best, statuses, error } = yield* proposalsOf(question, this.#readers);
    for (const { reason, message } of failures) this.#warn(autoscaler, reason, message);
    const [failed] = failures;
    if (!best) {
      if (failed) draft.set('ScalingActive', false, failed.reason, `${CANNOT_COMPUTE}: ${failed.message}`);
      return this.#noPlan(look, error, statuses);
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.metric}`;
    draft.set('ScalingActive', true, 'ValidMetricFound', message);
    const reason = best.replicas > current ? `${best.metric} above target` : 'All metrics below target';
    return { replicas: this.#limited(look, best.replicas), reason, metrics: statuses };
  }

  #noPlan({ current, draft }: Look, error: string, metrics?: Plan['metrics']): string {
    draft.count({ current, ...(metrics && { metrics }) });
    return error;
  }

  /** A text: why it cannot be told which they are. */
  #podsOf({ autoscaler, key, draft }: Look, text: string): readonly Pod[] | string {
    const refuse = (reason: string, event: string, message: string, told = message): string => {
      this.#warn(autoscaler, event, message);
      draft.set('ScalingActive', false, reason, told);
      return message;
    };
    if (text === '') {
      const told = "the HPA target's scale is missing a selector";
      return refuse('InvalidSelector', 'SelectorRequired', 'selector is required', told);
    }
    const selector = parsed(text);
    if (typeof selector === 'string') {
      const message = `couldn't convert selector into a corresponding internal selector object: ${selector}`;
      return refuse('InvalidSelector', 'InvalidSelector', message);
    }
    // It may be gone meanwhile, and is nobody's rival then.
    if (this.#selectors.has(key)) this.#selectors.set(key, selector);
    const inNamespace = this.#pods.store.byIndex('namespace', autoscaler.metadata.namespace ?? '');
    const selected = inNamespace.filter(({ metadata }) => selector.matches(metadata.labels));
    const rivals = this.#rivalsFor(selected, autoscaler.metadata.namespace ?? '');
    if (rivals.length < 2) return selected;
    const message = `pods by selector ${text} are controlled by multiple HPAs: [${rivals.join(' ')}]`;
    return refuse('AmbiguousSelector', 'AmbiguousSelector', message);
  }

  #rivalsFor(selected: readonly Pod[], namespace: string): readonly string[] {
    const keys = [...this.#selectors.keys()].filter((key) => key.startsWith(`${namespace}/`)).sort();
    return keys
      .filter((key) => selected.some(({ metadata }) => this.#selectors.get(key)?.matches(metadata.labels)))
      .map((key) => `{${key.slice(namespace.length + 1)} ${namespace}}`);
  }

  #limited({ autoscaler, key, draft, current, min, max }: Look, desired: number): number {
    const history = this.#historyOf(key, current);
    const wish = { current, desired, min, max, nowMs: this.#nowMs, history };
    const { replicas, recommendations, able, limit, isLimited } = decide(wish, rulesOf(autoscaler));
    this.#histories.set(key, { ...history, recommendations });
    draft.set('AbleToScale', true, able.reason, able.message);
    draft.set('ScalingLimited', isLimited, limit.reason, limit.message);
    return replicas;
  }

  *#rescale({ autoscaler, key, draft, target, current }: Look, to: number, reason: string): Process<boolean> {
    const text = `New size: ${to}; reason: ${reason}`;
    try {
      yield* this.#targets.write(target, to);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#warn(autoscaler, 'FailedRescale', `${text}; error: ${messageOf(error)}`);
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      draft.set('AbleToScale', false, 'FailedUpdateScale', message);
      return false;
    }
    const message = `the HPA controller was able to update the target scale to ${to}`;
    draft.set('AbleToScale', true, 'SucceededRescale', message);
    this.#events.record(autoscaler, { type: 'Normal', reason: 'SuccessfulRescale', message: text });
    const change = { from: current, to, nowMs: this.#nowMs };
    this.#histories.set(key, withChange(this.#historyOf(key, current), rulesOf(autoscaler), change));
    return true;
  }

  *#write(autoscaler: HorizontalPodAutoscaler, { status }: StatusDraft): Process<void> {
    if (isSameStatus(autoscaler.status, status)) return;
    try {
      yield* this.#world.client.update(
        horizontalPodAutoscalers,
        { ...autoscaler, status },
        { subresource: 'status' },
      );
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#warn(autoscaler, 'FailedUpdateStatus', messageOf(error));
    }
  }

  #historyOf(key: string, current: number): ScaleHistory {
    return this.#histories.get(key) ?? beginHistory(current, this.#nowMs);
  }

  #warn(autoscaler: HorizontalPodAutoscaler, reason: string, message: string): void {
    this.#events.record(autoscaler, { type: 'Warning', reason, message });
  }

  get #nowMs(): number {
    return this.#world.context.wallMs();
  }
}

const CAN_GET_SCALE = "the HPA controller was able to get the target's current scale";
const CANNOT_GET_SCALE = "the HPA controller was unable to get the target's current scale";
const CANNOT_COMPUTE = 'the HPA was unable to compute the replica count';

const NOTHING: Pick<LabelSelector, 'matches'> = { matches: () => false };

/** A text: why it is none. */
function parsed(text: string): LabelSelector | string {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

const rulesOf = ({ spec }: HorizontalPodAutoscaler): Rules | undefined => spec?.behavior;
