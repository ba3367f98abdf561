/** Quantities: `quantity("1Gi").isGreaterThan(quantity("500Mi"))`. */
import {
  addQuantities,
  approximateNumber,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityOf,
  subtractQuantities,
} from '../../quantity.ts';
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, DOUBLE, INT, STRING, struct } from '../types/type.ts';
import { LARGEST_INT, SMALLEST_INT } from '../values/arithmetic.ts';
import {
  CelError,
  type CelValue,
  Double,
  isInt,
  NO_OVERLOAD,
  normalInt,
  type OpaqueValue,
  type Result,
} from '../values/value.ts';

export const QUANTITY = struct('kubernetes.Quantity');

class QuantityValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = QUANTITY;
  readonly quantity: Quantity;
  /** The real server keeps it in 64 bits: only then it may be a whole number to it. */
  readonly isSmall: boolean;

  constructor(quantity: Quantity, isSmall: boolean) {
    this.quantity = quantity;
    this.isSmall = isSmall;
  }

  get text(): string {
    return formatQuantity(this.quantity);
  }

  equals(other: Result): Result {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

function parsed(text: CelValue = null): Result {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    const quantity = parseQuantity(text);
    return new QuantityValue(quantity, isSmallText(text, quantity));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const withQuantity =
  (call: (quantity: Quantity) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof QuantityValue ? call(value.quantity) : NO_OVERLOAD;

const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** As many digits as the real server handles in 64 bits. */
function isSmallText(text: string, { format, scale }: Quantity): boolean {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*([0-9]*)\.?([0-9]*)(.*)$/.exec(text) ?? [];
  const digits = Math.max(1, whole.length);
  if (format !== 'BinarySI') return digits + fraction.length <= 18 && scale >= -9;
  return fraction === '' && 14 - digits - Math.trunc(((BINARY_EXPONENTS[suffix] ?? 60) * 3) / 10) >= 0;
}

const fits = ({ unscaled }: Quantity): boolean => unscaled <= LARGEST_INT && unscaled >= SMALLEST_INT;

const combined = (a: QuantityValue, b: QuantityValue, sum: Quantity): QuantityValue =>
  new QuantityValue(sum, a.isSmall && b.isSmall && fits(sum));

const withBoth =
  (call: (a: Quantity, b: Quantity) => Result) =>
  (a: CelValue = null, b: CelValue = null): Result =>
    a instanceof QuantityValue && b instanceof QuantityValue ? call(a.quantity, b.quantity) : NO_OVERLOAD;

const reckoned =
  (call: (a: Quantity, b: Quantity) => Quantity) =>
  (a: CelValue = null, b: CelValue = null): Result => {
    if (!(a instanceof QuantityValue)) return NO_OVERLOAD;
    const other = isInt(b) ? new QuantityValue(quantityOf(BigInt(b), 'DecimalExponent'), true) : b;
    return other instanceof QuantityValue
      ? combined(a, other, call(a.quantity, other.quantity))
      : NO_OVERLOAD;
  };

/** Go takes the opposite of an int, which the smallest of them has not. */
const subtractInt = (a: Quantity, b: Quantity): Quantity =>
  b.scale === 0 && b.unscaled === SMALLEST_INT ? addQuantities(a, b) : subtractQuantities(a, b);

/** Undefined: written with a fraction, even an empty one, or too large for 64 bits. */
function wholeOf(value: CelValue): bigint | undefined {
  if (!(value instanceof QuantityValue) || !value.isSmall) return undefined;
  const { unscaled, scale } = value.quantity;
  if (scale < 0 || scale > 19) return undefined;
  const whole = unscaled * 10n ** BigInt(scale);
  return whole > LARGEST_INT || whole < SMALLEST_INT ? undefined : whole;
}

const Q2 = [QUANTITY, QUANTITY];
const QI = [QUANTITY, INT];

export const QUANTITIES: Library = {
  functions: [
    { name: 'quantity', overloads: [overload('string_to_quantity', [STRING], QUANTITY, parsed)] },
    {
      name: 'isQuantity',
      overloads: [
        overload('is_quantity_string', [STRING], BOOL, (text) =>
          typeof text === 'string' ? !(parsed(text) instanceof CelError) : NO_OVERLOAD,
        ),
      ],
    },
    {
      name: 'sign',
      overloads: [
        overload(
          'quantity_sign',
          [QUANTITY],
          INT,
          withQuantity(({ unscaled }) => Number(unscaled > 0n) - Number(unscaled < 0n)),
        ),
      ],
    },
    {
      name: 'isGreaterThan',
      overloads: [
        method(
          'quantity_is_greater_than',
          Q2,
          BOOL,
          withBoth((a, b) => compareQuantities(a, b) > 0),
        ),
      ],
    },
    {
      name: 'isLessThan',
      overloads: [
        method(
          'quantity_is_less_than',
          Q2,
          BOOL,
          withBoth((a, b) => compareQuantities(a, b) < 0),
        ),
      ],
    },
    { name: 'compareTo', overloads: [method('quantity_compare_to', Q2, INT, withBoth(compareQuantities))] },
    {
      name: 'asApproximateFloat',
      overloads: [
        method(
          'quantity_get_float',
          [QUANTITY],
          DOUBLE,
          withQuantity((quantity) => new Double(approximateNumber(quantity))),
        ),
      ],
    },
    {
      name: 'asInteger',
      overloads: [
        method('quantity_get_int', [QUANTITY], INT, (value = null) => {
          if (!(value instanceof QuantityValue)) return NO_OVERLOAD;
          const whole = wholeOf(value);
          return whole === undefined ? new CelError('cannot convert value to integer') : normalInt(whole);
        }),
      ],
    },
    {
      name: 'isInteger',
      overloads: [
        method('quantity_is_integer', [QUANTITY], BOOL, (value = null) =>
          value instanceof QuantityValue ? wholeOf(value) !== undefined : NO_OVERLOAD,
        ),
      ],
    },
    {
      name: 'add',
      overloads: [
        method('quantity_add', Q2, QUANTITY, reckoned(addQuantities)),
        method('quantity_add_int', QI, QUANTITY, reckoned(addQuantities)),
      ],
    },
    {
      name: 'sub',
      overloads: [
        method('quantity_sub', Q2, QUANTITY, reckoned(subtractQuantities)),
        method('quantity_sub_int', QI, QUANTITY, reckoned(subtractInt)),
      ],
    },
  ],
};
