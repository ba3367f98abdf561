import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../engine/any-order.arbitrary.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
} from './quantity.ts';

// No suffix stands for 10^21 and beyond: the real server leaves it out there, and the value is another.
const quantities = fc
  .record({
    digits: fc.bigInt({ min: 1n - 10n ** 12n, max: 10n ** 12n - 1n }),
    fraction: fc.option(fc.nat(999), { nil: undefined }),
    suffix: fc.constantFrom('', 'm', 'u', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2'),
  })
  .map(({ digits, fraction, suffix }) =>
    parseQuantity(`${digits}${fraction === undefined ? '' : `.${fraction}`}${suffix}`),
  );

it('the canonical text of a quantity keeps its value', () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      expect(compareQuantities(parseQuantity(formatQuantity(quantity)), quantity)).toBe(0);
    }),
    asOftenAs(100),
  );
});

it('quantities are ordered, added and subtracted consistently', () => {
  fc.assert(
    fc.property(quantities, quantities, (left, right) => {
      expect(compareQuantities(left, right)).toBe(-compareQuantities(right, left) + 0);
      const sum = addQuantities(left, right);
      expect(compareQuantities(sum, addQuantities(right, left))).toBe(0);
      expect(compareQuantities(subtractQuantities(sum, right), left)).toBe(0);
    }),
    asOftenAs(100),
  );
});
