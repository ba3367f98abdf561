/** What becomes of a pod whose node is not ready. Pure. */
import { formatTime } from '../../api/time-format.ts';
import type { Pod } from '../../api/types/core-v1.ts';

/** A patch of the status that takes the pod's readiness away; undefined: it has none. Reason and message stay. */
export function notReadyStatusOf(pod: Pod, nowMs: number): object | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: formatTime(nowMs) }] };
}
