/**
 * Times as the API writes them: RFC 3339 in UTC, whole seconds (`Time`) or six decimals (`MicroTime`),
 * and durations in Go's form (`1h0m0s`). Refusals carry Go's words. Knows no clock.
 */

/** The text is no time or duration; the message is the server's. */
export class TimeFormatError extends Error {
  override readonly name = 'TimeFormatError';
}

const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICROS_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** Milliseconds since 1970 (floored to whole seconds) plus what is below the second. */
export interface ParsedTime {
  readonly epochSeconds: number;
  /** 0 … 999999. */
  readonly micros: number;
}

const DAYS_BEFORE_EPOCH_OF_YEAR_0 = 719528;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysIn = (month: number, year: number): number =>
  month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 31);

const daysSinceEpoch = (year: number, month: number, day: number): number => {
  let days = year * 365 + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
  for (let index = 1; index < month; index++) days += daysIn(index, year);
  return days + day - 1 - DAYS_BEFORE_EPOCH_OF_YEAR_0;
};

/** Go's `time.quote`: like a JSON string, but of plain ASCII. */
const quote = (text: string): string => {
  let quoted = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === '"' || char === '\\') quoted += `\\${char}`;
    else if (code >= 0x20 && code < 0x80) quoted += char;
    else
      for (const byte of new TextEncoder().encode(char)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `"${quoted}"`;
};

/** Reads a time from left to right and remembers where it stands, for the error's words. */
class TimeReader {
  rest: string;
  readonly #value: string;
  readonly #layout: string;

  constructor(value: string, layout: string) {
    this.rest = value;
    this.#value = value;
    this.#layout = layout;
  }

  fail(element: string, at = this.rest): never {
    throw new TimeFormatError(
      `parsing time ${quote(this.#value)} as ${quote(this.#layout)}: cannot parse ${quote(at)} as ${quote(element)}`,
    );
  }

  refuse(message: string): never {
    throw new TimeFormatError(`parsing time ${quote(this.#value)}: ${message}`);
  }

  literal(char: string): void {
    if (!this.rest.startsWith(char)) this.fail(char);
    this.rest = this.rest.slice(1);
  }

  /** One or two digits, two if `fixed`. */
  number(element: string, fixed: boolean): number {
    const match = (fixed ? /^[0-9]{2}/ : /^[0-9]{1,2}/).exec(this.rest);
    if (!match) return this.fail(element);
    this.rest = this.rest.slice(match[0].length);
    return Number(match[0]);
  }

  ranged(element: string, fixed: boolean, limits: { min: number; max: number; name: string }): number {
    const value = this.number(element, fixed);
    if (value < limits.min || value > limits.max) this.refuse(`${limits.name} out of range`);
    return value;
  }
}

const microsOf = (digits: string): number => Number(digits.slice(0, 6).padEnd(6, '0'));

/** Offset from UTC in seconds. */
const readOffset = (reader: TimeReader): number => {
  if (reader.rest.startsWith('Z')) {
    reader.rest = reader.rest.slice(1);
    return 0;
  }
  const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(reader.rest);
  if (!match) return reader.fail('Z07:00');
  const [whole, sign, hourText, minuteText] = match;
  const hours = Number(hourText);
  const minutes = Number(minuteText);
  if (hours > 24) reader.refuse('time zone offset hour out of range');
  if (minutes > 60) reader.refuse('time zone offset minute out of range');
  reader.rest = reader.rest.slice(whole.length);
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
};

const readFraction = (reader: TimeReader, needsMicros: boolean): number => {
  if (needsMicros) {
    const match = /^[.,]([0-9]{6})/.exec(reader.rest);
    if (!match) return reader.fail('.000000');
    reader.rest = reader.rest.slice(7);
    return microsOf(match[1] ?? '');
  }
  const match = /^[.,]([0-9]+)/.exec(reader.rest);
  if (!match) return 0;
  reader.rest = reader.rest.slice(match[0].length);
  return microsOf(match[1] ?? '');
};

/** The number that stands there in decimal digits; NaN where something else does. */
const digitsAt = (text: string, start: number, end: number): number => {
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
};

const PUNCTUATION = [
  [4, 45],
  [7, 45],
  [10, 84],
  [13, 58],
  [16, 58],
] as const;

/** In UTC with no fraction, or with one of six digits, as servers and their clients write; undefined for any other text. */
const parseUsual = (text: string, hasMicros: boolean): ParsedTime | undefined => {
  const end = hasMicros ? 26 : 19;
  if (text.length !== end + 1 || text.charCodeAt(end) !== 90) return undefined;
  for (const [at, code] of PUNCTUATION) if (text.charCodeAt(at) !== code) return undefined;
  if (hasMicros && text.charCodeAt(19) !== 46) return undefined;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 7);
  const day = digitsAt(text, 8, 10);
  const seconds = secondsOfDay(digitsAt(text, 11, 13), digitsAt(text, 14, 16), digitsAt(text, 17, 19));
  const micros = hasMicros ? digitsAt(text, 20, 26) : 0;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year))) return undefined;
  const epochSeconds = daysSinceEpoch(year, month, day) * 86400 + seconds;
  return Number.isNaN(epochSeconds + micros) ? undefined : { epochSeconds, micros };
};

const secondsOfDay = (hour: number, minute: number, second: number): number =>
  hour <= 23 && minute <= 59 && second <= 59 ? hour * 3600 + minute * 60 + second : Number.NaN;

const parse = (text: string, needsMicros: boolean): ParsedTime =>
  parseUsual(text, needsMicros) ?? parseAny(text, needsMicros);

