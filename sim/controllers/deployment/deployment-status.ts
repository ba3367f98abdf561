/** The status of a Deployment, from those of its ReplicaSets: counts, availability, progress. Pure. */
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from '../../api/types/apps-v1.ts';
import { formatTime } from '../../api/time-format.ts';
import { timeMs } from '../workload/pods.ts';
import {
  conditionOf,
  deadlineOf,
  newCondition,
  withCondition,
  withoutCondition,
} from './deployment-conditions.ts';
import { actualOf, availableOf, readyOf, replicasOf, slackOf, wantedOf } from './rollout-size.ts';

export interface RolloutView {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

export const allSetsOf = ({ newSet, oldSets }: RolloutView): readonly (ReplicaSet | undefined)[] => [
  ...oldSets,
  newSet,
];

const AVAILABLE = 'NewReplicaSetAvailable';
export const TIMED_OUT = 'ProgressDeadlineExceeded';

/** Counts and availability; progress as it was. */
export function countedStatus(view: RolloutView, nowMs: number): DeploymentStatus {
  const { deployment, newSet } = view;
  const all = allSetsOf(view);
  const { collisionCount, conditions } = deployment.status ?? {};
  const available = availableOf(all);
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero('replicas', actualOf(all)),
    ...nonZero('updatedReplicas', actualOf([newSet])),
    ...nonZero('readyReplicas', readyOf(all)),
    ...nonZero('availableReplicas', available),
    ...nonZero('unavailableReplicas', Math.max(0, wantedOf(all) - available)),
    ...(conditions && { conditions }),
    ...(collisionCount !== undefined && { collisionCount }),
  };
  const isEnough = available >= replicasOf(deployment) - slackOf(deployment).unavailable;
  return withCondition(
    status,
    newCondition(
      {
        type: 'Available',
        status: isEnough ? 'True' : 'False',
        reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
      },
      formatTime(nowMs),
    ),
  );
}

function nonZero<Name extends string>(name: Name, count: number): { readonly [Key in Name]?: number } {
  // A computed member alone would lose its name's type.
  return count === 0 ? {} : ({ [name]: count } as { readonly [Key in Name]: number });
}

/** With what became of the rollout since the last status. */
export function rolloutStatus(view: RolloutView, nowMs: number): DeploymentStatus {
  const { deployment } = view;
  const hasDeadline = deadlineOf(deployment) !== undefined;
  const counted = countedStatus(view, nowMs);
  const status = hasDeadline ? counted : withoutCondition(counted, 'Progressing');
  const current = conditionOf(deployment.status ?? {}, 'Progressing');
  const isSettled = count(status.replicas) === count(status.updatedReplicas) && current?.reason === AVAILABLE;
  return withFailure(hasDeadline && !isSettled ? withProgress(status, view, nowMs) : status, view, nowMs);
}

function withProgress(status: DeploymentStatus, view: RolloutView, nowMs: number): DeploymentStatus {
  const { deployment, newSet } = view;
  const now = formatTime(nowMs);
  const subject = newSet
    ? `ReplicaSet "${newSet.metadata.name ?? ''}"`
    : `Deployment "${deployment.metadata.name ?? ''}"`;
  const progressing = (state: string, reason: string, message: string): DeploymentCondition =>
    newCondition({ type: 'Progressing', status: state, reason, message: `${subject} ${message}` }, now);
  if (isComplete(deployment, status))
    return withCondition(status, progressing('True', AVAILABLE, 'has successfully progressed.'));
  if (hasProgressed(deployment, status)) {
    const current = conditionOf(deployment.status ?? {}, 'Progressing');
    const condition = progressing('True', 'ReplicaSetUpdated', 'is progressing.');
    // Every step counts for the deadline: the condition is told anew although it says the same.
    const kept = current?.status === 'True' ? { lastTransitionTime: current.lastTransitionTime ?? now } : {};
    return withCondition(withoutCondition(status, 'Progressing'), { ...condition, ...kept });
  }
  if (isTimedOut(deployment, status, nowMs))
    return withCondition(status, progressing('False', TIMED_OUT, 'has timed out progressing.'));
  return status;
}

const count = (value: number | undefined): number => value ?? 0;

/** All replicas are new and available, and the status is of the present spec. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    count(status.updatedReplicas) === wanted &&
    count(status.replicas) === wanted &&
    count(status.availableReplicas) === wanted &&
    count(status.observedGeneration) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed({ status: old = {} }: Deployment, status: DeploymentStatus): boolean {
  const oldOnes = (of: DeploymentStatus): number => count(of.replicas) - count(of.updatedReplicas);
  return (
    count(status.updatedReplicas) > count(old.updatedReplicas) ||
    oldOnes(status) < oldOnes(old) ||
    count(status.readyReplicas) > count(old.readyReplicas) ||
    count(status.availableReplicas) > count(old.availableReplicas)
  );
}

function isTimedOut(deployment: Deployment, status: DeploymentStatus, nowMs: number): boolean {
  const condition = conditionOf(status, 'Progressing');
  const deadline = deadlineOf(deployment);
  if (!condition || deadline === undefined || condition.reason === AVAILABLE) return false;
  if (condition.reason === TIMED_OUT) return true;
  return (timeMs(condition.lastUpdateTime) ?? 0) + deadline * 1000 < nowMs;
}

/** The failure of the new ReplicaSet, or of any other. */
function withFailure(status: DeploymentStatus, view: RolloutView, nowMs: number): DeploymentStatus {
  const failures = [view.newSet, ...allSetsOf(view)].flatMap((set) =>
    (set?.status?.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure'),
  );
  const [failure] = failures;
  if (!failure) return withoutCondition(status, 'ReplicaFailure');
  const { status: state, reason = '', message = '', lastTransitionTime } = failure;
  const condition = newCondition(
    { type: 'ReplicaFailure', status: state, reason, message },
    formatTime(nowMs),
  );
  const since = lastTransitionTime ?? formatTime(nowMs);
  return withCondition(status, { ...condition, lastTransitionTime: since, lastUpdateTime: since });
}

/** When a rollout that stands still must be looked at because of its deadline, in ms from now; undefined: never. */
export function lookAgainIn(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const current = conditionOf(deployment.status ?? {}, 'Progressing');
  const deadline = deadlineOf(deployment);
  if (deadline === undefined || !current) return undefined;
  if (isComplete(deployment, status) || current.reason === TIMED_OUT) return undefined;
  return (timeMs(current.lastUpdateTime) ?? 0) + deadline * 1000 - nowMs;
}

/** The order of members and conditions does not matter for the first, and does for the second, as in Go. */
export function isSameStatus(a: DeploymentStatus = {}, b: DeploymentStatus = {}): boolean {
  const numbers = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ] as const;
  return (
    numbers.every((name) => count(a[name]) === count(b[name])) &&
    a.collisionCount === b.collisionCount &&
    JSON.stringify((a.conditions ?? []).map(asTuple)) === JSON.stringify((b.conditions ?? []).map(asTuple))
  );
}

const asTuple = (condition: DeploymentCondition): readonly (string | undefined)[] => [
  condition.type,
  condition.status,
  condition.lastUpdateTime,
  condition.lastTransitionTime,
  condition.reason,
  condition.message,
];
