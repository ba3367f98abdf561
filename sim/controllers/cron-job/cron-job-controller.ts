/**
 * The CronJob controller: a Job at each start of a schedule, called after the minute, so that no start comes twice. Of
 * several that were missed only the last is made up for. Specification: not shown: Kubernetes 1.31.
 */
import { formatTime } from '../../api/time-format.ts';
import { dateOf, timeZoneOf } from '../../api/time-zone/time-zone.ts';
import type { CronJob, CronJobStatus, Job } from '../../api/types/batch-v1.ts';
import type { ObjectReference } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import { compareStrings } from '../../api/go-text.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { isNamespaceEnding, messageOf } from '../workload/pod-control.ts';
import { type CronSchedule, parseSchedule } from './cron-schedule.ts';
import { dueStart, untilNextStart } from './missed-starts.ts';

const { cronJobs, jobs } = BUILTIN_HANDLES;
const WORKERS = 5;
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

export const CRON_JOB = defineController({
  name: 'cronjob-controller',
  formerNames: ['cronjob'],
  serviceAccount: 'cronjob-controller',
  start: (world) => new CronJobController(world).run(),
});

/** A status as it becomes in one reconciliation, written once at its end. */
interface Progress {
  readonly cronJob: CronJob;
  status: CronJobStatus;
  readonly jobs: readonly Job[];
}

