/** What a Job wants to know of its pods: which index they are for, whether they have failed, and when. Pure. */
import type { Job } from '../../api/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/types/core-v1.ts';
import { isTerminating, phaseOf, podCondition, timeMs } from '../workload/pods.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const INDEX_NOTE = 'batch.kubernetes.io/job-completion-index';
export const FAILURES_NOTE = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_FAILURES_NOTE = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;
export const limitPerIndex = ({ spec }: Job): number | undefined => spec?.backoffLimitPerIndex;

export const isFinishedJob = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

/** Somebody else's business, who says so by name. */
export const isManagedByOthers = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

export const isTracked = ({ metadata }: Pod): boolean =>
  metadata.finalizers?.includes(TRACKING_FINALIZER) === true;

/** Only pods that have ended are replaced, not those that are about to. */
export const replacesOnlyEnded = ({ spec }: Job): boolean =>
  spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;

/** Undefined: it has none, or none that is a number. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_NOTE];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** An index that the Job has. */
export function validIndexOf(job: Job, pod: Pod): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0) ? index : undefined;
}

export function hasFailed(job: Job, pod: Pod): boolean {
  if (phaseOf(pod) === 'Failed') return true;
  return !replacesOnlyEnded(job) && isTerminating(pod) && phaseOf(pod) !== 'Succeeded';
}

export function countIn({ metadata }: Pod, note: string): number {
  const text = metadata.annotations?.[note] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** Failures of its index before it, those that do not count too. */
export const failuresBefore = (pod: Pod): number =>
  countIn(pod, FAILURES_NOTE) + countIn(pod, IGNORED_FAILURES_NOTE);

/** In ms: by its containers, or by what else tells when it was over. */
export function endedAt(pod: Pod): number {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const byContainers = latestEnd(pod.status?.containerStatuses ?? []);
  if (byContainers !== undefined) return byContainers;
  const ready = podCondition(pod, 'Ready');
  const unready = ready?.status === 'False' ? timeMs(ready.lastTransitionTime) : undefined;
  if (unready !== undefined) return unready;
  const deleted = timeMs(deletionTimestamp);
  if (deleted !== undefined) return deleted - deletionGracePeriodSeconds * 1000;
  return timeMs(creationTimestamp) ?? 0;
}

/** Undefined: not all have ended. */
function latestEnd(statuses: readonly ContainerStatus[]): number | undefined {
  const ends = statuses.map(({ state }) => timeMs(state?.terminated?.finishedAt));
  return ends.length > 0 && ends.every((end) => end !== undefined) ? Math.max(...ends) : undefined;
}
