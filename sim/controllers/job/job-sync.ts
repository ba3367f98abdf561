/**
 * One reconciliation of a Job: its pods are made or deleted, then it is told how it stands, then pods that have been
 * noted are let go. What is known after a crash in between is in the status and in the finalizers.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Job, JobCondition, JobStatus } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { type CallFailure, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, type Micros } from '../../engine/time.ts';
import { attemptAll, slowStart } from '../workload/attempts.ts';
import type { Expected } from '../workload/expected.ts';
import { isNamespaceEnding, type PodControl } from '../workload/pod-control.ts';
import { isReady } from '../workload/pods.ts';
import { assess, type Assessment, condition, type JobView, leftOfDeadline } from './job-assessment.ts';
import type { FailureRow } from './job-backoff.ts';
import { type JobPodPlan, newJobPod, planJobPods } from './job-pod-plan.ts';
import { isSuspended, isTracked, TRACKING_FINALIZER } from './job-pods.ts';
import {
  endedStatus,
  type JobOutcome,
  statusOf,
  type Tally,
  tally,
  withConditionIn,
  withoutUncounted,
} from './job-status.ts';

const { jobs, pods: podHandle } = BUILTIN_HANDLES;

export interface JobSyncOptions {
  readonly context: Context;
  readonly client: ApiClient;
  readonly events: EventRecorder;
  readonly podControl: PodControl;
  readonly expected: Expected;
  /** Finalizers that were taken away and not seen to be gone, by key of their Job. */
  readonly released: Map<string, Set<string>>;
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly row: FailureRow;
  readonly keepRow: (row: FailureRow) => void;
  readonly lookAgainAfter: (pause: Micros) => void;
}

interface Done {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly failure: CallFailure | undefined;
}

export class JobSync {
  readonly #options: JobSyncOptions;
  readonly #key: string;
  readonly #view: JobView;
  readonly #isSettled: boolean;
  #job: Job;

  constructor(options: JobSyncOptions) {
    const { context, expected, job, pods, row, released } = options;
    this.#options = options;
    this.#key = storeKeyOf(job);
    this.#isSettled = expected.areSatisfied(this.#key);
    this.#job = job;
    const nowMs = context.wallMs();
    const untracked = new Set(released.get(this.#key));
    this.#view = { job, pods, untracked, row, nowMs, now: formatTime(nowMs) };
  }

  *run(): Process<void> {
    const facts = assess(this.#view);
    const { failure, ...outcome } = facts.verdict ? yield* this.#end(facts) : yield* this.#goOn(facts);
    yield* this.#track(facts, outcome);
    if (failure) throw failure;
  }

  /** Nothing goes on: what runs is deleted. It is over only when all that there is has been. */
  *#end(facts: Assessment): Process<JobOutcome & Pick<Done, 'failure'>> {
    const done = yield* this.#delete(facts, facts.active, false);
    const isAll = done.active === 0 && this.#isSettled;
    return {
      ...this.#outcome(done, statusOf(this.#job)),
      verdict: isAll ? facts.verdict : undefined,
      failure: done.failure,
    };
  }

  *#goOn(facts: Assessment): Process<JobOutcome & Pick<Done, 'failure'>> {
    const { job } = this.#view;
    const left = leftOfDeadline(job, this.#view.nowMs);
    if (left !== undefined) this.#options.lookAgainAfter(milliseconds(left));
    const mayAct = this.#isSettled && job.metadata.deletionTimestamp === undefined;
    const idle = {
      active: facts.active.length,
      ready: facts.ready,
      terminating: facts.terminating,
      failure: undefined,
    };
    const done = mayAct ? yield* this.#perform(facts, planJobPods(this.#view, facts)) : idle;
    const { failure } = done;
    const wanted = job.spec?.completions;
    const isComplete = done.active === 0 && facts.succeeded >= (wanted ?? 1);
    if (isComplete) return { ...this.#outcome(done, statusOf(this.#job)), verdict: this.#success, failure };
    return {
      ...this.#outcome(done, mayAct ? this.#suspension() : statusOf(this.#job)),
      verdict: undefined,
      failure,
    };
  }

  get #success(): JobCondition {
    const facts = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
    return condition('SuccessCriteriaMet', facts, this.#view.now);
  }

  #outcome({ active, ready, terminating }: Done, status: JobStatus): Omit<JobOutcome, 'verdict'> {
    const { job, now } = this.#view;
    const old = job.status ?? {};
    const isStarted = status.startTime !== undefined || isSuspended(job);
    const isStatusNew =
      status.conditions !== old.conditions ||
      active !== (old.active ?? 0) ||
      ready !== old.ready ||
      terminating !== old.terminating;
    return {
      active,
      ready,
      terminating,
      status: isStarted ? status : { ...status, startTime: now },
      isStatusNew,
    };
  }

  /** A Job that is resumed starts anew: its deadline is one for the time that it may run. */
  #suspension(): JobStatus {
    const { job, now } = this.#view;
    const status = statusOf(job);
    const suspended = isSuspended(job);
    const facts = suspended
      ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
      : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
    const list = status.conditions ?? [];
    const conditions = withConditionIn(list, condition('Suspended', facts, now));
    if (conditions === list) return status;
    const reason = suspended ? 'Suspended' : 'Resumed';
    this.#options.events.record(job, { type: 'Normal', reason, message: facts.message });
    return { ...status, conditions, ...(!suspended && { startTime: now }) };
  }

  *#perform(facts: Assessment, plan: JobPodPlan): Process<Done> {
    const { active, ready, terminating } = facts;
    const idle = { active: active.length, ready, terminating, failure: undefined };
    switch (plan.kind) {
      case 'rest':
        return idle;
      case 'wait':
        this.#options.lookAgainAfter(milliseconds(Math.max(1000, plan.ms)));
        // As the real one tells it: none, although some may be there.
        return { ...idle, active: 0 };
      case 'delete':
        this.#options.expected.expectDeletions(this.#key, plan.pods.map(storeKeyOf));
        return yield* this.#delete(facts, plan.pods, true);
      case 'create':
        return yield* this.#create(facts, plan.indexes);
    }
  }

