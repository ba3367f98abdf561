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
  const { fullyLabeled, ready, available } = countsOf(facts);
  const conditions = conditionsOf(facts);
  return {
    replicas: facts.pods.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    observedGeneration: facts.generation,
    ...(conditions.length > 0 && { conditions }),
  };
}

interface Counts {
  readonly fullyLabeled: number;
  readonly ready: number;
  readonly available: number;
}

/** In one pass: a set of many is counted whenever one of them changes. */
function countsOf({ pods, templateLabels, minReadySeconds, nowMs }: StatusFacts): Counts {
  const keys = Object.keys(templateLabels);
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of pods) {
    if (hasAll(pod.metadata.labels, templateLabels, keys)) fullyLabeled++;
    if (!isReady(pod)) continue;
    ready++;
    if (isAvailable(pod, minReadySeconds, nowMs)) available++;
  }
  return { fullyLabeled, ready, available };
}

function hasAll(labels: Labels | undefined, wanted: Labels, keys: readonly string[]): boolean {
  for (const key of keys) if (labels?.[key] !== wanted[key]) return false;
  return true;
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
