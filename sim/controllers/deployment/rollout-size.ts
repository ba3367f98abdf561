/** How many pods a Deployment may have too many or lack while it rolls out, and what its ReplicaSets add up to. Pure. */
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import { scaledValue } from '../workload/int-or-percent.ts';

export interface Slack {
  readonly surge: number;
  readonly unavailable: number;
}

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec?.replicas ?? 1;

export const isRollingUpdate = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

/** Never both zero: then one may be missing. */
export function slackOf(deployment: Deployment): Slack {
  if (!isRollingUpdate(deployment)) return { surge: 0, unavailable: 0 };
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const replicas = replicasOf(deployment);
  const surge = scaledValue(maxSurge, replicas, 'up');
  const allowed = scaledValue(maxUnavailable, replicas, 'down');
  const unavailable = surge === 0 && allowed === 0 ? 1 : allowed;
  return { surge, unavailable: replicas === 0 ? 0 : Math.min(unavailable, replicas) };
}

type Sets = readonly (ReplicaSet | undefined)[];

export const sum = (sets: Sets, of: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((total, set) => total + (set ? (of(set) ?? 0) : 0), 0);

export const wantedOf = (sets: Sets): number => sum(sets, replicasOf);
export const actualOf = (sets: Sets): number => sum(sets, ({ status }) => status?.replicas);
export const readyOf = (sets: Sets): number => sum(sets, ({ status }) => status?.readyReplicas);
export const availableOf = (sets: Sets): number => sum(sets, ({ status }) => status?.availableReplicas);

export const activeAmong = (sets: Sets): readonly ReplicaSet[] =>
  sets.filter((set): set is ReplicaSet => set !== undefined && replicasOf(set) > 0);

/** How many the new ReplicaSet should have now. */
export function newReplicas(deployment: Deployment, all: Sets, newSet: ReplicaSet): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room = wanted + slackOf(deployment).surge - wantedOf(all);
  if (room <= 0) return replicasOf(newSet);
  return replicasOf(newSet) + Math.min(room, wanted - replicasOf(newSet));
}
