/** Strings with a format that expressions know as a type of their own. */
import { parseDuration, TimeFormatError } from '../../time-format.ts';
import { parseTimestamp } from '../library/timestamp-text.ts';
import { CelError, Duration, type Result, Timestamp } from '../values/value.ts';

export function textValue(text: string, format: string | undefined): Result {
  switch (format) {
    case 'duration': {
      const nanos = durationOf(text);
      return nanos === undefined
        ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
        : new Duration(nanos);
    }
    case 'date': {
      const time = parseTimestamp(`${text}T00:00:00Z`);
      return time ?? new CelError(`Invalid date formatted string ${text}: parsing time "${text}"`);
    }
    case 'date-time': {
      const time = parseTimestamp(text.toUpperCase().replace(' ', 'T').replace(/:60/, ':59'));
      return time
        ? new Timestamp(time.seconds, time.nanos, time.offsetSeconds)
        : new CelError(`Invalid date-time formatted string ${text}: parsing time "${text}"`);
    }
    case 'byte':
      return bytesOf(text) ?? new CelError(`Invalid byte formatted string ${text}: illegal base64 data`);
    default:
      return text;
  }
}

const SECOND = 1_000_000_000n;
const UNITS: readonly (readonly [words: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec', 'second'], SECOND],
  [['m', 'min', 'minute'], 60n * SECOND],
  [['h', 'hr', 'hour'], 3_600n * SECOND],
  [['d', 'day'], 86_400n * SECOND],
  [['w', 'week', 'wk'], 604_800n * SECOND],
];

/** Go's durations, and words such as `3 days`. */
function durationOf(text: string): bigint | undefined {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof TimeFormatError)) throw error;
  }
  const match = /^\s*([0-9]+)\s*([a-zµ]+?)s?\s*$/i.exec(text);
  const word = (match?.[2] ?? '').toLowerCase();
  const unit = UNITS.find(([words]) => words.includes(word));
  return match && unit ? BigInt(match[1] ?? '0') * unit[1] : undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytesOf(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
