/** What rules want to know of a pod, read from what is stored of it. Pure. */
import type { Pod } from '../sim/api/types/core-v1.ts';

export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether it runs or not: of a pod on a lost node the condition is all that anybody writes. */
export const saysReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

export const isReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && saysReady(pod);
