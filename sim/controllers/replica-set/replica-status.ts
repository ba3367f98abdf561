/** The status of a ReplicaSet (or ReplicationController), from what its pods are and the last failure. Pure. */
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/types/apps-v1.ts';

export interface StatusFacts {
  readonly old: ReplicaSetStatus | undefined;
  readonly generation: number;
  readonly replicas: number;
  readonly fullyLabeled: number;
  readonly ready: number;
  readonly available: number;
  /** As the API writes times. */
  readonly now: string;
  readonly failure:
    { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string } | undefined;
}

export function replicaStatus(facts: StatusFacts): ReplicaSetStatus {
  const { replicas, fullyLabeled, ready, available } = facts;
  const conditions = conditionsOf(facts);
  return {
    replicas,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    observedGeneration: facts.generation,
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
