/**
 * The status of a Job and the pods that need not be kept for it any more. A pod counts once: first its uid is noted in
 * the status, then its finalizer goes, then it is counted and the uid forgotten. Pure.
 */
import type { Job, JobCondition, JobStatus } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { phaseOf } from '../workload/pods.ts';
import { type Assessment, condition, isCountable, type JobView } from './job-assessment.ts';
import { formatIndexes, union } from './job-indexes.ts';
import { judgeFailure } from './job-policies.ts';
import { hasFailed, isIndexed, validIndexOf } from './job-pods.ts';

/** What was done about the pods in this pass. */
export interface JobOutcome {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly verdict: JobCondition | undefined;
  /** With conditions and the start time as they are now. */
  readonly status: JobStatus;
  readonly isStatusNew: boolean;
}

export interface Tally {
  readonly status: JobStatus;
  readonly isStatusNew: boolean;
  /** What it ends with, once nothing is left to be counted: `Complete` or `Failed`. */
  readonly ending: JobCondition | undefined;
  readonly release: readonly Pod[];
  /** There is more to be counted than fits. */
  readonly hasMore: boolean;
}

const MOST_UNCOUNTED = 500;

export function tally(view: JobView, facts: Assessment, outcome: JobOutcome): Tally {
  const { job, now } = view;
  const countable = view.pods.filter((pod) => isCountable(view, pod));
  const tracked = new Set(countable.map(({ metadata }) => metadata.uid ?? ''));
  const base = withoutUncounted(outcome.status, tracked);
  const noted = noteEnded(view, {
    facts,
    verdict: outcome.verdict,
    pods: inOrder(job, countable),
    status: base,
  });
  const counted: JobStatus = {
    ...noted.status,
    active: outcome.active,
    ready: outcome.ready,
    terminating: outcome.terminating,
    ...indexStatus(job, facts, noted.indexes),
  };
  const { status, ending } = withVerdict(counted, outcome.verdict, now);
  const isIndexNew =
    status.completedIndexes !== outcome.status.completedIndexes ||
    status.failedIndexes !== outcome.status.failedIndexes;
  const isStatusNew =
    outcome.isStatusNew || base !== outcome.status || noted.isNew || isIndexNew || status !== counted;
  return { status, isStatusNew, ending, release: noted.release, hasMore: noted.hasMore };
}

const inOrder = (job: Job, pods: readonly Pod[]): readonly Pod[] =>
  isIndexed(job)
    ? pods.toSorted((a, b) => (validIndexOf(job, a) ?? -1) - (validIndexOf(job, b) ?? -1))
    : pods;

/** Noted pods whose finalizer is gone are counted. The same object: there are none. */
export function withoutUncounted(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = (uids: readonly string[]): readonly string[] => uids.filter((uid) => tracked.has(uid));
  const [stillSucceeded, stillFailed] = [left(succeeded), left(failed)];
  if (stillSucceeded.length === succeeded.length && stillFailed.length === failed.length) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed.length,
    uncountedTerminatedPods: uncounted(stillSucceeded, stillFailed),
  };
}

const uncounted = (succeeded: readonly string[], failed: readonly string[]) => ({
  ...(succeeded.length > 0 && { succeeded }),
  ...(failed.length > 0 && { failed }),
});

interface Ended {
  readonly facts: Assessment;
  readonly verdict: JobCondition | undefined;
  readonly pods: readonly Pod[];
  readonly status: JobStatus;
}

interface Noted {
  readonly status: JobStatus;
  readonly indexes: ReadonlySet<number>;
  readonly release: readonly Pod[];
  readonly isNew: boolean;
  readonly hasMore: boolean;
}

