/**
 * A CronJob starts once at each of its times and, where it is to start every so many minutes and nothing forbids it, does
 * not leave one out while nothing hinders it. Whoever has not heard of a Job that is gone again, or has heard of the Job but
 * not of what its CronJob notes of the start, cannot know of it.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { CronJob, Job } from '../../sim/api/types/batch-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from '../nodes/observation.ts';
import { controllerOf, nameOf } from './owned-pods.ts';
import { Views } from './views.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const MINUTE = 60 * SECOND;
/** From a start to its Job, with a retry. */
const PATIENCE = 15 * SECOND;

interface Followed {
  cronJob: CronJob;
  /** Starts that there were, in milliseconds, and when their first Jobs were made or, once that was done, they were noted. */
  readonly starts: Map<number, number>;
  /** Last start, or when it could have begun to start. */
  since: number;
}

export class CronStartsOnce implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #cronJobs = new Map<string, Followed>();
  readonly #views = new Views({ of: ['CronJob', 'Job'], writes: 'jobs' });
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    this.#views.observe(observation);
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = wellSince(observation);
    if (observation.kind !== 'stored') return;
    const { before, after } = observation;
    const object = after ?? before;
    if (object?.kind === 'CronJob') this.#cronJobStored(at, before, after);
    else if (object?.kind === 'Job' && after && !before) this.#started(at, after);
  }

  look(at: number): void {
    if (this.#wholeSince === undefined) return;
    for (const followed of this.#cronJobs.values()) {
      const every = intervalOf(followed.cronJob);
      const from = Math.max(followed.since, this.#wholeSince);
      if (every === undefined || at - from <= every + PATIENCE + this.#settings.slack) continue;
      this.#settings.report(
        at,
        `CronJob ${nameOf(followed.cronJob)} has not started for ${inSeconds(at - from)}`,
      );
      followed.since = Infinity;
    }
  }

  #cronJobStored(at: number, before: CronJob | undefined, after: CronJob | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (!after) {
      this.#cronJobs.delete(uid);
      return;
    }
    const known = this.#cronJobs.get(uid) ?? { cronJob: after, starts: new Map<number, number>(), since: at };
    this.#cronJobs.set(uid, known);
    const noted = lastStartOf(after);
    if (noted !== undefined && noted !== lastStartOf(before) && known.starts.has(noted))
      known.starts.set(noted, at);
    if (after.metadata.generation !== known.cronJob.metadata.generation) known.since = at;
    known.cronJob = after;
  }

  #started(at: number, job: Job): void {
    const followed = this.#cronJobs.get(controllerOf(job)?.uid ?? '');
    const start = job.metadata.annotations?.[SCHEDULED_AT];
    if (!followed || start === undefined) return;
    followed.since = at;
    const startMs = Date.parse(start);
    const knownAt = followed.starts.get(startMs);
    if (knownAt === undefined) followed.starts.set(startMs, at);
    else if (this.#views.missedSince(job, at) > knownAt)
      this.#settings.report(at, `CronJob ${nameOf(followed.cronJob)} has started a second time at ${start}`);
  }
}

function lastStartOf(cronJob: CronJob | undefined): number | undefined {
  const { lastScheduleTime } = cronJob?.status ?? {};
  return lastScheduleTime === undefined ? undefined : Date.parse(lastScheduleTime);
}

/** In microseconds, where it is told by minutes alone and must start in any case. */
function intervalOf({ metadata, spec }: CronJob): number | undefined {
  const [, step = '1'] = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(spec?.schedule ?? '') ?? [undefined, '0'];
  const minutes = Number(step);
  if (minutes < 1 || 60 % minutes !== 0 || spec?.suspend === true || metadata.deletionTimestamp !== undefined)
    return undefined;
  return spec?.concurrencyPolicy === 'Forbid' ? undefined : minutes * MINUTE;
}
