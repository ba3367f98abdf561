/**
 * What a plugin is. A plugin has no state of its own: what it works out about one pod in one scheduling cycle lives in
 * the filter or score that it begins for that pod. It sees nodes and other objects as the scheduler's informers have
 * shown them.
 */
import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '../../api/types/core-v1.ts';
import type { ReplicaSet, StatefulSet } from '../../api/types/apps-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import type { CSINode, StorageClass } from '../../api/types/storage-k8s-io-v1.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import type { PodFacts } from '../cache/pod-facts.ts';
import type { NodeInfo, PlacedPod } from '../cache/node-info.ts';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { EventInterest } from './cluster-event.ts';
import type { Rejection } from './rejection.ts';

/** Objects of other kinds, as informers have them. */
export interface Listers {
  readonly namespaces: Lister<Namespace>;
  readonly services: Lister<Service>;
  readonly replicationControllers: Lister<ReplicationController>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly statefulSets: Lister<StatefulSet>;
  readonly budgets: Lister<PodDisruptionBudget>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly storageClasses: Lister<StorageClass>;
  readonly csiNodes: Lister<CSINode>;
}

export interface SchedulingWorld {
  readonly cache: SchedulerCache;
  readonly listers: Listers;
}

/** One pod on its way to a node. */
export interface Candidate {
  readonly pod: Pod;
  readonly facts: PodFacts;
}

export interface NodeFilter {
  /** Undefined: the pod may go there. */
  check(node: NodeInfo): Rejection | undefined;
  /** As if this pod were on that node too, or not any more. What was said before stands for the rest. */
  added?(placed: PlacedPod, node: NodeInfo): void;
  removed?(placed: PlacedPod, node: NodeInfo): void;
}

export type Filtering =
  | { readonly kind: 'skip' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | {
      readonly kind: 'filter';
      readonly filter: NodeFilter;
      /** Only these need be asked for at all. */
      readonly only?: ReadonlySet<string>;
    };

export interface NodeScore {
  score(node: NodeInfo): number;
  /** Brings scores between 0 and 100, in place; they are in the order of the nodes. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void;
}

export interface Plugin {
  readonly name: string;
  /** Changes that may help a pod which it has rejected; absent: every change may. */
  readonly events?: readonly EventInterest[];
  /** Why the pod must not even wait for its turn. */
  preEnqueue?(pod: Pod): string | undefined;
  beginFilter?(candidate: Candidate, world: SchedulingWorld): Filtering;
  /** Undefined: it has no preference. */
  beginScore?(
    candidate: Candidate,
    nodes: readonly NodeInfo[],
    world: SchedulingWorld,
  ): NodeScore | undefined;
}

export const SKIP: Filtering = { kind: 'skip' };

export const filtering = (filter: NodeFilter, only?: ReadonlySet<string>): Filtering => ({
  kind: 'filter',
  filter,
  ...(only && { only }),
});

/** Scores in proportion to the highest, which gets 100; the other way round if less is better. */
export function normalizeByHighest(scores: number[], isReversed = false): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let index = 0; index < scores.length; index++) {
    const share = highest === 0 ? 0 : Math.trunc((100 * (scores[index] ?? 0)) / highest);
    scores[index] = isReversed ? 100 - share : share;
  }
}
