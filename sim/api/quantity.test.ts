import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  approximateNumber,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityOf,
  roundUpQuantity,
  scaledValue,
} from './quantity.ts';

const FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = "unable to parse quantity's suffix";

describe('the canonical text of a quantity', () => {
  it.each([
    ['0', '0'],
    ['00', '0'],
    ['0Mi', '0'],
    ['1000m', '1'],
    ['0.10', '100m'],
    ['1.5', '1500m'],
    ['1000', '1k'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Mi', '512Ki'],
    ['0.001Ki', '1024m'],
    ['1e3', '1e3'],
    ['10e3', '10e3'],
    ['1000e3', '1e6'],
    ['0.5n', '1n'],
    ['-0.5n', '-1n'],
    ['1e-20', '1e-9'],
    ['123456789012345678901', '123456789012345678901'],
    ['9223372036854775807Ei', '9223372036854775807'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each(['+5', '05', '1.500', '+3Mi'])('is %s itself where the server keeps what was written', (text) => {
    expect(canonicalQuantity(text)).toBe(text);
  });

  it.each([
    ['', FORM],
    ['1x', FORM],
    ['1.5.5', FORM],
    [' 1', FORM],
    ['true', FORM],
    ['1e', SUFFIX],
    ['--1', SUFFIX],
    ['1Kii', SUFFIX],
  ])('of %j does not exist', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(message);
  });
});

describe('arithmetic of quantities', () => {
  it('compares sizes far apart', () => {
    expect(compareQuantities(parseQuantity('1e10000'), parseQuantity('2e10000'))).toBe(-1);
    expect(compareQuantities(parseQuantity('1e10000'), parseQuantity('1Ei'))).toBe(1);
  });

  it('takes the family of the first term unless that is zero', () => {
    expect(formatQuantity(addQuantities(parseQuantity('1Gi'), parseQuantity('1Gi')))).toBe('2Gi');
    expect(formatQuantity(addQuantities(quantityOf(0), parseQuantity('1Gi')))).toBe('1Gi');
  });

  it('rounds away from zero', () => {
    expect(formatQuantity(roundUpQuantity(parseQuantity('1u'), -3))).toBe('1m');
    expect(formatQuantity(roundUpQuantity(parseQuantity('-1500u'), -3))).toBe('-2m');
    expect(scaledValue(parseQuantity('1500m'), 0)).toBe(2n);
    expect(scaledValue(parseQuantity('1.5'), -3)).toBe(1500n);
    expect(approximateNumber(parseQuantity('1.5Ki'))).toBe(1536);
  });
});
