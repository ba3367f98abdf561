/** A scheduler never gives a node more than it has, by what that scheduler knows of the node and of the pods on it. */
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import { amountOf, requestOf } from './amounts.ts';
import type { Binding, SchedulingRule } from './observation.ts';

/** Rounding of fractions. */
const TOLERANCE = 1e-6;

export class NeverOvercommits implements SchedulingRule {
  bindingProblem({ pod, nodes, there }: Binding): string | undefined {
    const others = (there as readonly Pod[]).filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    const all = [...others, pod as Pod];
    const [node] = nodes as readonly Node[];
    for (const resource of ['cpu', 'memory', 'pods', ...Object.keys(node?.status?.allocatable ?? {})]) {
      const room = Math.max(
        ...(nodes as readonly Node[]).map(({ status }) => amountOf(status?.allocatable?.[resource] ?? '0')),
      );
      const own = resource === 'pods' ? 1 : requestOf(pod, resource);
      const sum = all.reduce(
        (total, each) => total + (resource === 'pods' ? 1 : requestOf(each, resource)),
        0,
      );
      if (own > 0 && sum > room * (1 + TOLERANCE) + TOLERANCE)
        return `${node?.metadata.name ?? ''} has ${room} ${resource} for pods that ask for ${sum}`;
    }
    return undefined;
  }
}
