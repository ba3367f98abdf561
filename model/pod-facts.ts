/** What rules want to know of a pod, read from what is stored of it. Pure. */
import type { Pod } from '../sim/api/types/core-v1.ts';

export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether it runs or not: of a pod on a lost node the condition is all that anybody writes. */
export const saysReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

export const isReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && saysReady(pod);

const OF_NODES_ALONE =
  /^0\/\d+ nodes are available: (\d+ node\(s\) (were unschedulable|had untolerated taint \{[^}]*\}|didn't match Pod's node affinity\/selector)(, |\.))+( preemption: |$)/;

/** What was last said of it: every node is closed to it, and none is full. */
export function isKeptByNodesAlone({ status }: Pod): boolean {
  const { message = '' } = status?.conditions?.find(({ type }) => type === 'PodScheduled') ?? {};
  return OF_NODES_ALONE.test(message);
}
