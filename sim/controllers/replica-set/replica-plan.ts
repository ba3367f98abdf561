/**
 * Which pods a ReplicaSet (or ReplicationController) lacks or has too many, and which of those go first. Pure.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import { isReady, phaseOf, readySinceMs, timeMs } from '../workload/pods.ts';

export type ReplicaPlan =
  | { readonly kind: 'rest' }
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] };

export interface ReplicaView {
  readonly wanted: number;
  /** Its own, active ones. */
  readonly pods: readonly Pod[];
  /** Active pods of all that have the same owner: two of them on one node are one too many. */
  readonly related: () => readonly Pod[];
  readonly nowMs: number;
}

/** So many at a time. */
const BURST = 500;
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: readonly string[] = ['Pending', 'Unknown', 'Running'];

export function planReplicas(view: ReplicaView): ReplicaPlan {
  const excess = view.pods.length - view.wanted;
  if (excess === 0) return { kind: 'rest' };
  if (excess < 0) return { kind: 'create', count: Math.min(-excess, BURST) };
  return { kind: 'delete', pods: firstToGo(view, Math.min(excess, BURST)) };
}

export function firstToGo({ pods, related, nowMs }: ReplicaView, count: number): readonly Pod[] {
  if (count >= pods.length) return pods.slice(0, count);
  const perNode = new Map<string, number>();
  for (const { spec } of related()) {
    const node = spec?.nodeName ?? '';
    if (node !== '') perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rankOf(pod, { perNode, nowMs }));
  return ranked
    .sort(compareRanks)
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** The smaller, the sooner a pod goes: first by the keys, then by age, in coarse steps. */
interface Rank {
  readonly pod: Pod;
  readonly keys: readonly number[];
  readonly restarts: number;
  /** Orders of magnitude since it was ready, and since it was made; undefined: not ready. */
  readonly readyAge: Age | undefined;
  readonly age: Age;
}

interface Age {
  readonly ms: number;
  readonly magnitude: number;
}

interface RankFacts {
  readonly perNode: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

function rankOf(pod: Pod, { perNode, nowMs }: RankFacts): Rank {
  const node = pod.spec?.nodeName ?? '';
  const readyMs = isReady(pod) ? (readySinceMs(pod) ?? 0) : undefined;
  return {
    pod,
    keys: [
      node === '' ? 0 : 1,
      PHASES.indexOf(phaseOf(pod)),
      isReady(pod) ? 1 : 0,
      deletionCost(pod),
      -(perNode.get(node) ?? 0),
    ],
    restarts: Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    readyAge: readyMs === undefined ? undefined : ageOf(readyMs, nowMs),
    age: ageOf(timeMs(pod.metadata.creationTimestamp) ?? 0, nowMs),
  };
}

function compareRanks(a: Rank, b: Rank): number {
  for (const [index, key] of a.keys.entries()) {
    const other = b.keys[index] ?? 0;
    if (key !== other) return key - other;
  }
  const byReadiness = a.readyAge && b.readyAge ? compareAges(a, b, a.readyAge, b.readyAge) : 0;
  if (byReadiness !== 0) return byReadiness;
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  return compareAges(a, b, a.age, b.age);
}

/** The younger first; of one order of magnitude by uid, which is to say by chance. */
function compareAges({ pod: left }: Rank, { pod: right }: Rank, a: Age, b: Age): number {
  if (a.ms === b.ms) return 0;
  if (a.magnitude !== b.magnitude) return a.magnitude - b.magnitude;
  return (left.metadata.uid ?? '') < (right.metadata.uid ?? '') ? -1 : 1;
}

/** Magnitudes are powers of two of nanoseconds, rounded. */
function ageOf(sinceMs: number, nowMs: number): Age {
  const ms = nowMs - sinceMs;
  return { ms, magnitude: ms > 0 ? Math.round(Math.log2(ms * 1e6)) : -1 };
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '0';
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}