class CronJobController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #cronJobs: SharedInformer<CronJob>;
  readonly #jobs: SharedInformer<Job>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#client = client;
    this.#cronJobs = informerOf(cronJobs);
    this.#jobs = informerOf(jobs);
    this.#queue = new WorkQueue(context);
    this.#events = new EventRecorder(client, 'cronjob-controller');
  }

  *run(): Process<void> {
    const note = (cronJob: CronJob): void => this.#queue.add(storeKeyOf(cronJob));
    this.#cronJobs.addHandler({
      added: note,
      changed: (cronJob, old) => this.#changed(cronJob, old),
      removed: note,
    });
    const jobChanged = (job: Job): void => this.#jobChanged(job);
    this.#jobs.addHandler({ added: jobChanged, changed: jobChanged, removed: jobChanged });
    for (const informer of [this.#cronJobs, this.#jobs]) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key), workers: WORKERS });
  }

  /** A new schedule is looked at when it is due. */
  #changed(cronJob: CronJob, old: CronJob): void {
    const key = storeKeyOf(cronJob);
    if (scheduleText(cronJob) === scheduleText(old)) {
      this.#queue.add(key);
      return;
    }
    const schedule = parseSchedule(scheduleText(cronJob));
    if (schedule) this.#queue.addAfter(key, this.#untilNext(cronJob, schedule));
  }

  #jobChanged(job: Job): void {
    const owner = controllerOf(job);
    if (owner?.kind !== cronJobs.kind) return;
    const key = `${job.metadata.namespace ?? ''}/${owner.name}`;
    if (this.#cronJobs.store.get(key)?.metadata.uid === owner.uid) this.#queue.add(key);
  }

  get #now(): number {
    return this.#context.wallMs() / 1000;
  }

  #untilNext(cronJob: CronJob, schedule: CronSchedule): Micros {
    return Math.max(0, Math.round(untilNextStart(cronJob, schedule, this.#now) * 1e6)) as Micros;
  }

  *#reconcile(key: string): Process<undefined | { requeueAfter: Micros }> {
    const cached = this.#cronJobs.store.get(key);
    if (!cached) return undefined;
    const cronJob: CronJob = { ...cached, apiVersion: 'batch/v1', kind: cronJobs.kind };
    const owned = this.#jobs.store.byIndex('controller', cronJob.metadata.uid ?? '');
    const progress: Progress = { cronJob, status: cronJob.status ?? {}, jobs: owned };
    yield* this.#cleanUp(progress);
    let failure: unknown;
    let requeueAfter: Micros | undefined;
    try {
      requeueAfter = yield* this.#sync(progress);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      failure = error;
    }
    if (progress.status !== (cronJob.status ?? progress.status))
      yield* this.#client.update(
        cronJobs,
        { ...cronJob, status: progress.status },
        { subresource: 'status' },
      );
    if (failure !== undefined) throw failure;
    return requeueAfter === undefined ? undefined : { requeueAfter };
  }

  *#sync(progress: Progress): Process<Micros | undefined> {
    const { cronJob } = progress;
    yield* this.#noteEnds(progress);
    if (cronJob.metadata.deletionTimestamp !== undefined) return undefined;
    const zone = cronJob.spec?.timeZone ?? '';
    if (!timeZoneOf(zone)) {
      this.#warn(cronJob, 'UnknownTimeZone', `invalid timeZone: "${zone}": unknown time zone ${zone}`);
      return undefined;
    }
    if (cronJob.spec?.suspend === true) return undefined;
    const schedule = parseSchedule(scheduleText(cronJob));
    if (!schedule) {
      this.#warn(cronJob, 'UnparseableSchedule', `unparseable schedule: "${cronJob.spec?.schedule ?? ''}"`);
      return undefined;
    }
    return yield* this.#start(progress, schedule);
  }

  *#start(progress: Progress, schedule: CronSchedule): Process<Micros | undefined> {
    const { cronJob } = progress;
    const current = (): CronJob => ({ ...cronJob, status: progress.status });
    const due = dueStart(current(), schedule, this.#now);
    if (due.kind === 'senseless') {
      const why = 'time difference between two schedules is less than 1 second';
      this.#warn(cronJob, 'InvalidSchedule', `invalid schedule: ${cronJob.spec?.schedule ?? ''} : ${why}`);
      return undefined;
    }
    if (due.kind === 'due') {
      if (due.isManyMissed) {
        const why = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
        this.#warn(cronJob, 'TooManyMissedTimes', `too many missed start times. ${why}`);
      }
      if (!(yield* this.#startJob(progress, due.at))) return undefined;
    }
    return this.#untilNext(current(), schedule);
  }

  /** False: there is nothing to come back for. */
  *#startJob(progress: Progress, at: number): Process<boolean> {
    const { cronJob } = progress;
    const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec ?? {};
    const active = progress.status.active ?? [];
    if (startingDeadlineSeconds !== undefined && at + startingDeadlineSeconds < this.#now) {
      this.#warn(cronJob, 'MissSchedule', `Missed scheduled time to start a job: ${longTime(at)}`);
      return true;
    }
    const name = jobName(cronJob, at);
    const isStarted = progress.status.lastScheduleTime === formatTime(at * 1000);
    if (isStarted || active.some((reference) => reference.name === name)) return true;
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#events.record(cronJob, { type: 'Normal', reason: 'JobAlreadyActive', message });
      return true;
    }
    if (concurrencyPolicy === 'Replace')
      for (const reference of active) yield* this.#replace(progress, reference);
    const job = yield* this.#create(cronJob, name, at);
    if (!job) return false;
    progress.status = {
      ...progress.status,
      active: [...(progress.status.active ?? []), referenceTo(job)],
      lastScheduleTime: formatTime(at * 1000),
    };
    return true;
  }

  /** Undefined: somebody else has the name, or it was noted already. */
  *#create(cronJob: CronJob, name: string, at: number): Process<Job | undefined> {
    const { namespace = '' } = cronJob.metadata;
    try {
      const job = yield* this.#client.create(jobs, jobOf(cronJob, name, at));
      this.#events.record(cronJob, {
        type: 'Normal',
        reason: 'SuccessfulCreate',
        message: `Created job ${name}`,
      });
      return job;
    } catch (error) {
      if (isAlreadyExists(error)) {
        const present = yield* this.#client.get(jobs, { namespace, name });
        return controllerOf(present)?.uid === cronJob.metadata.uid ? present : undefined;
      }
      if (isCallFailure(error) && !isNamespaceEnding(error))
        this.#warn(cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
      throw error;
    }
  }

  *#replace(progress: Progress, { namespace = '', name = '', uid }: ObjectReference): Process<void> {
    const { cronJob } = progress;
    try {
      yield* this.#client.get(jobs, { namespace, name });
    } catch (error) {
      if (isCallFailure(error)) this.#warn(cronJob, 'FailedGet', `Get job: ${messageOf(error)}`);
      throw error;
    }
    yield* this.#delete(cronJob, name);
    progress.status = withoutActive(progress.status, uid);
  }

  *#delete(cronJob: CronJob, name: string): Process<void> {
    const { namespace = '' } = cronJob.metadata;
    try {
      yield* this.#client.delete(jobs, { namespace, name }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (isCallFailure(error)) this.#warn(cronJob, 'FailedDelete', `Deleted job: ${messageOf(error)}`);
      throw error;
    }
    this.#events.record(cronJob, {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted job ${name}`,
    });
  }

  /** Jobs that have ended leave the list of active ones, those that are not in it are told of, and so are missing ones. */
  *#noteEnds(progress: Progress): Process<void> {
    for (const job of progress.jobs) {
      const { uid = '', name = '' } = job.metadata;
      const isListed = (progress.status.active ?? []).some((reference) => reference.uid === uid);
      const end = endOf(job);
      if (end === undefined) {
        if (!isListed) yield* this.#noteUnexpected(progress, uid, name);
        continue;
      }
      if (isListed) {
        progress.status = withoutActive(progress.status, uid);
        const message = `Saw completed job: ${name}, condition: ${end}`;
        this.#events.record(progress.cronJob, { type: 'Normal', reason: 'SawCompletedJob', message });
      }
      const { completionTime } = job.status ?? {};
      const last = progress.status.lastSuccessfulTime ?? '';
      if (end === 'Complete' && completionTime !== undefined && completionTime > last)
        progress.status = { ...progress.status, lastSuccessfulTime: completionTime };
    }
    yield* this.#noteMissing(progress);
  }

  /** The list in the informer may be older than the Job. */
  *#noteUnexpected(progress: Progress, uid: string, job: string): Process<void> {
    const { namespace = '', name = '' } = progress.cronJob.metadata;
    const fresh = yield* this.#client.get(cronJobs, { namespace, name });
    if ((fresh.status?.active ?? []).some((reference) => reference.uid === uid)) {
      progress.status = { ...fresh.status };
      return;
    }
    const message = `Saw a job that the controller did not create or forgot: ${job}`;
    this.#warn(progress.cronJob, 'UnexpectedJob', message);
  }

  *#noteMissing(progress: Progress): Process<void> {
    const present = new Set(progress.jobs.map(({ metadata }) => metadata.uid));
    for (const { namespace = '', name = '', uid } of progress.status.active ?? []) {
      if (present.has(uid)) continue;
      try {
        yield* this.#client.get(jobs, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const message = `Active job went missing: ${name}`;
        this.#events.record(progress.cronJob, { type: 'Normal', reason: 'MissingJob', message });
        progress.status = withoutActive(progress.status, uid);
      }
    }
  }

  /** The oldest of those that have ended go, beyond a number for each kind of end. */
  *#cleanUp(progress: Progress): Process<void> {
    const { failedJobsHistoryLimit, successfulJobsHistoryLimit } = progress.cronJob.spec ?? {};
    const limits = [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const;
    for (const [end, limit] of limits) {
      if (limit === undefined) continue;
      const ended = progress.jobs
        .filter((job) => endOf(job) === end)
        .sort((a, b) => compareStrings(ageKey(a), ageKey(b)));
      for (const { metadata } of ended.slice(0, Math.max(0, ended.length - limit)))
        yield* this.#remove(progress, metadata.name ?? '', metadata.uid);
    }
  }

  *#remove(progress: Progress, name: string, uid: string | undefined): Process<void> {
    try {
      yield* this.#delete(progress.cronJob, name);
      progress.status = withoutActive(progress.status, uid);
    } catch (error) {
      // It stays until the next look.
      if (!isCallFailure(error)) throw error;
    }
  }

  #warn(cronJob: CronJob, reason: string, message: string): void {
    this.#events.record(cronJob, { type: 'Warning', reason, message });
  }
}

