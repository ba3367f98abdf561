import { describe, expect, it, test } from 'vitest';
import { withinBudget } from '../../api/validation/error-budget.ts';
import { isAmong, textOfValues } from './enumerations.ts';
import { validateValue } from './validate-value.ts';

const MANY = 20_000;
const texts = (prefix: string): string[] => Array.from({ length: MANY }, (_, at) => `${prefix}${at}`);

describe('a value of an enumeration', () => {
  it('is one of those listed, whatever its type', () => {
    const allowed = ['a', 1, true, null, { a: [1] }];
    for (const value of ['a', 1, true, { a: [1] }]) expect(isAmong(allowed, value)).toBe(true);
    // Not even nothing, though it is listed.
    for (const value of ['1', 2, false, {}, [1], { a: 1 }, null]) expect(isAmong(allowed, value)).toBe(false);
  });

  it('may be a number that Go makes one of them', () => {
    expect(isAmong([1], 1.5)).toBe(true);
    expect(isAmong([1.5], 1)).toBe(false);
    expect(isAmong(['A'], 65)).toBe(true);
    expect(isAmong(['A'], 65.5)).toBe(false);
    expect(isAmong(['\ufffd'], -1)).toBe(true);
  });

  it('is listed with the others as refusals show them', () => {
    expect(textOfValues(['a"', 1, null])).toBe(String.raw`"a\"", "1", "null"`);
  });
});

test('long lists are looked up in long enumerations, and what is wrong is told as far as there is room', () => {
  const schema = { type: 'array', items: { type: 'string', enum: texts('e') } };
  expect(validateValue(texts('e').reverse(), schema, 'list')).toEqual([]);

  const findings = withinBudget(() => validateValue(texts('x'), schema, 'list'));
  const characters = findings.reduce((sum, { message }) => sum + message.length, 0);
  expect(characters).toBeLessThan(17_000_000);
  expect(findings.at(-1)?.message).toBe(
    'Too many: more of findings than 16000000 characters: the others are not told',
  );
});
