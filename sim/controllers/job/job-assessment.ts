/** How a Job stands, from its status and its pods: what has succeeded and failed, and whether it is over and why. Pure. */
import type { Job, JobCondition } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { isActive, isReady, isTerminating, isFinished, phaseOf, timeMs } from '../workload/pods.ts';
import { type Indexes, parseIndexes, union } from './job-indexes.ts';
import { judgeFailure, earlySuccess } from './job-policies.ts';
import { type FailureRow, rowWith } from './job-backoff.ts';
import {
  countIn,
  endedAt,
  failuresBefore,
  FAILURES_NOTE,
  hasFailed,
  isIndexed,
  isSuspended,
  isTracked,
  limitPerIndex,
  validIndexOf,
} from './job-pods.ts';

export interface JobView {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Uids of pods whose finalizer was taken away and that still seem to have it. */
  readonly untracked: ReadonlySet<string>;
  readonly row: FailureRow;
  readonly nowMs: number;
  /** As the API writes times. */
  readonly now: string;
}

export interface Assessment {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly row: FailureRow;
  /** Of an indexed Job. */
  readonly formerIndexes: Indexes;
  readonly succeededIndexes: Indexes;
  /** Only where indexes fail by themselves. */
  readonly failedIndexes: Indexes | undefined;
  /** By index the last pod that failed: it stays until it is replaced, for it knows how often the index has failed. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
  /** It is over, or is to be: `SuccessCriteriaMet`, `FailureTarget` or `Failed`. */
  readonly verdict: JobCondition | undefined;
}

export const condition = (
  type: string,
  {
    status = 'True',
    reason,
    message,
  }: { readonly status?: string; readonly reason: string; readonly message: string },
  now: string,
): JobCondition => ({ type, status, lastProbeTime: now, lastTransitionTime: now, reason, message });

export const conditionOf = ({ status }: Job, type: string): JobCondition | undefined =>
  status?.conditions?.find((one) => one.type === type);

/** Still to be counted: they have the finalizer. */
export const isCountable = ({ untracked }: JobView, pod: Pod): boolean =>
  isTracked(pod) && !untracked.has(pod.metadata.uid ?? '');

export function assess(view: JobView): Assessment {
  const { job, pods } = view;
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const fresh = (uncounted: readonly string[], isSo: (pod: Pod) => boolean): readonly Pod[] =>
    pods.filter(
      (pod) =>
        isCountable(view, pod) &&
        !uncounted.includes(pod.metadata.uid ?? '') &&
        (!isIndexed(job) || validIndexOf(job, pod) !== undefined) &&
        isSo(pod),
    );
  const newSucceeded = fresh(succeeded, (pod) => phaseOf(pod) === 'Succeeded');
  const newFailed = fresh(failed, (pod) => hasFailed(job, pod));
  const counting = newFailed.filter((pod) => judgeFailure(job, pod).counts).length;
  const indexes = assessIndexes(view);
  const active = pods.filter(isActive);
  const counted = {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    succeeded: isIndexed(job)
      ? indexes.succeededIndexes.size
      : (job.status?.succeeded ?? 0) + newSucceeded.length + succeeded.length,
    failed: (job.status?.failed ?? 0) + counting + failed.length,
    row: rowWith(view.row, job, [...newSucceeded, ...newFailed]),
    ...indexes,
  };
  return { ...counted, verdict: verdictOf(view, counted) };
}

type IndexFacts = Pick<Assessment, 'formerIndexes' | 'succeededIndexes' | 'failedIndexes' | 'lastFailed'>;
const NO_INDEXES: IndexFacts = {
  formerIndexes: new Set(),
  succeededIndexes: new Set(),
  failedIndexes: undefined,
  lastFailed: new Map(),
};

