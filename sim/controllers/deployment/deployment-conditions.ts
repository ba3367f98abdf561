/** The conditions of a Deployment: one that changes goes to the end of the list. Pure. */
import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../api/types/apps-v1.ts';

export const conditionOf = (status: DeploymentStatus, type: string): DeploymentCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type);

export interface ConditionFacts {
  readonly type: 'Available' | 'Progressing' | 'ReplicaFailure';
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export const newCondition = (
  { type, status, reason, message }: ConditionFacts,
  now: string,
): DeploymentCondition => ({ type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message });

/** Stays as it is where status and reason are the same; keeps the time of its transition where the status is. */
export function withCondition(status: DeploymentStatus, condition: DeploymentCondition): DeploymentStatus {
  const present = conditionOf(status, condition.type);
  if (present?.status === condition.status && present.reason === condition.reason) return status;
  const { lastTransitionTime } = present?.status === condition.status ? present : condition;
  const made = { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) };
  return { ...status, conditions: [...othersIn(status, condition.type), made] };
}

export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  if (!conditionOf(status, type)) return status;
  const { conditions: _, ...rest } = status;
  const others = othersIn(status, type);
  return others.length > 0 ? { ...rest, conditions: others } : rest;
}

const othersIn = ({ conditions = [] }: DeploymentStatus, type: string): readonly DeploymentCondition[] =>
  conditions.filter((condition) => condition.type !== type);

const NO_DEADLINE = 2_147_483_647;

/** Seconds; undefined: there is none. */
export function deadlineOf({ spec }: Deployment): number | undefined {
  const deadline = spec?.progressDeadlineSeconds;
  return deadline === NO_DEADLINE ? undefined : deadline;
}
