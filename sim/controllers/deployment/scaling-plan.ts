/**
 * To what sizes the ReplicaSets of a Deployment are brought: when the Deployment is scaled, in a rolling update, and when
 * all old pods are to go first. Pure. Specification: not shown: Kubernetes 1.31.
 */
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import { desiredOf, maxReplicasOf } from './revision-annotations.ts';
import { allSetsOf, type RolloutView } from './deployment-status.ts';
import {
  activeAmong,
  availableOf,
  isRollingUpdate,
  newReplicas,
  replicasOf,
  slackOf,
  wantedOf,
} from './rollout-size.ts';
import { byAge, compare } from './same-template.ts';

export interface Resize {
  readonly set: ReplicaSet;
  readonly replicas: number;
  /** Also where only the notes of sizes are out of date. */
  readonly renewsNotes?: boolean;
}

/** Somebody changed the number of replicas: some ReplicaSet was sized for another. */
export const isScaling = (view: RolloutView): boolean =>
  activeAmong(allSetsOf(view)).some((set) => {
    const noted = desiredOf(set);
    return noted !== undefined && noted !== replicasOf(view.deployment);
  });

export function planScaling(view: RolloutView): readonly Resize[] {
  const { deployment, newSet, oldSets } = view;
  const wanted = replicasOf(deployment);
  const only = activeOrLatest(view);
  if (only) return replicasOf(only) === wanted ? [] : [{ set: only, replicas: wanted }];
  if (isSaturated(deployment, newSet))
    return activeAmong(byAge(oldSets)).map((set) => ({ set, replicas: 0 }));
  return isRollingUpdate(deployment) ? proportionally(view) : [];
}

/** The one that has pods, or the latest where none has; undefined where several have. */
function activeOrLatest({ newSet, oldSets }: RolloutView): ReplicaSet | undefined {
  const latestFirst = [...byAge(oldSets)].reverse();
  const active = activeAmong([...latestFirst, newSet]);
  if (active.length === 0) return newSet ?? latestFirst[0];
  return active.length === 1 ? active[0] : undefined;
}

const isSaturated = (deployment: Deployment, set: ReplicaSet | undefined): boolean => {
  const wanted = replicasOf(deployment);
  return (
    set !== undefined &&
    replicasOf(set) === wanted &&
    desiredOf(set) === wanted &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
};

/** Each by its share; what is left over goes to the largest (of equals the newest, or the oldest when they shrink). */
function proportionally(view: RolloutView): readonly Resize[] {
  const { deployment } = view;
  const wanted = replicasOf(deployment);
  const active = activeAmong(allSetsOf(view));
  const allowed = wanted > 0 ? wanted + slackOf(deployment).surge : 0;
  const change = allowed - wantedOf(active);
  const sorted = change === 0 ? active : bySize(active, change > 0);
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = change === 0 ? 0 : shareOf(set, deployment, { change, left: change - added });
    added += share;
    return replicasOf(set) + share;
  });
  return sorted.map((set, index) => {
    const size = (sizes[index] ?? 0) + (index === 0 ? change - added : 0);
    return { set, replicas: Math.max(0, size), renewsNotes: true };
  });
}

function bySize(sets: readonly ReplicaSet[], newestFirst: boolean): readonly ReplicaSet[] {
  const created = ({ metadata: { creationTimestamp, name = '' } }: ReplicaSet): string =>
    `${creationTimestamp ?? ''} ${name}`;
  return sets.toSorted((a, b) => {
    const bySizes = replicasOf(b) - replicasOf(a);
    if (bySizes !== 0) return bySizes;
    return newestFirst ? compare(created(b), created(a)) : compare(created(a), created(b));
  });
}

function shareOf(
  set: ReplicaSet,
  deployment: Deployment,
  { change, left }: { readonly change: number; readonly left: number },
): number {
  if (left === 0) return 0;
  const fraction = fractionOf(set, deployment);
  return change > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const [size, wanted] = [replicasOf(set), replicasOf(deployment)];
  if (wanted === 0) return -size;
  const noted = maxReplicasOf(set) ?? deployment.status?.replicas ?? 0;
  const exact = (size * (wanted + slackOf(deployment).surge)) / noted;
  return (exact < 0 ? Math.ceil(exact - 0.5) : Math.floor(exact + 0.5)) - size;
}

/** The next step of a rolling update for the new ReplicaSet; undefined: it is as large as it may be. */
export function planNewSet(view: RolloutView, newSet: ReplicaSet): Resize | undefined {
  const wanted = replicasOf(view.deployment);
  const size = replicasOf(newSet);
  if (size === wanted) return undefined;
  const replicas = size > wanted ? wanted : newReplicas(view.deployment, allSetsOf(view), newSet);
  return { set: newSet, replicas };
}

/** The next step down of the old ReplicaSets: first what is not available anyway, then as far as enough stay available. */
export function planOldSets(view: RolloutView): readonly Resize[] {
  const { deployment, newSet, oldSets } = view;
  const old = activeAmong(oldSets);
  if (old.length === 0) return [];
  const all = [...old, newSet];
  const minAvailable = replicasOf(deployment) - slackOf(deployment).unavailable;
  const newMissing = newSet ? replicasOf(newSet) - availableOf([newSet]) : 0;
  // The sum is over all sets, the empty ones too, which add nothing.
  const most = wantedOf(all) - minAvailable - newMissing;
  if (most <= 0) return [];
  const sizes = new Map(byAge(old).map((set) => [set, replicasOf(set)]));
  shrink(sizes, most, (set, size) => size - availableOf([set]));
  shrink(sizes, availableOf(all) - minAvailable, (_, size) => size);
  return [...sizes]
    .filter(([set, size]) => size !== replicasOf(set))
    .map(([set, replicas]) => ({ set, replicas }));
}

/** By so many together, each by no more than may be. */
function shrink(
  sizes: Map<ReplicaSet, number>,
  most: number,
  allowance: (set: ReplicaSet, size: number) => number,
): void {
  let left = most;
  for (const [set, size] of sizes) {
    const step = Math.max(0, Math.min(left, allowance(set, size), size));
    sizes.set(set, size - step);
    left -= step;
  }
}
