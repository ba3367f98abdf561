/**
 * What a StatefulSet does next: pods that are missing are made and those too many deleted, one at a time and in order
 * (or all at once where it is parallel); then pods of former revisions are replaced from the end. Pure.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { StatefulSet, StatefulSetStatus } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { scaledValue } from '../workload/int-or-percent.ts';
import { isAvailable, isFinished, isReady, isTerminating, phaseOf } from '../workload/pods.ts';
import {
  firstOrdinal,
  hasIdentity,
  hasStorage,
  isInRange,
  ordinalOf,
  replicasOf,
  revisionOf,
} from './stateful-pod.ts';

export type StatefulStep =
  | { readonly kind: 'create'; readonly ordinal: number; readonly version: 'current' | 'update' }
  | { readonly kind: 'delete'; readonly pod: Pod; readonly ordinal: number }
  /** Claims that a waiting pod lacks. */
  | { readonly kind: 'claim'; readonly pod: Pod; readonly ordinal: number }
  /** Labels, volumes and owners of claims that somebody has changed. */
  | { readonly kind: 'repair'; readonly pod: Pod; readonly ordinal: number };

export interface StatefulView {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Names. */
  readonly currentRevision: string;
  readonly updateRevision: string;
  /** Whether the owners of a pod's claims are as the set's policy says. */
  readonly areClaimsRight: (pod: Pod, ordinal: number) => boolean;
  readonly nowMs: number;
}

export interface StatefulPlan {
  /** Pods that are to be there, and pods that are one too many: one after the other, or many at once. */
  readonly upkeep: readonly (readonly StatefulStep[])[];
  readonly isInOrder: boolean;
  /** Pods of former revisions that are to be replaced, once all of that is done. */
  readonly outdated: readonly StatefulStep[];
}

interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

const isHealthy = (pod: Pod | undefined): boolean =>
  pod !== undefined && isRunningAndReady(pod) && !isTerminating(pod);
export const isRunningAndReady = (pod: Pod): boolean => phaseOf(pod) === 'Running' && isReady(pod);
const isUp = ({ set, nowMs }: StatefulView, pod: Pod): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);

export function planStatefulSet(view: StatefulView): StatefulPlan {
  const isInOrder = view.set.spec?.podManagementPolicy !== 'Parallel';
  if (view.set.metadata.deletionTimestamp !== undefined) return { upkeep: [], isInOrder, outdated: [] };
  const replicas = planReplicas(view, isInOrder);
  if (replicas.isBlocked) return { upkeep: [replicas.steps], isInOrder, outdated: [] };
  const condemned = planCondemned(view, isInOrder);
  const upkeep = [replicas.steps, condemned.steps];
  if (condemned.isBlocked) return { upkeep, isInOrder, outdated: [] };
  const going = new Set(upkeep.flat().map((step) => (step.kind === 'delete' ? step.ordinal : undefined)));
  return { upkeep, isInOrder, outdated: planUpdate(view).filter(({ ordinal }) => !going.has(ordinal)) };
}

/** `isBlocked`: nothing more may be done now. */
interface Phase {
  readonly steps: readonly StatefulStep[];
  readonly isBlocked: boolean;
}

function replicasIn({ set, pods }: StatefulView): readonly Replica[] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = firstOrdinal(set) + index;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
}

interface Condemned {
  readonly ordinal: number;
  readonly pod: Pod;
}

/** The highest first. */
function condemnedIn({ set, pods }: StatefulView): readonly Condemned[] {
  const condemned = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined || isInRange(set, ordinal) ? [] : [{ ordinal, pod }];
  });
  return condemned.sort((a, b) => b.ordinal - a.ordinal);
}

function planReplicas(view: StatefulView, isInOrder: boolean): Phase {
  const steps: StatefulStep[] = [];
  for (const replica of replicasIn(view)) {
    const isBehind = planReplica(view, replica, steps);
    if (isInOrder && isBehind) return { steps, isBlocked: true };
  }
  return { steps, isBlocked: false };
}

