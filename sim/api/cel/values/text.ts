/** Values as text: in messages (Go's `%v`) and by `string(x)`. */
import { itemsOf } from './containers.ts';
import { spend } from './effort.ts';
import { CelError, type CelValue, type Duration, isError, type Result, type Timestamp } from './value.ts';
import { dateOf } from '../../time-zone/time-zone.ts';

/** Go's `%g` of a double with as few digits as tell it apart. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return plainText(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** All digits, no exponent. */
export function plainText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const isNegative = digits.startsWith('-');
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const all = whole + fraction;
  const point = 1 + Number(exponentText);
  const plain =
    point <= 0
      ? `0.${'0'.repeat(-point)}${all}`
      : all.length <= point
        ? all + '0'.repeat(point - all.length)
        : `${all.slice(0, point)}.${all.slice(point)}`;
  return isNegative ? `-${plain}` : plain;
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** RFC 3339 with as much of a second as there is. */
export function timestampText({ seconds, nanos, offsetSeconds }: Timestamp): string {
  const { year, month, day, hour, minute, second } = dateOf(seconds + offsetSeconds);
  const fraction = nanos === 0 ? '' : `.${pad(nanos, 9).replace(/0+$/, '')}`;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return `${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}${zoneText(offsetSeconds)}`;
}

function zoneText(offsetSeconds: number): string {
  if (offsetSeconds === 0) return 'Z';
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60);
  return `${offsetSeconds < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

/** Seconds, as Go divides them: `1.5s`. */
export const durationText = ({ nanos }: Duration): string => `${plainText(secondsOf(nanos))}s`;

export const secondsOf = (nanos: bigint): number =>
  Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;

/** As messages show a value. */
export function shown(value: Result): string {
  spend(typeof value === 'string' ? value.length : 1);
  if (isError(value)) return value.message;
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return value === null ? 'NULL_VALUE' : shownObject(value);
  }
}

function shownObject(value: Exclude<CelValue, null | string | number | bigint | boolean>): string {
  if (value instanceof Uint8Array) return `[${[...value].join(' ')}]`;
  switch (value.kind) {
    case 'double':
      return doubleText(value.value);
    case 'uint':
      return String(value.value);
    case 'list': {
      const items = itemsOf(value);
      return items instanceof CelError ? '[]' : `[${items.map(shown).join(', ')}]`;
    }
    case 'map':
      return `{${value
        .keys()
        .map((key) => `${shown(key)}: ${shown(value.find(key) ?? null)}`)
        .join(', ')}}`;
    case 'timestamp':
      return timestampText(value);
    case 'duration':
      return durationText(value);
    case 'optional':
      return value.value === undefined ? 'optional.none()' : `optional(${shown(value.value)})`;
    case 'type':
      return value.name;
    case 'opaque':
      return value.text ?? value.type.name;
  }
}

/** Characters, as `size` counts them. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code >= 0xdc00) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next < 0xe000) {
      count--;
      at++;
    }
  }
  return count;
}