function assessIndexes(view: JobView): IndexFacts {
  const { job, pods } = view;
  if (!isIndexed(job)) return NO_INDEXES;
  const completions = job.spec?.completions ?? 0;
  const indexesOf = (isSo: (pod: Pod) => boolean): Indexes =>
    new Set(
      pods.flatMap((pod) => {
        const index = validIndexOf(job, pod);
        return index !== undefined && isTracked(pod) && isSo(pod) ? [index] : [];
      }),
    );
  const formerIndexes = parseIndexes(job.status?.completedIndexes, completions);
  const succeededIndexes = union(
    formerIndexes,
    indexesOf((pod) => phaseOf(pod) === 'Succeeded'),
  );
  if (limitPerIndex(job) === undefined) return { ...NO_INDEXES, formerIndexes, succeededIndexes };
  const failedIndexes = union(
    parseIndexes(job.status?.failedIndexes, completions),
    indexesOf((pod) => failsItsIndex(job, pod)),
  );
  const settled = union(succeededIndexes, failedIndexes, activeIndexes(job, pods));
  return { formerIndexes, succeededIndexes, failedIndexes, lastFailed: lastFailedPods(view, settled) };
}

const activeIndexes = (job: Job, pods: readonly Pod[]): Indexes =>
  new Set(pods.filter(isActive).flatMap((pod) => validIndexOf(job, pod) ?? []));

function failsItsIndex(job: Job, pod: Pod): boolean {
  if (!hasFailed(job, pod)) return false;
  const { counts, action } = judgeFailure(job, pod);
  return action === 'FailIndex' || (counts && countIn(pod, FAILURES_NOTE) >= (limitPerIndex(job) ?? 0));
}

function lastFailedPods(view: JobView, settled: Indexes): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of view.pods) {
    const index = validIndexOf(view.job, pod);
    if (index === undefined || settled.has(index) || !isCountable(view, pod) || !hasFailed(view.job, pod))
      continue;
    const known = last.get(index);
    const isLater =
      !known || (failuresBefore(known) <= failuresBefore(pod) && endedAt(pod) >= endedAt(known));
    if (isLater) last.set(index, pod);
  }
  return last;
}

function verdictOf(view: JobView, counted: Omit<Assessment, 'verdict'>): JobCondition | undefined {
  const { job, pods, now } = view;
  const met = conditionOf(job, 'SuccessCriteriaMet');
  if (met?.status === 'True') return met;
  const target = conditionOf(job, 'FailureTarget');
  if (target?.status === 'True')
    return condition('Failed', { reason: target.reason ?? '', message: target.message ?? '' }, now);
  const fatal = pods.filter((pod) => hasFailed(job, pod)).map((pod) => judgeFailure(job, pod).failsJob);
  const message = fatal.find((text) => text !== undefined);
  if (message !== undefined) return condition('FailureTarget', { reason: 'PodFailurePolicy', message }, now);
  const failure = limitExceeded(view, counted) ?? indexLimitExceeded(job, counted);
  if (failure) return condition('FailureTarget', failure, now);
  const early = isIndexed(job) ? earlySuccess(job, counted.succeededIndexes) : undefined;
  return early === undefined
    ? undefined
    : condition('SuccessCriteriaMet', { reason: 'SuccessPolicy', message: early }, now);
}

type Reason = { readonly reason: string; readonly message: string } | undefined;

function limitExceeded({ job, pods, nowMs }: JobView, { failed }: Omit<Assessment, 'verdict'>): Reason {
  if (failed > (job.spec?.backoffLimit ?? 6) || hasRestartedTooOften(job, pods))
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  const left = leftOfDeadline(job, nowMs);
  return left !== undefined && left <= 0
    ? { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
    : undefined;
}

/** In ms; undefined: there is no deadline, or it does not run. */
export function leftOfDeadline(job: Job, nowMs: number): number | undefined {
  const started = timeMs(job.status?.startTime);
  const deadline = job.spec?.activeDeadlineSeconds;
  if (deadline === undefined || isSuspended(job)) return undefined;
  return (started ?? nowMs) + deadline * 1000 - nowMs;
}

/** Where containers are restarted in their pods, these restarts count. */
function hasRestartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter((pod) => ['Running', 'Pending'].includes(phaseOf(pod)))
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function indexLimitExceeded(
  { spec }: Job,
  { failedIndexes, succeededIndexes }: Omit<Assessment, 'verdict'>,
): Reason {
  if (!failedIndexes) return undefined;
  if (spec?.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    return {
      reason: 'MaxFailedIndexesExceeded',
      message: 'Job has exceeded the specified maximal number of failed indexes',
    };
  }
  const isOver =
    failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= (spec?.completions ?? 0);
  return isOver ? { reason: 'FailedIndexes', message: 'Job has failed indexes' } : undefined;
}