function scheduleText({ spec }: CronJob): string {
  const { schedule = '', timeZone } = spec ?? {};
  return timeZone === undefined || schedule.includes('TZ=') ? schedule : `TZ=${timeZone} ${schedule}`;
}

/** Called after the minute of its start. */
const jobName = ({ metadata }: CronJob, at: number): string =>
  `${metadata.name ?? ''}-${Math.floor(at / 60)}`;

function jobOf(
  cronJob: CronJob,
  name: string,
  at: number,
): Pick<Job, 'metadata' | 'spec'> & Record<string, unknown> {
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const annotations = {
    ...metadata?.annotations,
    [SCHEDULED_AT]: timeInZone(at, cronJob.spec?.timeZone ?? ''),
  };
  return {
    metadata: {
      name,
      namespace: cronJob.metadata.namespace ?? '',
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations,
      ownerReferences: [ownerReferenceOf({ controllerHandle: cronJobs, controller: cronJob })],
    },
    ...(spec && { spec }),
  };
}

/** `2025-07-01T09:00:00+02:00`. */
function timeInZone(at: number, zone: string): string {
  const offset = timeZoneOf(zone)?.offsetAt(at) ?? 0;
  const wall = formatTime((at + offset) * 1000);
  if (offset === 0) return wall;
  const minutes = Math.abs(offset) / 60;
  const text = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return `${wall.slice(0, -1)}${offset < 0 ? '-' : '+'}${text}`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Wed, 01 Jan 2025 00:00:00 +0000`. */
function longTime(at: number): string {
  const { weekday, day, month, year } = dateOf(at);
  const date = `${String(day).padStart(2, '0')} ${MONTHS[month - 1] ?? ''} ${year}`;
  return `${DAYS[weekday] ?? ''}, ${date} ${formatTime(at * 1000).slice(11, 19)} +0000`;
}

const endOf = ({ status }: Job): string | undefined =>
  status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  )?.type;

/** Those that never began are the youngest. */
const ageKey = ({ metadata: { name = '' }, status }: Job): string => `${status?.startTime ?? '~'} ${name}`;

function referenceTo({ metadata }: Job): ObjectReference {
  const { namespace = '', name = '', uid, resourceVersion } = metadata;
  return {
    kind: 'Job',
    namespace,
    name,
    ...(uid !== undefined && { uid }),
    apiVersion: 'batch/v1',
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The same object: it was not among them. */
function withoutActive(status: CronJobStatus, uid: string | undefined): CronJobStatus {
  const active = status.active ?? [];
  const left = active.filter((reference) => reference.uid !== uid);
  if (left.length === active.length) return status;
  const { active: _, ...rest } = status;
  return left.length > 0 ? { ...rest, active: left } : rest;
}