  *#create(facts: Assessment, indexes: readonly (number | undefined)[]): Process<Done> {
    const { context, expected } = this.#options;
    expected.expectCreations(this.#key, indexes.length);
    const waiting = [...indexes];
    const outcome = yield* slowStart(context, indexes.length, () => this.#createOne(facts, waiting.shift()));
    for (let index = 0; index < outcome.skipped; index++) expected.creationObserved(this.#key);
    const active = facts.active.length + outcome.successes;
    return { active, ready: facts.ready, terminating: facts.terminating, failure: outcome.failure };
  }

  *#createOne(facts: Assessment, index: number | undefined): Process<void> {
    const { job } = this.#view;
    const owner = ownerReferenceOf({ controllerHandle: jobs, controller: job });
    try {
      yield* this.#options.podControl.create(job, newJobPod(job, { owner, index, facts }));
    } catch (error) {
      // Whoever waits for it tries no more: nothing can be made there any more.
      if (isNamespaceEnding(error)) return;
      this.#options.expected.creationObserved(this.#key);
      throw error;
    }
  }

  /** `releases`: they are not to be counted. */
  *#delete(facts: Assessment, unwanted: readonly Pod[], releases: boolean): Process<Done> {
    const failures = yield* attemptAll(
      this.#options.context,
      unwanted.map((pod) => this.#deleteOne(pod, releases)),
    );
    const deleted = unwanted.length - failures.length;
    return {
      active: facts.active.length - deleted,
      ready: facts.ready - unwanted.filter(isReady).length,
      terminating: facts.terminating + deleted,
      failure: failures[0],
    };
  }

  *#deleteOne(pod: Pod, releases: boolean): Process<void> {
    try {
      if (releases && isTracked(pod)) yield* this.#release(pod);
      yield* this.#options.podControl.delete(this.#view.job, pod);
    } catch (error) {
      if (releases) this.#options.expected.deletionObserved(this.#key, storeKeyOf(pod));
      if (!isNotFound(error)) throw error;
    }
  }

  #release({ metadata: { namespace = '', name = '' } }: Pod): Process<Pod> {
    const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };
    return this.#options.client.patch(podHandle, { namespace, name }, { type: 'strategic', body });
  }

  *#track(facts: Assessment, outcome: JobOutcome): Process<void> {
    const counted = tally(this.#view, facts, outcome);
    let { status } = counted;
    if (counted.isStatusNew) {
      status = yield* this.#tell(status);
      this.#options.keepRow(facts.row);
    }
    const { tracked, failure } = yield* this.#releaseAll(counted);
    const settled = withoutUncounted(status, tracked);
    if (failure) {
      if (settled !== status) yield* this.#tell(settled);
      throw failure;
    }
    const ended = endedStatus(settled, counted);
    if (ended ?? settled !== status) yield* this.#tell(ended ?? settled);
    if (ended && counted.ending) this.#tellEnd(ended, counted.ending);
  }

  /** `tracked`: uids of pods that still have the finalizer. */
  *#releaseAll({
    release,
  }: Tally): Process<{ tracked: ReadonlySet<string>; failure: CallFailure | undefined }> {
    const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
    const tracked = new Set(this.#view.pods.filter((pod) => isTracked(pod)).map(uidOf));
    for (const uid of this.#view.untracked) tracked.delete(uid);
    const expected = this.#options.released.get(this.#key) ?? new Set();
    this.#options.released.set(this.#key, expected);
    for (const pod of release) expected.add(uidOf(pod));
    const failures = yield* attemptAll(
      this.#options.context,
      release.map((pod) => this.#releaseOne(pod, { tracked, expected })),
    );
    return { tracked, failure: failures[0] };
  }

  *#releaseOne(
    pod: Pod,
    { tracked, expected }: { tracked: Set<string>; expected: Set<string> },
  ): Process<void> {
    const { uid = '' } = pod.metadata;
    try {
      yield* this.#release(pod);
    } catch (error) {
      expected.delete(uid);
      if (!isCallFailure(error) || !isNotFound(error)) throw error;
    }
    tracked.delete(uid);
  }

  /** The status as it was written. */
  *#tell(status: JobStatus): Process<JobStatus> {
    this.#job = yield* this.#options.client.update(jobs, { ...this.#job, status }, { subresource: 'status' });
    return statusOf(this.#job);
  }

  #tellEnd({ succeeded = 0 }: JobStatus, { type, reason = '', message = '' }: JobCondition): void {
    const { events, job } = this.#options;
    if (type !== 'Complete') {
      events.record(job, { type: 'Warning', reason, message });
      return;
    }
    const { completions } = job.spec ?? {};
    if (completions !== undefined && succeeded > completions) {
      const text = 'Too many succeeded pods running after completion count reached';
      events.record(job, { type: 'Warning', reason: 'TooManySucceededPods', message: text });
    }
    events.record(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
  }
}
