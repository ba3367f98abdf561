/** Which pods a Job that goes on makes or deletes now, and how the ones that it makes look. Pure. */
import type { OwnerReference } from '../../api/object.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Container, Pod, PodSpec } from '../../api/types/core-v1.ts';
import { firstToGo } from '../replica-set/replica-plan.ts';
import { type PodDraft, podFromTemplate } from '../workload/pod-control.ts';
import { isActive, isFinished, isTerminating } from '../workload/pods.ts';
import type { Assessment, JobView } from './job-assessment.ts';
import { leftToWait, leftToWaitAfter } from './job-backoff.ts';
import { firstFree, type Indexes, union } from './job-indexes.ts';
import { judgeFailure } from './job-policies.ts';
import {
  countIn,
  FAILURES_NOTE,
  IGNORED_FAILURES_NOTE,
  INDEX_NOTE,
  indexOf,
  isIndexed,
  isSuspended,
  limitPerIndex,
  replacesOnlyEnded,
  TRACKING_FINALIZER,
  validIndexOf,
} from './job-pods.ts';

export type JobPodPlan =
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }
  /** Indexes; of a Job without, so many times undefined. */
  | { readonly kind: 'create'; readonly indexes: readonly (number | undefined)[] };

const MOST_AT_ONCE = 500;

export function planJobPods(view: JobView, facts: Assessment): JobPodPlan {
  const { job } = view;
  const active = facts.active.length;
  if (isSuspended(job)) return { kind: 'delete', pods: facts.active };
  const wanted = wantedActive(job, facts);
  const unwanted = podsToRemove(view, facts.active, Math.max(0, active - wanted)).slice(0, MOST_AT_ONCE);
  if (unwanted.length > 0) return { kind: 'delete', pods: unwanted };
  const missing = wanted - active - (replacesOnlyEnded(job) ? facts.terminating : 0);
  return missing > 0 ? planCreation(view, facts, Math.min(missing, MOST_AT_ONCE)) : { kind: 'rest' };
}

function wantedActive({ spec }: Job, { succeeded, active }: Assessment): number {
  const parallelism = spec?.parallelism ?? 1;
  // Who shares a queue of work is done when one has found it empty.
  if (spec?.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, spec.completions - succeeded));
}

/** Second pods of an index, and those of indexes that the Job does not have, in any case. */
function podsToRemove({ job, nowMs }: JobView, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const rank = (pods: readonly Pod[], count: number): readonly Pod[] =>
    firstToGo({ wanted: 0, pods, related: () => pods, nowMs }, count);
  if (!isIndexed(job)) return rank(active, atLeast);
  const byIndex = new Map<number | undefined, Pod[]>();
  for (const pod of active) {
    const index = validIndexOf(job, pod);
    byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  const surplus = [...byIndex].flatMap(([index, pods]) =>
    index === undefined ? pods : pods.length > 1 ? rank(pods, pods.length - 1) : [],
  );
  const left = active.filter((pod) => !surplus.includes(pod));
  return [...surplus, ...rank(left, Math.max(0, atLeast - surplus.length))];
}

function planCreation(view: JobView, facts: Assessment, count: number): JobPodPlan {
  const { job, nowMs } = view;
  const perIndex = limitPerIndex(job) !== undefined;
  const wait = perIndex ? 0 : leftToWait(facts.row, nowMs);
  if (wait > 0) return { kind: 'wait', ms: wait };
  if (!isIndexed(job)) return { kind: 'create', indexes: Array.from({ length: count }, () => undefined) };
  const free = firstFree(takenIndexes(view, facts), job.spec?.completions ?? 0, count);
  if (!perIndex) return { kind: 'create', indexes: free };
  const waits = free.map((index) => leftToWaitAfter(facts.lastFailed.get(index), nowMs));
  const ready = free.filter((_, position) => waits[position] === 0);
  if (ready.length > 0 || free.length === 0) return { kind: 'create', indexes: ready };
  return { kind: 'wait', ms: Math.min(...waits) };
}

function takenIndexes({ job, pods }: JobView, { succeededIndexes, failedIndexes }: Assessment): Indexes {
  const isThere = (pod: Pod): boolean =>
    isActive(pod) || (replacesOnlyEnded(job) && isTerminating(pod) && !isFinished(pod));
  const present = new Set(pods.filter(isThere).flatMap((pod) => indexOf(pod) ?? []));
  return union(succeededIndexes, present, failedIndexes ?? new Set());
}

const LONGEST_PREFIX = 58;

export interface NewJobPod {
  readonly owner: OwnerReference;
  readonly index: number | undefined;
  readonly facts: Assessment;
}

export function newJobPod(job: Job, { owner, index, facts }: NewJobPod): PodDraft {
  const { namespace = '', name: prefix = '' } = job.metadata;
  const pod = podFromTemplate(job.spec?.template, { namespace, prefix, owner });
  const finalizers = [...(pod.metadata.finalizers ?? [])];
  if (!finalizers.includes(TRACKING_FINALIZER)) finalizers.push(TRACKING_FINALIZER);
  if (index === undefined) {
    const spec = isIndexed(job) ? withIndexVariable(pod.spec) : pod.spec;
    return { metadata: { ...pod.metadata, finalizers }, ...(spec && { spec }) };
  }
  const ending = `-${index}-`;
  const spec = withIndexVariable(pod.spec);
  return {
    metadata: {
      ...pod.metadata,
      generateName: `${prefix.slice(0, LONGEST_PREFIX - ending.length)}${ending}`,
      labels: { ...pod.metadata.labels, [INDEX_NOTE]: String(index) },
      annotations: {
        ...pod.metadata.annotations,
        [INDEX_NOTE]: String(index),
        ...failureNotes(job, index, facts),
      },
      finalizers,
    },
    ...(spec && { spec: { ...spec, hostname: `${prefix}-${index}` } }),
  };
}

/** How often the index has failed before. */
function failureNotes(job: Job, index: number, { lastFailed }: Assessment): Readonly<Record<string, string>> {
  if (limitPerIndex(job) === undefined) return {};
  const last = lastFailed.get(index);
  const counts = last !== undefined && judgeFailure(job, last).counts;
  const failures = last ? countIn(last, FAILURES_NOTE) + (counts ? 1 : 0) : 0;
  const ignored = last ? countIn(last, IGNORED_FAILURES_NOTE) + (counts ? 0 : 1) : 0;
  return {
    [FAILURES_NOTE]: String(failures),
    ...(ignored > 0 && { [IGNORED_FAILURES_NOTE]: String(ignored) }),
  };
}

const INDEX_VARIABLE = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_NOTE}']` } },
};

function withIndexVariable(spec: PodSpec | undefined): PodSpec | undefined {
  const withVariable = (container: Container): Container =>
    container.env?.some(({ name }) => name === INDEX_VARIABLE.name)
      ? container
      : { ...container, env: [...(container.env ?? []), INDEX_VARIABLE] };
  return (
    spec && {
      ...spec,
      ...(spec.initContainers && { initContainers: spec.initContainers.map(withVariable) }),
      containers: spec.containers.map(withVariable),
    }
  );
}
