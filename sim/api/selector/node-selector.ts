/** Which nodes a pod wants: `nodeSelector` and required node affinity. Pure. Not shown in the specification: Kubernetes 1.31. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../types/core-v1.ts';

export function wantsNode(
  { nodeSelector = {}, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>,
  node: Node,
): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(nodeSelector).every(([name, value]) => labels[name] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** A term that asks for nothing matches nothing. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields: Readonly<Record<string, string>> = { 'metadata.name': metadata.name ?? '' };
  return (
    matchExpressions.every((requirement) => meets(requirement, metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => meets(requirement, fields[requirement.key]))
  );
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

const INTEGER = /^[+-]?[0-9]+$/;

function compares(operator: 'Gt' | 'Lt', value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined || !INTEGER.test(value) || !INTEGER.test(bound))
    return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}
