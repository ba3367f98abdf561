/** RFC 3339 as Go reads it, to the nanosecond and with its zone. */
import { Timestamp } from '../values/value.ts';

const FORM =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/** Undefined: no such text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetSeconds = offsetOf(match[8] ?? 'Z');
  if (offsetSeconds === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetSeconds;
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp(seconds, nanos, offsetSeconds);
}

function offsetOf(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}
