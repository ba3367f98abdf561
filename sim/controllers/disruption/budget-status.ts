/** The status of a PodDisruptionBudget: how many of its pods may be disturbed now. Pure. */
import type { Pod } from '../../api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/types/policy-v1.ts';
import { scaledValue } from '../workload/int-or-percent.ts';
import { isReady, isTerminating, timeMs } from '../workload/pods.ts';

/** So long an eviction that was allowed counts before its pod is seen to go. */
const DELETION_TIMEOUT_MS = 120_000;

type Condition = NonNullable<PodDisruptionBudgetStatus['conditions']>[number];

export interface Disrupted {
  /** Times of evictions that are not seen yet, by name of the pod. */
  readonly pods: Readonly<Record<string, string>>;
  /** Pods that were to go and did not. */
  readonly overdue: readonly Pod[];
  /** When the first of them counts no more, in ms from now. */
  readonly recheckInMs: number | undefined;
}

export function disruptedPods(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Disrupted {
  const noted: Record<string, string> = {};
  const overdue: Pod[] = [];
  let recheckInMs: number | undefined;
  for (const pod of pods) {
    const { name = '' } = pod.metadata;
    const at = status?.disruptedPods?.[name];
    if (at === undefined || isTerminating(pod)) continue;
    const left = (timeMs(at) ?? 0) + DELETION_TIMEOUT_MS - nowMs;
    if (left < 0) overdue.push(pod);
    else {
      recheckInMs = Math.min(recheckInMs ?? left, left);
      noted[name] = at;
    }
  }
  return { pods: noted, overdue, recheckInMs };
}

export interface Expectation {
  readonly expected: number;
  readonly desired: number;
}

/** `scale`: what those who control the pods want, all together. */
export function expectationOf({ spec }: PodDisruptionBudget, pods: number, scale: number): Expectation {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined)
    return { expected: scale, desired: Math.max(0, scale - scaledValue(maxUnavailable, scale, 'up')) };
  if (typeof minAvailable === 'string')
    return { expected: scale, desired: scaledValue(minAvailable, scale, 'up') };
  return { expected: minAvailable === undefined ? 0 : pods, desired: minAvailable ?? 0 };
}

/** It takes the scale of controllers to say how many pods there should be. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

export interface BudgetFacts extends Expectation {
  readonly pods: readonly Pod[];
  readonly disrupted: Disrupted;
  readonly now: string;
}

export function budgetStatus(budget: PodDisruptionBudget, facts: BudgetFacts): PodDisruptionBudgetStatus {
  const { expected, desired, disrupted, pods, now } = facts;
  const healthy = pods.filter(
    (pod) => !isTerminating(pod) && disrupted.pods[pod.metadata.name ?? ''] === undefined && isReady(pod),
  ).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const observedGeneration = budget.metadata.generation ?? 0;
  const verdict = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    observedGeneration,
    lastTransitionTime: now,
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
  const hasDisrupted = Object.keys(disrupted.pods).length > 0;
  return {
    observedGeneration,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...(hasDisrupted && { disruptedPods: disrupted.pods }),
    conditions: withVerdict(budget.status?.conditions ?? [], verdict),
  };
}

/** When nobody can say, nothing may be disturbed. */
export function failSafeStatus(
  { status }: PodDisruptionBudget,
  message: string,
  now: string,
): PodDisruptionBudgetStatus {
  const { observedGeneration } = status ?? {};
  const verdict = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: now,
    reason: 'SyncFailed',
    message,
  };
  const counts = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status };
  return { ...counts, disruptionsAllowed: 0, conditions: withVerdict(status?.conditions ?? [], verdict) };
}

function withVerdict(conditions: readonly Condition[], verdict: Condition): readonly Condition[] {
  const known = conditions.find(({ type }) => type === verdict.type);
  if (!known) return [...conditions, verdict];
  const since = known.status === verdict.status ? known.lastTransitionTime : verdict.lastTransitionTime;
  return conditions.map((one) => (one === known ? { ...verdict, lastTransitionTime: since } : one));
}

export function saysTheSame(a: PodDisruptionBudgetStatus | undefined, b: PodDisruptionBudgetStatus): boolean {
  const text = ({
    conditions = [],
    disruptedPods: disrupted = {},
    ...counts
  }: PodDisruptionBudgetStatus): string =>
    JSON.stringify([
      [counts.observedGeneration, counts.disruptionsAllowed, counts.currentHealthy],
      [counts.desiredHealthy, counts.expectedPods],
      Object.entries(disrupted)
        .map(([name, at]) => `${name} ${at}`)
        .sort(),
      conditions.map(({ type, status, reason, observedGeneration }) => [
        type,
        status,
        reason,
        observedGeneration,
      ]),
    ]);
  return a !== undefined && text(a) === text(b);
}
