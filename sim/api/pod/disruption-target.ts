/** The condition by which a pod says that it is to go, and why. */
import type { Pod, PodCondition } from '../types/core-v1.ts';

export interface DisruptionCause {
  readonly reason: string;
  readonly message: string;
}

const TYPE = 'DisruptionTarget';

/** Announced twice, for whatever reason, it still turned when it was announced first. Pure. */
export function disruptionTarget(
  { status }: Pick<Pod, 'status'>,
  { reason, message }: DisruptionCause,
  now: string,
): PodCondition {
  const known = status?.conditions?.find(({ type }) => type === TYPE);
  const lastTransitionTime = known?.status === 'True' ? (known.lastTransitionTime ?? now) : now;
  return { type: TYPE, status: 'True', reason, message, lastTransitionTime };
}
