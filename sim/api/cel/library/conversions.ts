/** `int(x)`, `string(x)` and their like. */
import { type FunctionDeclaration, type Library, overload } from '../types/declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  parameter,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOfType,
  UINT,
} from '../types/type.ts';
import {
  checkedInt,
  checkedTimestamp,
  checkedUint,
  LARGEST_INT,
  LARGEST_UINT,
  SMALLEST_INT,
} from '../values/arithmetic.ts';
import { doubleText, durationText, timestampText } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isInt,
  normalInt,
  type Result,
  Timestamp,
  typeOfValue,
  Uint,
} from '../values/value.ts';
import { parseDuration, TimeFormatError } from '../../time-format.ts';
import { parseTimestamp } from './timestamp-text.ts';

const cannot = (value: CelValue, to: string): CelError =>
  new CelError(`type conversion error from '${typeOfValue(value).name}' to '${to}'`);

const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');

function toInt(value: CelValue): Result {
  if (isInt(value)) return value;
  if (value instanceof Uint) return checkedInt(value.value);
  if (value instanceof Double) {
    const number = value.value;
    if (!Number.isFinite(number) || number <= -(2 ** 63) || number >= 2 ** 63) return INT_OVERFLOW;
    return normalInt(BigInt(Math.trunc(number)));
  }
  if (value instanceof Duration) return normalInt(value.nanos);
  if (value instanceof Timestamp) return value.seconds;
  if (typeof value === 'string' && /^[+-]?[0-9]+$/.test(value)) {
    const number = BigInt(value.replace('+', ''));
    if (number >= SMALLEST_INT && number <= LARGEST_INT) return normalInt(number);
  }
  return cannot(value, 'int');
}

function toUint(value: CelValue): Result {
  if (value instanceof Uint) return value;
  if (isInt(value)) return checkedUint(BigInt(value));
  if (value instanceof Double) {
    const number = value.value;
    if (!Number.isFinite(number) || number < 0 || number >= 2 ** 64) return UINT_OVERFLOW;
    return new Uint(BigInt(Math.trunc(number)));
  }
  if (typeof value === 'string' && /^[0-9]+$/.test(value)) {
    const number = BigInt(value);
    if (number <= LARGEST_UINT) return new Uint(number);
  }
  return cannot(value, 'uint');
}

/** Go's `ParseFloat`. */
const FLOAT = /^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan)$/i;

export function toDouble(value: CelValue): Result {
  if (value instanceof Double) return value;
  if (isInt(value)) return new Double(Number(value));
  if (value instanceof Uint) return new Double(Number(value.value));
  if (typeof value === 'string' && FLOAT.test(value)) {
    const lower = value.toLowerCase().replace(/^[+-]/, '');
    if (lower === 'nan') return /^[+-]/.test(value) ? cannot(value, 'double') : new Double(Number.NaN);
    if (lower.startsWith('inf')) return new Double(value.startsWith('-') ? -Infinity : Infinity);
    const number = Number(value);
    if (Number.isFinite(number)) return new Double(number);
  }
  return cannot(value, 'double');
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function toBool(value: CelValue): Result {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && TRUE.has(value)) return true;
  if (typeof value === 'string' && FALSE.has(value)) return false;
  return cannot(value, 'bool');
}

export function toText(value: CelValue): Result {
  if (typeof value === 'string') return value;
  if (isInt(value) || typeof value === 'boolean') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return textOfBytes(value);
  if (value === null) return 'null';
  return value.kind === 'type' ? value.name : cannot(value, 'string');
}

function textOfBytes(bytes: Uint8Array): Result {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toBytes(value: CelValue): Result {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' ? new TextEncoder().encode(value) : cannot(value, 'bytes');
}

function toDuration(value: CelValue): Result {
  if (value instanceof Duration) return value;
  if (typeof value !== 'string') return cannot(value, DURATION.name);
  try {
    return new Duration(parseDuration(value));
  } catch (error) {
    if (error instanceof TimeFormatError) return cannot(value, DURATION.name);
    throw error;
  }
}

function toTimestamp(value: CelValue): Result {
  if (value instanceof Timestamp) return value;
  if (isInt(value)) return checkedTimestamp(Number(value), 0);
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (!parsed) return cannot(value, TIMESTAMP.name);
  return checkedTimestamp(parsed.seconds, parsed.nanos, parsed.offsetSeconds);
}

type Row = readonly [id: string, from: CelType];

function conversion(
  name: string,
  to: CelType,
  convert: (value: CelValue) => Result,
  rows: readonly Row[],
): FunctionDeclaration {
  return {
    name,
    overloads: rows.map(([id, from]) => overload(id, [from], to, (value = null) => convert(value))),
  };
}

const A = parameter('A');

export const CONVERSIONS: Library = {
  functions: [
    conversion('bool', BOOL, toBool, [
      ['bool_to_bool', BOOL],
      ['string_to_bool', STRING],
    ]),
    conversion('bytes', BYTES, toBytes, [
      ['bytes_to_bytes', BYTES],
      ['string_to_bytes', STRING],
    ]),
    conversion('double', DOUBLE, toDouble, [
      ['double_to_double', DOUBLE],
      ['int64_to_double', INT],
      ['string_to_double', STRING],
      ['uint64_to_double', UINT],
    ]),
    conversion('duration', DURATION, toDuration, [
      ['duration_to_duration', DURATION],
      ['int64_to_duration', INT],
      ['string_to_duration', STRING],
    ]),
    { name: 'dyn', overloads: [overload('to_dyn', [A], DYN)], call: (value = null) => value },
    conversion('int', INT, toInt, [
      ['int64_to_int64', INT],
      ['double_to_int64', DOUBLE],
      ['duration_to_int64', DURATION],
      ['string_to_int64', STRING],
      ['timestamp_to_int64', TIMESTAMP],
      ['uint64_to_int64', UINT],
    ]),
    conversion('string', STRING, toText, [
      ['string_to_string', STRING],
      ['bool_to_string', BOOL],
      ['bytes_to_string', BYTES],
      ['double_to_string', DOUBLE],
      ['duration_to_string', DURATION],
      ['int64_to_string', INT],
      ['timestamp_to_string', TIMESTAMP],
      ['uint64_to_string', UINT],
    ]),
    conversion('timestamp', TIMESTAMP, toTimestamp, [
      ['timestamp_to_timestamp', TIMESTAMP],
      ['int64_to_timestamp', INT],
      ['string_to_timestamp', STRING],
    ]),
    conversion('uint', UINT, toUint, [
      ['uint64_to_uint64', UINT],
      ['double_to_uint64', DOUBLE],
      ['int64_to_uint64', INT],
      ['string_to_uint64', STRING],
    ]),
  ],
  variables: new Map(
    [
      BOOL,
      BYTES,
      DOUBLE,
      DURATION,
      INT,
      listOf(A),
      mapOf(A, parameter('B')),
      NULL,
      STRING,
      TIMESTAMP,
      TYPE,
      UINT,
    ].map((type) => [type.name, typeOfType(type)]),
  ),
};
