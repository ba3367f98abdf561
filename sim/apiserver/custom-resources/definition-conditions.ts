/** Conditions of a definition's status. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { Draft } from '../registry/strategy.ts';

export type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>;

/** The conditions with one replaced or added; its time changes only with its status. */
export function withCondition(
  present: readonly CustomResourceDefinitionCondition[],
  condition: Condition,
  now: string,
): Draft<CustomResourceDefinitionCondition>[] {
  const { type, status, reason, message } = condition;
  const old = present.find((candidate) => candidate.type === type);
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
  const next: Draft<CustomResourceDefinitionCondition> = {
    type,
    status,
    lastTransitionTime,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  return old
    ? present.map((candidate) => (candidate === old ? next : { ...candidate }))
    : [...present.map((candidate) => ({ ...candidate })), next];
}

export const conditionOf = (
  { status }: CustomResourceDefinition,
  type: string,
): CustomResourceDefinitionCondition | undefined =>
  status?.conditions?.find((candidate) => candidate.type === type);

export const isConditionTrue = (definition: CustomResourceDefinition, type: string): boolean =>
  conditionOf(definition, type)?.status === 'True';
