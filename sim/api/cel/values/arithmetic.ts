/** `+ - * / %`: 64 bits, overflow is an error; times and durations as Go reckons with them. */
import { joined } from '../../codec/joined.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isInt,
  isList,
  NO_OVERLOAD,
  normalInt,
  type Result,
  Timestamp,
  Uint,
} from './value.ts';

const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');
const BY_ZERO = new CelError('division by zero');
const MODULO_ZERO = new CelError('modulus by zero');
export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow');

export const LARGEST_INT = 2n ** 63n - 1n;
export const SMALLEST_INT = -(2n ** 63n);
export const LARGEST_UINT = 2n ** 64n - 1n;
/** Years 1 to 9999. */
export const FIRST_SECOND = -62_135_596_800;
export const LAST_SECOND = 253_402_300_799;

export const checkedInt = (value: bigint): Result =>
  value > LARGEST_INT || value < SMALLEST_INT ? INT_OVERFLOW : normalInt(value);

export const checkedUint = (value: bigint): Result =>
  value > LARGEST_UINT || value < 0n ? UINT_OVERFLOW : new Uint(value);

const checkedDuration = (nanos: bigint): Result =>
  nanos > LARGEST_INT || nanos < SMALLEST_INT ? INT_OVERFLOW : new Duration(nanos);

export const checkedTimestamp = (seconds: number, nanos: number, offset = 0): Result =>
  seconds < FIRST_SECOND || seconds > LAST_SECOND
    ? TIMESTAMP_OVERFLOW
    : new Timestamp(seconds, nanos, offset);

const BILLION = 1_000_000_000n;

function shifted({ seconds, nanos, offsetSeconds }: Timestamp, by: bigint): Result {
  const total = BigInt(seconds) * BILLION + BigInt(nanos) + by;
  const rest = ((total % BILLION) + BILLION) % BILLION;
  return checkedTimestamp(Number((total - rest) / BILLION), Number(rest), offsetSeconds);
}

export function add(a: CelValue, b: CelValue): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : checkedInt(BigInt(a) + BigInt(b));
  }
  if (typeof a === 'string') return typeof b === 'string' ? a + b : NO_OVERLOAD;
  if (isInt(a)) return isInt(b) ? checkedInt(BigInt(a) + BigInt(b)) : NO_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value + b.value) : NO_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value + b.value) : NO_OVERLOAD;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? joined([a, b]) : NO_OVERLOAD;
  if (a instanceof Timestamp) return b instanceof Duration ? shifted(a, b.nanos) : NO_OVERLOAD;
  if (a instanceof Duration) {
    if (b instanceof Timestamp) return shifted(b, a.nanos);
    return b instanceof Duration ? checkedDuration(a.nanos + b.nanos) : NO_OVERLOAD;
  }
  if (isList(a)) return isList(b) ? a.plus(b) : NO_OVERLOAD;
  return without('_+_', a);
}

/** The value has no such operation at all. */
const without = (operator: string, value: CelValue): CelError =>
  typeof value === 'string' || value instanceof Timestamp || value instanceof Duration
    ? NO_OVERLOAD
    : new CelError(`no such overload: ${operator}`);

export function subtract(a: CelValue, b: CelValue): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : checkedInt(BigInt(a) - BigInt(b));
  }
  if (isInt(a)) return isInt(b) ? checkedInt(BigInt(a) - BigInt(b)) : NO_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value - b.value) : NO_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value - b.value) : NO_OVERLOAD;
  if (a instanceof Duration) return b instanceof Duration ? checkedDuration(a.nanos - b.nanos) : NO_OVERLOAD;
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return shifted(a, -b.nanos);
    if (!(b instanceof Timestamp)) return NO_OVERLOAD;
    return checkedDuration(BigInt(a.seconds - b.seconds) * BILLION + BigInt(a.nanos - b.nanos));
  }
  return without('_-_', a);
}

export function multiply(a: CelValue, b: CelValue): Result {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Minus zero is no int.
    return Number.isSafeInteger(product) ? product + 0 : checkedInt(BigInt(a) * BigInt(b));
  }
  if (isInt(a)) return isInt(b) ? checkedInt(BigInt(a) * BigInt(b)) : NO_OVERLOAD;
  if (a instanceof Double) return b instanceof Double ? new Double(a.value * b.value) : NO_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value * b.value) : NO_OVERLOAD;
  return without('_*_', a);
}

export function divide(a: CelValue, b: CelValue): Result {
  if (isInt(a)) {
    if (!isInt(b)) return NO_OVERLOAD;
    if (b === 0) return BY_ZERO;
    if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
    return checkedInt(BigInt(a) / BigInt(b));
  }
  if (a instanceof Double) return b instanceof Double ? new Double(a.value / b.value) : NO_OVERLOAD;
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return NO_OVERLOAD;
    return b.value === 0n ? BY_ZERO : new Uint(a.value / b.value);
  }
  return without('_/_', a);
}

export function modulo(a: CelValue, b: CelValue): Result {
  if (isInt(a)) {
    if (!isInt(b)) return NO_OVERLOAD;
    if (b === 0) return MODULO_ZERO;
    if (BigInt(a) === SMALLEST_INT && b === -1) return INT_OVERFLOW;
    if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
    return normalInt(BigInt(a) % BigInt(b));
  }
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return NO_OVERLOAD;
    return b.value === 0n ? MODULO_ZERO : new Uint(a.value % b.value);
  }
  return without('_%_', a);
}

export function negate(value: CelValue): Result {
  if (typeof value === 'number') return 0 - value;
  if (typeof value === 'bigint') return checkedInt(-value);
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Duration) return checkedDuration(-value.nanos);
  return typeof value === 'boolean' ? NO_OVERLOAD : without('-_', value);
}