/** True: those after it have to wait where there is an order. */
function planReplica(view: StatefulView, { ordinal, pod }: Replica, steps: StatefulStep[]): boolean {
  const { set } = view;
  if (!pod) {
    steps.push({ kind: 'create', ordinal, version: versionOf(view, ordinal) });
    return true;
  }
  if (isFinished(pod)) {
    if (!isTerminating(pod)) steps.push({ kind: 'delete', pod, ordinal });
    return true;
  }
  if (phaseOf(pod) === 'Pending') steps.push({ kind: 'claim', pod, ordinal });
  const isBehind = isTerminating(pod) || !isUp(view, pod);
  const isRight =
    hasIdentity(set, ordinal, pod) && hasStorage(set, ordinal, pod) && view.areClaimsRight(pod, ordinal);
  const mayRepair = !isBehind || set.spec?.podManagementPolicy === 'Parallel';
  if (!isRight && mayRepair) steps.push({ kind: 'repair', pod, ordinal });
  return isBehind;
}

/** Below the partition (or before the update has come so far) pods are made as they were. */
function versionOf({ set }: StatefulView, ordinal: number): 'current' | 'update' {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const index = ordinal - firstOrdinal(set);
  if (rollingUpdate) return index < (rollingUpdate.partition ?? 0) ? 'current' : 'update';
  return type === 'RollingUpdate' && index < (set.status?.currentReplicas ?? 0) ? 'current' : 'update';
}

function planCondemned(view: StatefulView, isInOrder: boolean): Phase {
  const condemned = condemnedIn(view);
  const steps: StatefulStep[] = condemned
    .filter(({ pod, ordinal }) => !view.areClaimsRight(pod, ordinal))
    .map(({ pod, ordinal }) => ({ kind: 'repair', pod, ordinal }));
  const sick = firstSick(view, condemned);
  for (const { pod, ordinal } of condemned) {
    const mayGo = !isTerminating(pod) && (!isInOrder || isUp(view, pod) || pod === sick);
    if (mayGo) steps.push({ kind: 'delete', pod, ordinal });
    if (isInOrder) return { steps, isBlocked: true };
  }
  return { steps, isBlocked: false };
}

/** The first replica that is not healthy, or the lowest of those too many. */
function firstSick(view: StatefulView, condemned: readonly Condemned[]): Pod | 'missing' | undefined {
  const replica = replicasIn(view).find(({ pod }) => !isHealthy(pod));
  if (replica) return replica.pod ?? 'missing';
  return condemned.findLast(({ pod }) => !isHealthy(pod))?.pod;
}

function planUpdate(view: StatefulView): readonly StatefulStep[] {
  const { type, rollingUpdate } = view.set.spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const replicas = replicasIn(view);
  const several = rollingUpdate?.maxUnavailable;
  const unavailable = replicas.filter(({ pod }) => !isHealthy(pod)).length;
  const most = several === undefined ? 1 : Math.max(1, scaledValue(several, replicasOf(view.set), 'down'));
  // One at a time, only those behind it in the order must be well.
  const room = several === undefined ? 1 : most - unavailable;
  const partition = rollingUpdate?.partition ?? 0;
  const steps: StatefulStep[] = [];
  for (const { pod, ordinal } of replicas.slice(partition).reverse()) {
    if (steps.length >= room) break;
    if (pod && revisionOf(pod) !== view.updateRevision && !isTerminating(pod))
      steps.push({ kind: 'delete', pod, ordinal });
    else if (several === undefined && !isHealthy(pod)) break;
  }
  return steps;
}

/** `removed`: pods of the current revision that are deleted for the update in this pass. */
export function statefulStatus(
  view: StatefulView,
  removed: number,
  collisionCount: number,
): StatefulSetStatus {
  const { set, pods, currentRevision, updateRevision } = view;
  const counted = pods.filter((pod) => ordinalOf(set, pod) !== undefined);
  const living = counted.filter((pod) => !isTerminating(pod));
  const updated = living.filter((pod) => revisionOf(pod) === updateRevision).length;
  const ready = counted.filter(isRunningAndReady).length;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: counted.length,
    readyReplicas: ready,
    availableReplicas: counted.filter((pod) => isUp(view, pod)).length,
    currentReplicas: living.filter((pod) => revisionOf(pod) === currentRevision).length - removed,
    updatedReplicas: updated,
    currentRevision,
    updateRevision,
    collisionCount,
  };
  const wanted = replicasOf(set);
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [updated, ready, counted.length].every((count) => count === wanted);
  return isComplete ? { ...status, currentReplicas: updated, currentRevision: updateRevision } : status;
}