const parseAny = (text: string, needsMicros: boolean): ParsedTime => {
  const reader = new TimeReader(text, needsMicros ? MICROS_LAYOUT : SECONDS_LAYOUT);
  if (!/^[0-9]{4}/.test(text)) reader.fail('2006');
  const year = Number(text.slice(0, 4));
  reader.rest = text.slice(4);
  reader.literal('-');
  const month = reader.ranged('01', true, { min: 1, max: 12, name: 'month' });
  reader.literal('-');
  const day = reader.number('02', true);
  reader.literal('T');
  const hour = reader.ranged('15', false, { min: 0, max: 23, name: 'hour' });
  reader.literal(':');
  const minute = reader.ranged('04', true, { min: 0, max: 59, name: 'minute' });
  reader.literal(':');
  const second = reader.ranged('05', true, { min: 0, max: 59, name: 'second' });
  const micros = readFraction(reader, needsMicros);
  const offset = readOffset(reader);
  if (reader.rest !== '') reader.refuse(`extra text: ${quote(reader.rest)}`);
  if (day < 1 || day > daysIn(month, year)) reader.refuse('day out of range');
  const epochSeconds = daysSinceEpoch(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  return { epochSeconds, micros };
};

/** Reads a `Time`; a fraction of a second is allowed. @throws TimeFormatError */
export const parseTime = (text: string): ParsedTime => parse(text, false);

/** Whether `parseTime` reads it. */
export function readsAsTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    parseTime(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether it is a `MicroTime` as servers and their clients write it: no other text of six decimals in UTC stands for it. */
export const isUsualMicroTime = (text: string): boolean => isUsual(text, true);

/** Whether it is a `Time` as servers and their clients write it. */
export const isUsualTime = (text: string): boolean => isUsual(text, false);

const isUsual = (text: string, hasMicros: boolean): boolean => {
  const time = parseUsual(text, hasMicros);
  return time !== undefined && !isZeroTime(time);
};

/** Reads a `MicroTime`, which needs exactly six decimals. @throws TimeFormatError */
export const parseMicroTime = (text: string): ParsedTime => parse(text, true);

/** `2024-01-02T03:04:05Z` of milliseconds since 1970; what is below a second is dropped. */
export const formatTime = (epochMs: number): string => {
  readSecond(Math.floor(epochMs / 1000));
  return lastText;
};

/** Most stamps are of the same second as the one before. */
const readSecond = (second: number): void => {
  if (second === lastSecond) return;
  const text = new Date(second * 1000).toISOString().slice(0, -5);
  lastText = `${text}Z`;
  lastStem = `${text}.`;
  lastSecond = second;
};

let lastSecond = Number.NaN;
let lastText = '';
/** What a time with a fraction begins with. */
let lastStem = '';

/** As Go prints a time that nobody has given another form: `2026-11-26 04:17:25.5 +0000 UTC`. */
export const formatGoTime = (epochMs: number): string => {
  const fraction = (((epochMs % 1000) + 1000) % 1000) / 1000;
  const shown = fraction === 0 ? '' : String(fraction).slice(1);
  return `${formatTime(epochMs).replace('T', ' ').replace('Z', '')}${shown} +0000 UTC`;
};

/** `2024-01-02T03:04:05.000000Z`. */
export const formatMicroTime = ({ epochSeconds, micros }: ParsedTime): string =>
  microTimeOf(epochSeconds, micros);

/** Of microseconds since 1970. */
export const formatMicroTimeOf = (epochMicros: number): string =>
  microTimeOf(Math.floor(epochMicros / 1_000_000), epochMicros % 1_000_000);

const microTimeOf = (epochSeconds: number, micros: number): string => {
  readSecond(epochSeconds);
  // Short texts are joined at once, long ones only when they are read.
  const fraction = `${String(micros).padStart(6, '0')}Z`;
  return `${lastStem}${fraction}`;
};

/** Go's zero time, the first second of year 1, which the API writes as null. */
const ZERO_TIME_SECONDS = -62135596800;

/** Whether this is Go's zero time. */
export const isZeroTime = ({ epochSeconds, micros }: ParsedTime): boolean =>
  epochSeconds === ZERO_TIME_SECONDS && micros === 0;

const NANOS_OF_UNIT: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Nanoseconds of a Go duration such as `1h30m` or `-1.5s`. @throws TimeFormatError */
export const parseDuration = (text: string): bigint => {
  const invalid = (): never => {
    throw new TimeFormatError(`time: invalid duration ${quote(text)}`);
  };
  const isNegative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') return invalid();
  let nanos = 0n;
  while (rest !== '') {
    const match = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/.exec(rest);
    const [whole = '', digits = '', fraction = '', unit = ''] = match ?? [];
    if (digits === '' && fraction === '') return invalid();
    if (unit === '') throw new TimeFormatError(`time: missing unit in duration ${quote(text)}`);
    const scale = NANOS_OF_UNIT.get(unit);
    if (scale === undefined)
      throw new TimeFormatError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    nanos += BigInt(digits || '0') * scale;
    if (fraction) nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    if (nanos > 1n << 63n) return invalid();
    rest = rest.slice(whole.length);
  }
  if (nanos === 1n << 63n && !isNegative) return invalid();
  return isNegative ? -nanos : nanos;
};

/** `value` in units of `unit` nanoseconds without trailing zeros. */
const decimal = (value: bigint, unit: bigint): string => {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction ? `${value / unit}.${fraction}` : `${value / unit}`;
};

/** Go's text of a duration in nanoseconds: `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export const formatDuration = (nanos: bigint): string => {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const seconds = decimal(size % 60_000_000_000n, 1_000_000_000n);
  const minutes = size / 60_000_000_000n;
  if (minutes === 0n) return `${sign}${seconds}s`;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}s`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`;
};
