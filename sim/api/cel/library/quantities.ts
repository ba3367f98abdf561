/** Quantities: `quantity("1Gi").isGreaterThan(quantity("500Mi"))`. */
import {
  addQuantities,
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
  /** Decimal places in which the real server keeps it. Undefined: it keeps it in 64 bits, and only then it may be whole. */
  readonly #places: number | undefined;

  constructor(quantity: Quantity, places?: number) {
    this.quantity = quantity;
    this.#places = places;
  }

  get isSmall(): boolean {
    return this.#places === undefined;
  }

  get places(): number {
    return this.#places ?? -this.quantity.scale;
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
    return new QuantityValue(quantity, isSmallText(text, quantity) ? undefined : PARSED_PLACES);
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const withQuantity =
  (call: (quantity: Quantity) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof QuantityValue ? call(value.quantity) : NO_OVERLOAD;

/** Texts that need more than 64 bits are rounded to billionths. */
const PARSED_PLACES = 9;

const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** As many digits as the real server handles in 64 bits. */
function isSmallText(text: string, { format, scale }: Quantity): boolean {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*([0-9]*)\.?([0-9]*)(.*)$/.exec(text) ?? [];
  const digits = Math.max(1, whole.length);
  if (format !== 'BinarySI') return digits + fraction.length <= 18 && scale >= -9;
  return fraction === '' && 14 - digits - Math.trunc(((BINARY_EXPONENTS[suffix] ?? 60) * 3) / 10) >= 0;
}

const isWord = (value: bigint): boolean => value <= LARGEST_INT && value >= SMALLEST_INT;

const withBoth =
  (call: (a: Quantity, b: Quantity) => Result) =>
  (a: CelValue = null, b: CelValue = null): Result =>
    a instanceof QuantityValue && b instanceof QuantityValue ? call(a.quantity, b.quantity) : NO_OVERLOAD;

const reckoned =
  (sign: 1n | -1n) =>
  (a: CelValue = null, b: CelValue = null): Result => {
    if (!(a instanceof QuantityValue)) return NO_OVERLOAD;
    const other = isInt(b) ? new QuantityValue(quantityOf(BigInt(b), 'DecimalExponent')) : b;
    if (!(other instanceof QuantityValue)) return NO_OVERLOAD;
    return inWords(a, other, sign) ?? exactly(a, other, sign);
  };

/** In 64 bits; undefined where they do not suffice. */
function inWords(a: QuantityValue, b: QuantityValue, sign: 1n | -1n): QuantityValue | undefined {
  if (!a.isSmall || !b.isSmall) return undefined;
  // Go takes the opposite of an int, which the smallest of them has not.
  const summand = { ...b.quantity, unscaled: BigInt.asIntN(64, sign * b.quantity.unscaled) };
  if (summand.unscaled === 0n) return a;
  const sum = addQuantities(a.quantity, summand);
  if (a.quantity.unscaled === 0n) return new QuantityValue({ ...sum, ...unitsOf(summand) });
  const isWide = [a.quantity, summand, sum].some(
    ({ unscaled, scale }) => !isWord(unscaled * 10n ** BigInt(scale - sum.scale)),
  );
  return isWide ? undefined : new QuantityValue(sum);
}

const unitsOf = ({ unscaled, scale }: Quantity): Pick<Quantity, 'scale' | 'unscaled'> => ({
  unscaled,
  scale,
});

const exactly = (a: QuantityValue, b: QuantityValue, sign: 1n | -1n): QuantityValue =>
  new QuantityValue(
    (sign === 1n ? addQuantities : subtractQuantities)(a.quantity, b.quantity),
    Math.max(a.places, b.places),
  );

/** As Go multiplies: the last digits may differ from the nearest double. */
function asDouble({ quantity, places }: QuantityValue): Double {
  const base = Number(quantity.unscaled * 10n ** BigInt(Math.max(0, quantity.scale + places)));
  return new Double(places === 0 ? base : base * Number(`1e${-places}`));
}

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
        method('quantity_get_float', [QUANTITY], DOUBLE, (value = null) =>
          value instanceof QuantityValue ? asDouble(value) : NO_OVERLOAD,
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
        method('quantity_add', Q2, QUANTITY, reckoned(1n)),
        method('quantity_add_int', QI, QUANTITY, reckoned(1n)),
      ],
    },
    {
      name: 'sub',
      overloads: [
        method('quantity_sub', Q2, QUANTITY, reckoned(-1n)),
        method('quantity_sub_int', QI, QUANTITY, reckoned(-1n)),
      ],
    },
  ],
};
