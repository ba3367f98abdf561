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

  constructor(quantity: Quantity) {
    this.quantity = quantity;
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
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const withQuantity =
  (call: (quantity: Quantity) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof QuantityValue ? call(value.quantity) : NO_OVERLOAD;

const withBoth =
  (call: (a: Quantity, b: Quantity) => Result) =>
  (a: CelValue = null, b: CelValue = null): Result =>
    a instanceof QuantityValue && b instanceof QuantityValue ? call(a.quantity, b.quantity) : NO_OVERLOAD;

const withInt =
  (call: (a: Quantity, b: Quantity) => Quantity) =>
  (a: CelValue = null, b: CelValue = null): Result =>
    a instanceof QuantityValue && isInt(b)
      ? new QuantityValue(call(a.quantity, quantityOf(BigInt(b), 'DecimalExponent')))
      : NO_OVERLOAD;

/** Undefined: a fraction, or too large for 64 bits. */
function wholeOf({ unscaled, scale }: Quantity): bigint | undefined {
  let value = unscaled;
  if (value === 0n) return 0n;
  if (scale > 19) return undefined;
  if (scale >= 0) value *= 10n ** BigInt(scale);
  else {
    const unit = 10n ** BigInt(-scale);
    if (value % unit !== 0n) return undefined;
    value /= unit;
  }
  return value > LARGEST_INT || value < SMALLEST_INT ? undefined : value;
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
        overload('quantity_sign', [QUANTITY], INT, withQuantity(({ unscaled }) => Number(unscaled > 0n) - Number(unscaled < 0n))),
      ],
    },
    {
      name: 'isGreaterThan',
      overloads: [method('quantity_is_greater_than', Q2, BOOL, withBoth((a, b) => compareQuantities(a, b) > 0))],
    },
    {
      name: 'isLessThan',
      overloads: [method('quantity_is_less_than', Q2, BOOL, withBoth((a, b) => compareQuantities(a, b) < 0))],
    },
    { name: 'compareTo', overloads: [method('quantity_compare_to', Q2, INT, withBoth(compareQuantities))] },
    {
      name: 'asApproximateFloat',
      overloads: [
        method('quantity_get_float', [QUANTITY], DOUBLE, withQuantity((quantity) => new Double(approximateNumber(quantity)))),
      ],
    },
    {
      name: 'asInteger',
      overloads: [
        method(
          'quantity_get_int',
          [QUANTITY],
          INT,
          withQuantity((quantity) => {
            const whole = wholeOf(quantity);
            return whole === undefined ? new CelError('cannot convert value to integer') : normalInt(whole);
          }),
        ),
      ],
    },
    {
      name: 'isInteger',
      overloads: [
        method('quantity_is_integer', [QUANTITY], BOOL, withQuantity((quantity) => wholeOf(quantity) !== undefined)),
      ],
    },
    {
      name: 'add',
      overloads: [
        method('quantity_add', Q2, QUANTITY, withBoth((a, b) => new QuantityValue(addQuantities(a, b)))),
        method('quantity_add_int', QI, QUANTITY, withInt(addQuantities)),
      ],
    },
    {
      name: 'sub',
      overloads: [
        method('quantity_sub', Q2, QUANTITY, withBoth((a, b) => new QuantityValue(subtractQuantities(a, b)))),
        method('quantity_sub_int', QI, QUANTITY, withInt(subtractQuantities)),
      ],
    },
  ],
};
