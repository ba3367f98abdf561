/** Which start of a CronJob is due, and when to look again. Pure. Specification: not shown: Kubernetes 1.31. */
import type { CronJob } from '../../api/types/batch-v1.ts';
import { timeMs } from '../workload/pods.ts';
import type { CronSchedule } from './cron-schedule.ts';

export type DueStart =
  | { readonly kind: 'none' }
  | { readonly kind: 'due'; readonly at: number; readonly isManyMissed: boolean }
  /** It can be read and makes no sense. */
  | { readonly kind: 'senseless' };

interface MostRecent {
  readonly earliest: number;
  readonly recent: number | undefined;
  readonly missed: number;
}

/** More than so many are told of. */
const MANY = 100;
/** Clocks differ a little: rather late than in vain. */
const MARGIN = 0.1;

/** The last one that has come and was not started; earlier ones are not made up for. Times in seconds. */
export function dueStart(cronJob: CronJob, schedule: CronSchedule, now: number): DueStart {
  const found = mostRecent(cronJob, { schedule, now, respectsDeadline: true });
  if (!found) return { kind: 'senseless' };
  if (found.recent === undefined) return { kind: 'none' };
  return { kind: 'due', at: found.recent, isManyMissed: found.missed > MANY };
}

/** Seconds from now. */
export function untilNextStart(cronJob: CronJob, schedule: CronSchedule, now: number): number {
  const found = mostRecent(cronJob, { schedule, now, respectsDeadline: false });
  const from = found ? (found.recent ?? (found.missed === 0 ? found.earliest : now)) : now;
  return (schedule.next(from) ?? now) + MARGIN - now;
}

interface Look {
  readonly schedule: CronSchedule;
  readonly now: number;
  readonly respectsDeadline: boolean;
}

/** Undefined: the schedule never comes, or twice at a time. */
function mostRecent({ metadata, spec, status }: CronJob, look: Look): MostRecent | undefined {
  const { schedule, now, respectsDeadline } = look;
  const since = (timeMs(status?.lastScheduleTime) ?? timeMs(metadata.creationTimestamp) ?? 0) / 1000;
  const deadline = spec?.startingDeadlineSeconds;
  const earliest = respectsDeadline && deadline !== undefined ? Math.max(since, now - deadline) : since;
  const first = schedule.next(earliest);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined || second <= first) return undefined;
  if (now < first) return { earliest, recent: undefined, missed: 0 };
  if (now < second) return { earliest, recent: first, missed: 0 };
  const missed = Math.floor((now - first) / (second - first)) + 1;
  // Near the end at once: there may be very many.
  const near = first + Math.max(-1, missed - 2) * (second - first);
  let recent: number | undefined;
  for (let at = schedule.next(near); at !== undefined && at <= now; at = schedule.next(at)) recent = at;
  return { earliest, recent, missed };
}
