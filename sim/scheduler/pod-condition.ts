/** The patch by which a pod says why it has no node. Pure. */
import type { Pod, PodCondition } from '../api/types/core-v1.ts';

export interface Verdict {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The node that the pod is promised; undefined: as before. */
  readonly nominated?: string | undefined;
}

/** Undefined: the pod says so already. */
export function verdictPatch(
  pod: Pod,
  { reason, message, nominated }: Verdict,
  now: string,
): object | undefined {
  const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const isSaid = known?.status === 'False' && known.reason === reason && known.message === message;
  const isPromised = nominated === undefined || nominated === (pod.status?.nominatedNodeName ?? '');
  if (isSaid && isPromised) return undefined;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    lastTransitionTime: known?.status === 'False' ? (known.lastTransitionTime ?? now) : now,
    reason,
    message,
  };
  return {
    status: {
      ...(!isSaid && withCondition(pod, condition)),
      ...(!isPromised && { nominatedNodeName: nominated === '' ? null : nominated }),
    },
  };
}

/** Changes or adds one condition and leaves the others where they are; a part of a strategic merge patch. */
export function withCondition({ status }: Pod, condition: PodCondition): object {
  const types = (status?.conditions ?? []).map(({ type }) => ({ type }));
  const isNew = types.every(({ type }) => type !== condition.type);
  return {
    '$setElementOrder/conditions': isNew ? [...types, { type: condition.type }] : types,
    conditions: [condition],
  };
}

const LONGEST_NOTE = 1024;

/** Events say no more than that. */
export const shortened = (text: string): string =>
  text.length <= LONGEST_NOTE ? text : `${text.slice(0, LONGEST_NOTE - 4)} ...`;