function noteEnded({ job }: JobView, { facts, verdict, pods, status }: Ended): Noted {
  const { succeeded: known = [], failed: knownFailed = [] } = status.uncountedTerminatedPods ?? {};
  const [succeeded, failed] = [[...known], [...knownFailed]];
  const indexes = new Set<number>();
  const release: Pod[] = [];
  let hasMore = false;
  for (const pod of pods) {
    if (!mayRelease(job, pod, { facts, verdict })) continue;
    release.push(pod);
    const { uid = '' } = pod.metadata;
    const index = validIndexOf(job, pod);
    const isOutside = isIndexed(job) && index === undefined;
    if (phaseOf(pod) === 'Succeeded' && !knownFailed.includes(uid)) {
      if (isIndexed(job)) {
        if (index !== undefined && !facts.formerIndexes.has(index)) indexes.add(index);
      } else if (!succeeded.includes(uid)) succeeded.push(uid);
    } else if (
      !isOutside &&
      !failed.includes(uid) &&
      isFailure(job, pod, verdict) &&
      judgeFailure(job, pod).counts
    )
      failed.push(uid);
    hasMore = indexes.size + succeeded.length + failed.length >= MOST_UNCOUNTED;
    if (hasMore) break;
  }
  const isNew = indexes.size > 0 || succeeded.length > known.length || failed.length > knownFailed.length;
  const noted = { ...status, uncountedTerminatedPods: uncounted(succeeded, failed) };
  return { status: isNew ? noted : status, indexes, release, isNew, hasMore };
}

/** Pods that the end of the Job ends have failed, too, unless it ends well. */
const isFailure = (job: Job, pod: Pod, verdict: JobCondition | undefined): boolean =>
  hasFailed(job, pod) || (verdict !== undefined && verdict.type !== 'SuccessCriteriaMet');

function mayRelease(job: Job, pod: Pod, { facts, verdict }: Pick<Ended, 'facts' | 'verdict'>): boolean {
  if (job.metadata.deletionTimestamp !== undefined || verdict || phaseOf(pod) === 'Succeeded') return true;
  if (!hasFailed(job, pod)) return false;
  const index = validIndexOf(job, pod);
  return index === undefined || facts.lastFailed.get(index)?.metadata.uid !== pod.metadata.uid;
}

function indexStatus(job: Job, facts: Assessment, fresh: ReadonlySet<number>): Partial<JobStatus> {
  if (!isIndexed(job)) return {};
  const succeeded = union(facts.succeededIndexes, fresh);
  const completedIndexes = formatIndexes(succeeded);
  return {
    succeeded: succeeded.size,
    ...((completedIndexes !== '' || job.status?.completedIndexes !== undefined) && { completedIndexes }),
    ...(facts.failedIndexes && { failedIndexes: formatIndexes(facts.failedIndexes) }),
  };
}

/** That it is to end is told before it ends. */
function withVerdict(
  status: JobStatus,
  verdict: JobCondition | undefined,
  now: string,
): { readonly status: JobStatus; readonly ending: JobCondition | undefined } {
  if (!verdict || verdict.type === 'Failed') return { status, ending: verdict };
  const { type, reason = '', message = '' } = verdict;
  const isTold = (status.conditions ?? []).some((one) => one.type === type);
  const told = isTold ? status : { ...status, conditions: [...(status.conditions ?? []), verdict] };
  const ending = condition(type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed', { reason, message }, now);
  return { status: told, ending };
}

/** Undefined: something is still to be waited for. */
export function endedStatus(status: JobStatus, { ending, hasMore }: Tally): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (!ending || hasMore || succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0)
    return undefined;
  const conditions = withConditionIn(status.conditions ?? [], ending);
  const { lastTransitionTime } = ending;
  const isComplete = ending.type === 'Complete' && lastTransitionTime !== undefined;
  return { ...status, conditions, ...(isComplete && { completionTime: lastTransitionTime }) };
}

/** The same list: it says so already, or never said otherwise. */
export function withConditionIn(list: readonly JobCondition[], made: JobCondition): readonly JobCondition[] {
  const known = list.find(({ type }) => type === made.type);
  if (!known) return made.status === 'False' ? list : [...list, made];
  const isSame =
    known.status === made.status && known.reason === made.reason && known.message === made.message;
  return isSame ? list : list.map((one) => (one === known ? made : one));
}

/** Before a Job is looked at. */
export const statusOf = ({ status }: Job): JobStatus => ({
  ...status,
  uncountedTerminatedPods: status?.uncountedTerminatedPods ?? {},
});
