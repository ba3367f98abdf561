/** What controllers of workloads want to know of a pod. Pure. */
import { parseTime } from '../../api/time-format.ts';
import type { Pod, PodCondition } from '../../api/types/core-v1.ts';

export const isFinished = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** It counts as a replica. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

export function podCondition({ status }: Pod, type: string): PodCondition | undefined {
  const conditions = status?.conditions;
  if (conditions) for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

export const isReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

/** Ready for at least so long; `nowMs`: the controller's wall clock. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySinceMs(pod);
  return since !== undefined && since + minReadySeconds * 1000 < nowMs;
}

export function readySinceMs(pod: Pod): number | undefined {
  const ready = podCondition(pod, 'Ready');
  return ready?.status === 'True' ? timeMs(ready.lastTransitionTime) : undefined;
}

/** Undefined: no time, or none that can be read. */
export function timeMs(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  return parseTime(text).epochSeconds * 1000;
}

export const phaseOf = ({ status }: Pod): string => status?.phase ?? 'Pending';
