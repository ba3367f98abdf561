/** Parts of timestamps and durations: `getHours`, `getDayOfWeek`, in UTC or a named zone. */
import { goUnfilled } from '../../go-text.ts';
import { isZoneFolder, timeZoneOf, dateOf, type WallTime } from '../../time-zone/time-zone.ts';
import { type FunctionDeclaration, type Library, method, type Overload } from '../types/declarations.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types/type.ts';
import { secondsOf } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  Duration,
  NO_OVERLOAD,
  normalInt,
  type Result,
  Timestamp,
} from '../values/value.ts';

interface Wall extends WallTime {
  readonly nanos: number;
}

/** Seconds that clocks of the zone are ahead of UTC. */
function offsetOf(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':');
  if (colon < 0) {
    // Nor does Go look for such a file; servers run in UTC.
    if (/^[/\\]|\.\./.test(zone)) return new CelError('time: invalid location name');
    const offset = zone === 'Local' ? 0 : timeZoneOf(zone)?.offsetAt(seconds);
    return offset ?? new CelError(goUnfilled(noFile(zone) ?? `unknown time zone ${zone}`));
  }
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?[0-9]+$/.test(part))
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  }
  const sign = zone.startsWith('-') ? -1 : 1;
  return Number(hours) * 3600 + sign * Number(minutes) * 60;
}

const MOST_NAME_BYTES = 255;

/** Zones are files for Go: what keeps a system from looking for one is said instead. */
function noFile(zone: string): string | undefined {
  if (zone.includes('\0')) return 'invalid argument';
  const parts = zone.split('/');
  const isFile = (_part: string, index: number): boolean =>
    index > 0 && timeZoneOf(parts.slice(0, index).join('/')) !== undefined;
  if (parts.some(isFile)) return 'not a directory';
  if (isZoneFolder(zone.replace(/\/+$/, ''))) return 'is a directory';
  const isLong = (part: string): boolean => new TextEncoder().encode(part).length > MOST_NAME_BYTES;
  return parts.some(isLong) ? 'file name too long' : undefined;
}

function wallOf(value: CelValue, zone: CelValue): Wall | CelError {
  if (!(value instanceof Timestamp) || typeof zone !== 'string') return NO_OVERLOAD;
  const offset = offsetOf(zone, value.seconds);
  return typeof offset === 'number' ? { ...dateOf(value.seconds + offset), nanos: value.nanos } : offset;
}

const DAY_SECONDS = 86_400;

function dayOfYear({ year, month, day }: Wall): number {
  const secondsAt = (m: number, d: number): number => {
    const date = new Date(0);
    date.setUTCFullYear(year, m - 1, d);
    return date.getTime() / 1000;
  };
  return (secondsAt(month, day) - secondsAt(1, 1)) / DAY_SECONDS;
}

interface Part {
  readonly name: string;
  /** In the overloads' ids. */
  readonly word: string;
  readonly ofWall: (wall: Wall) => number;
  readonly ofDuration?: readonly [word: string, of: (duration: Duration) => Result];
}

const whole = (value: number): Result => normalInt(BigInt(Math.trunc(value)));

const PARTS: readonly Part[] = [
  { name: 'getFullYear', word: 'year', ofWall: ({ year }) => year },
  { name: 'getMonth', word: 'month', ofWall: ({ month }) => month - 1 },
  { name: 'getDayOfYear', word: 'day_of_year', ofWall: dayOfYear },
  { name: 'getDayOfMonth', word: 'day_of_month', ofWall: ({ day }) => day - 1 },
  { name: 'getDate', word: 'day_of_month_1_based', ofWall: ({ day }) => day },
  { name: 'getDayOfWeek', word: 'day_of_week', ofWall: ({ weekday }) => weekday },
  {
    name: 'getHours',
    word: 'hours',
    ofWall: ({ hour }) => hour,
    ofDuration: ['hours', ({ nanos }) => whole(secondsOf(nanos) / 3600)],
  },
  {
    name: 'getMinutes',
    word: 'minutes',
    ofWall: ({ minute }) => minute,
    ofDuration: ['minutes', ({ nanos }) => whole(secondsOf(nanos) / 60)],
  },
  {
    name: 'getSeconds',
    word: 'seconds',
    ofWall: ({ second }) => second,
    ofDuration: ['seconds', ({ nanos }) => whole(secondsOf(nanos))],
  },
  {
    name: 'getMilliseconds',
    word: 'milliseconds',
    ofWall: ({ nanos }) => Math.trunc(nanos / 1e6),
    ofDuration: ['milliseconds', ({ nanos }) => normalInt(nanos / 1_000_000n)],
  },
];

function declared({ name, word, ofWall, ofDuration }: Part): FunctionDeclaration {
  const read = (value: CelValue = null, zone: CelValue = 'UTC'): Result => {
    const wall = wallOf(value, zone);
    return wall instanceof CelError ? wall : ofWall(wall);
  };
  const overloads: Overload[] = [
    method(`timestamp_to_${word}`, [TIMESTAMP], INT, read),
    method(`timestamp_to_${word}_with_tz`, [TIMESTAMP, STRING], INT, read),
  ];
  if (ofDuration) {
    const [unit, of] = ofDuration;
    overloads.push(
      method(`duration_to_${unit}`, [DURATION], INT, (value) =>
        value instanceof Duration ? of(value) : NO_OVERLOAD,
      ),
    );
  }
  return { name, overloads };
}

export const TIMES: Library = {
  functions: PARTS.map(declared),
  // The real server's names of types are variables, too, which have no value.
  variables: new Map([
    ['timestamp', TIMESTAMP],
    ['duration', DURATION],
  ]),
};
