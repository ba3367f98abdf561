/**
 * How far and how fast a recommendation may change the number of replicas: stabilisation windows, policies, bounds.
 * Pure: what was recommended and done before is a value that the caller keeps. Without `spec.behavior` an older rule
 * holds: at most twice as many at a time, and down only to the highest of five minutes.
 * Specification: not shown (Kubernetes, "Horizontal Pod Autoscaling": configurable scaling behavior).
 */
import type { HPAScalingPolicy, HPAScalingRules } from '../../api/types/autoscaling-v2.ts';

const DOWN_WINDOW_SECONDS = 300;
const WHOLE = 100;

interface Recommendation {
  readonly atMs: number;
  readonly replicas: number;
}

interface Change {
  readonly atMs: number;
  readonly by: number;
}

/** Of one autoscaler; a manager that begins anew knows none. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly Change[];
  readonly downs: readonly Change[];
}

export interface Wish {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly nowMs: number;
  readonly history: ScaleHistory;
}

export interface Rules {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly replicas: number;
  readonly recommendations: readonly Recommendation[];
  readonly able: Reason;
  readonly limit: Reason;
  readonly isLimited: boolean;
}

const READY: Reason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const UP_STABILIZED: Reason = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DOWN_STABILIZED: Reason = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_LIMIT: Reason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT: Reason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const TOO_MANY: Reason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FEW: Reason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const IN_RANGE: Reason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};

export const beginHistory = (replicas: number, atMs: number): ScaleHistory => ({
  recommendations: [{ atMs, replicas }],
  ups: [],
  downs: [],
});

export function decide(wish: Wish, rules: Rules | undefined): Decision {
  const { desired, nowMs, history } = wish;
  const stable = rules ? stabilized(wish, rules) : highestOf(wish);
  const { limit, replicas } = rules
    ? limitedByRules({ ...wish, desired: stable }, rules)
    : limitedPlainly({ ...wish, desired: stable });
  const isUp = rules !== undefined && desired >= wish.current;
  const windowMs = Math.max(upWindowMs(rules), downWindowMs(rules));
  return {
    replicas,
    recommendations: [
      ...history.recommendations.filter(({ atMs }) => atMs >= nowMs - windowMs),
      { atMs: nowMs, replicas: desired },
    ],
    able: stable === desired ? READY : isUp ? UP_STABILIZED : DOWN_STABILIZED,
    limit,
    isLimited: replicas !== stable,
  };
}

/** After the number was changed. Only policies ask for it. */
export function withChange(
  history: ScaleHistory,
  rules: Rules | undefined,
  { from, to, nowMs }: { readonly from: number; readonly to: number; readonly nowMs: number },
): ScaleHistory {
  if (!rules) return history;
  const change = { atMs: nowMs, by: Math.abs(to - from) };
  return to > from
    ? { ...history, ups: withOne(history.ups, change, rules.scaleUp) }
    : { ...history, downs: withOne(history.downs, change, rules.scaleDown) };
}

/**
 * In the place of the last one that none of the direction's own periods reaches any more; the other direction may have
 * counted on that one still.
 */
function withOne(
  changes: readonly Change[],
  change: Change,
  { policies = [] }: HPAScalingRules = {},
): readonly Change[] {
  const longest = Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds));
  const isOld = ({ atMs }: Change): boolean => atMs < change.atMs - longest * 1000;
  const old = changes.findLastIndex(isOld);
  return old < 0 ? [...changes, change] : changes.with(old, change);
}

const upWindowMs = (rules?: Rules): number => (rules?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
const downWindowMs = (rules?: Rules): number =>
  (rules?.scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS) * 1000;

const within = ({ history, nowMs }: Wish, windowMs: number): readonly number[] =>
  history.recommendations.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);

/** One of exactly so long ago counts still; with rules it does not. */
const highestOf = ({ desired, history, nowMs }: Wish): number =>
  Math.max(
    desired,
    ...history.recommendations
      .filter(({ atMs }) => atMs >= nowMs - downWindowMs())
      .map(({ replicas }) => replicas),
  );

function stabilized(wish: Wish, rules: Rules): number {
  const up = Math.min(wish.desired, ...within(wish, upWindowMs(rules)));
  const down = Math.max(wish.desired, ...within(wish, downWindowMs(rules)));
  return Math.min(Math.max(wish.current, up), down);
}

interface Limited {
  readonly replicas: number;
  readonly limit: Reason;
}

function limitedPlainly({ current, desired, min, max }: Wish): Limited {
  const fastest = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, limit: TOO_FEW };
  if (desired > Math.min(max, fastest))
    return max > fastest ? { replicas: fastest, limit: UP_LIMIT } : { replicas: max, limit: TOO_MANY };
  return { replicas: desired, limit: IN_RANGE };
}

function limitedByRules(wish: Wish, { scaleUp, scaleDown }: Rules): Limited {
  const { current, desired, min, max } = wish;
  if (desired > current) {
    const fastest = Math.max(current, upLimit(wish, scaleUp));
    if (desired > Math.min(max, fastest))
      return max > fastest ? { replicas: fastest, limit: UP_LIMIT } : { replicas: max, limit: TOO_MANY };
  } else if (desired < current) {
    const fastest = Math.min(current, downLimit(wish, scaleDown));
    if (desired < Math.max(min, fastest))
      return min < fastest ? { replicas: fastest, limit: DOWN_LIMIT } : { replicas: min, limit: TOO_FEW };
  }
  return { replicas: desired, limit: IN_RANGE };
}

function upLimit(wish: Wish, rules: HPAScalingRules = {}): number {
  const { policies = [], selectPolicy } = rules;
  if (selectPolicy === 'Disabled') return wish.current;
  const limits = policies.map((policy) => {
    const start = replicasBefore(wish, policy);
    // Rounded up: else a small percentage would never lead anywhere.
    return policy.type === 'Pods' ? start + policy.value : Math.ceil(start * (1 + policy.value / WHOLE));
  });
  return selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

function downLimit(wish: Wish, rules: HPAScalingRules = {}): number {
  const { policies = [], selectPolicy } = rules;
  if (selectPolicy === 'Disabled') return wish.current;
  const limits = policies.map((policy) => {
    const start = replicasBefore(wish, policy);
    return policy.type === 'Pods' ? start - policy.value : Math.trunc(start * (1 - policy.value / WHOLE));
  });
  // The least change leaves the most.
  return selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}

/** When the policy's present period began. */
function replicasBefore({ current, history, nowMs }: Wish, { periodSeconds }: HPAScalingPolicy): number {
  const sum = (changes: readonly Change[]): number =>
    changes
      .filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000)
      .reduce((total, { by }) => total + by, 0);
  return current - sum(history.ups) + sum(history.downs);
}
