/** `==` and order: numbers of all types compare by what they are worth, other types only with themselves. */
import { CelError, Double, type CelValue, NO_OVERLOAD, type Result, Uint } from './value.ts';

const NAN_ORDER = new CelError('NaN values cannot be ordered');

export function equals(a: CelValue, b: CelValue): Result {
  if (a === null || b === null) return a === b;
  switch (typeof a) {
    case 'boolean':
    case 'string':
      return a === b;
    case 'number':
    case 'bigint':
      return isNumber(b) ? compareNumbers(a, b) === 0 : false;
    default:
      return equalsObject(a, b);
  }
}

/** What holds a NaN, or a null that is not found, does not even equal itself. */
function equalsObject(a: Exclude<CelValue, null | boolean | number | bigint | string>, b: CelValue): Result {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  switch (a.kind) {
    case 'double':
    case 'uint':
      return isNumber(b) && compareNumbers(a, b) === 0;
    case 'timestamp':
      return isKind(b, 'timestamp') && a.seconds === b.seconds && a.nanos === b.nanos;
    case 'duration':
      return isKind(b, 'duration') && a.nanos === b.nanos;
    case 'type':
      return isKind(b, 'type') && a.name === b.name;
    case 'optional':
      if (!isKind(b, 'optional')) return false;
      if (a.value === undefined || b.value === undefined) return a.value === b.value;
      return equals(a.value, b.value);
    default:
      return a.equals(b);
  }
}

type Kinds = Extract<CelValue, { readonly kind: string }>;
const isKind = <Kind extends Kinds['kind']>(
  value: CelValue,
  kind: Kind,
): value is Extract<Kinds, { kind: Kind }> =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;

type AnyNumber = number | bigint | Double | Uint;
const isNumber = (value: CelValue): value is AnyNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Uint;

/** NaN: they cannot be ordered. */
function compareNumbers(a: AnyNumber, b: AnyNumber): number {
  const [left, right] = [worth(a, b), worth(b, a)];
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right || Number(left) === Number(right) ? 0 : Number.NaN;
}

/** Beside a double a whole number is rounded to one, as Go converts it. */
function worth(value: AnyNumber, beside: AnyNumber): number | bigint {
  if (value instanceof Double) return value.value;
  const whole = value instanceof Uint ? value.value : value;
  return beside instanceof Double ? Number(whole) : whole;
}

/** Negative, zero or positive. */
export function compare(a: CelValue, b: CelValue): number | CelError {
  if (isNumber(a)) {
    if (a instanceof Double && Number.isNaN(a.value)) return NAN_ORDER;
    if (!isNumber(b)) return NO_OVERLOAD;
    const order = compareNumbers(a, b);
    return Number.isNaN(order) ? NAN_ORDER : order;
  }
  if (typeof a === 'string') return typeof b === 'string' ? compareTexts(a, b) : NO_OVERLOAD;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : NO_OVERLOAD;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : NO_OVERLOAD;
  if (isKind(a, 'timestamp'))
    return isKind(b, 'timestamp') ? a.seconds - b.seconds || a.nanos - b.nanos : NO_OVERLOAD;
  if (isKind(a, 'duration'))
    return isKind(b, 'duration') ? (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0) : NO_OVERLOAD;
  return NO_OVERLOAD;
}

export const isComparable = (value: CelValue): boolean =>
  isNumber(value) ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value instanceof Uint8Array ||
  isKind(value, 'timestamp') ||
  isKind(value, 'duration');

/** By code points; UTF-16 units differ from them only with surrogates. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left === right) continue;
    const isLeftPair = left >= 0xd800 && left < 0xe000;
    const isRightPair = right >= 0xd800 && right < 0xe000;
    return isLeftPair === isRightPair ? left - right : isLeftPair ? 1 : -1;
  }
  return a.length - b.length;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const order = (a[at] ?? 0) - (b[at] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
