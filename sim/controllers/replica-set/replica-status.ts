/** The status of a ReplicaSet (or ReplicationController), from its pods and the last failure. Pure. */
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Labels } from '../../api/selector/label-selector.ts';
import { isAvailable, isReady } from '../workload/pods.ts';

export interface StatusFacts {
  readonly old: ReplicaSetStatus | undefined;
  readonly generation: number;
  readonly pods: readonly Pod[];
  readonly templateLabels: Labels;
  readonly minReadySeconds: number;
  readonly nowMs: number;
  /** As the API writes times. */
  readonly now: string;
  readonly failure:
    { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string } | undefined;
}

export function replicaStatus(facts: StatusFacts): ReplicaSetStatus {
  const { pods, templateLabels, minReadySeconds, nowMs, generation } = facts;
  const wanted = Object.entries(templateLabels);
  const fullyLabeled = pods.filter(({ metadata }) =>
    wanted.every(([key, value]) => metadata.labels?.[key] === value),
  ).length;
  const ready = pods.filter(isReady).length;
  const available = pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length;
  const conditions = conditionsOf(facts);
  return {
    replicas: pods.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    observedGeneration: generation,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** A failure stays as it was first told until there is none. */
function conditionsOf({ old, failure, now }: StatusFacts): readonly ReplicaSetCondition[] {
  const conditions = old?.conditions ?? [];
  const known = conditions.some(({ type }) => type === 'ReplicaFailure');
  if (!failure) return known ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : conditions;
  if (known) return conditions;
  const { reason, message } = failure;
  return [
    ...conditions,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: now, reason, message },
  ];
}

export function saysTheSame(a: ReplicaSetStatus | undefined, b: ReplicaSetStatus): boolean {
  return (
    a !== undefined &&
    a.replicas === b.replicas &&
    (a.fullyLabeledReplicas ?? 0) === (b.fullyLabeledReplicas ?? 0) &&
    (a.readyReplicas ?? 0) === (b.readyReplicas ?? 0) &&
    (a.availableReplicas ?? 0) === (b.availableReplicas ?? 0) &&
    (a.observedGeneration ?? 0) === b.observedGeneration &&
    JSON.stringify(a.conditions ?? []) === JSON.stringify(b.conditions ?? [])
  );
}
