/**
 * When a schedule of five fields comes next, in a time zone. An hour that a clock leaves out has no starts, and one that
 * it shows twice has them twice, as with the library that real controllers use. Pure.
 */
import { parseDuration, TimeFormatError } from '../../api/time-format.ts';
import { dateOf, timeZoneOf, type TimeZone, type WallTime } from '../../api/time-zone/time-zone.ts';

export interface CronSchedule {
  /** The first start after an instant, in seconds since 1970; undefined: there is none within five years. */
  next(afterSeconds: number): number | undefined;
}

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const DAY = 86_400;
const LONGEST = 5 * 366 * DAY;

/** Undefined: it cannot be read, or its zone is not known. */
export function parseSchedule(text: string): CronSchedule | undefined {
  const [, zoneName = '', given = ''] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(text) ?? [];
  const zone = timeZoneOf(zoneName);
  const spec = WORDS[given.trim()] ?? given.trim();
  if (!zone) return undefined;
  if (spec.startsWith('@every ')) return intervalOf(spec.slice('@every '.length));
  const parts = spec.split(/\s+/);
  const values = parts.map((part, index) => valuesIn(part, FIELDS[index]));
  const [minutes, hours, days, months, weekdays] = values;
  if (parts.length !== FIELDS.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const isAny = [parts[2], parts[4]].some(
    (part) => part !== undefined && /^[*?]/.test(part) && !/\/(?!1$)/.test(part),
  );
  const fits: Fits = {
    day: ({ day, weekday, month }) =>
      months.has(month) &&
      (isAny ? days.has(day) && weekdays.has(weekday) : days.has(day) || weekdays.has(weekday)),
    hour: ({ hour }) => hours.has(hour),
    minute: ({ minute }) => minutes.has(minute),
  };
  return { next: (after) => nextFit(after, zone, fits) };
}

function intervalOf(text: string): CronSchedule | undefined {
  try {
    const seconds = Math.max(1, Number(parseDuration(text) / 1_000_000_000n));
    return { next: (after) => Math.floor(after) + seconds };
  } catch (error) {
    if (error instanceof TimeFormatError) return undefined;
    throw error;
  }
}

function valuesIn(text: string, field: Field | undefined): ReadonlySet<number> | undefined {
  if (!field) return undefined;
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [low = '', high] = range.split('-');
    const isAny = low === '*' || low === '?';
    const start = isAny ? field.min : numberIn(low, field);
    const end =
      isAny || (part.includes('/') && high === undefined) ? field.max : numberIn(high ?? low, field);
    const size = Number(step);
    if (!(size > 0) || !(start >= field.min) || !(end <= field.max) || start > end) return undefined;
    for (let value = start; value <= end; value += size) values.add(value);
  }
  return values;
}

function numberIn(text: string, { names }: Field): number {
  const at = names?.indexOf(text.toLowerCase()) ?? -1;
  if (at >= 0) return names?.length === 12 ? at + 1 : at;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

interface Fits {
  day(time: WallTime): boolean;
  hour(time: WallTime): boolean;
  minute(time: WallTime): boolean;
}

function nextFit(after: number, zone: TimeZone, fits: Fits): number | undefined {
  const end = after + LONGEST;
  let at = Math.floor(after / 60) * 60 + 60;
  while (at < end) {
    const time = dateOf(at + zone.offsetAt(at));
    if (!fits.day(time)) at = nextMidnight(at, zone, time);
    else if (!fits.hour(time)) at += 3600 - (time.minute * 60 + time.second);
    else if (!fits.minute(time)) at += 60;
    else return at;
  }
  return undefined;
}

/** Where the clock jumps over midnight, the first instant of the day; where it goes back, what is left of the day. */
function nextMidnight(at: number, zone: TimeZone, time: WallTime): number {
  const next = at + DAY - secondsOfDay(time);
  const there = dateOf(next + zone.offsetAt(next));
  if (there.day === time.day) return next;
  const earlier = next - secondsOfDay(there);
  return dateOf(earlier + zone.offsetAt(earlier)).day === there.day ? earlier : next;
}

const secondsOfDay = ({ hour, minute, second }: WallTime): number => hour * 3600 + minute * 60 + second;
