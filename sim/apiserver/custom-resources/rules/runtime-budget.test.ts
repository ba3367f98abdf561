/** At which size rules run out of their budgets, to the element: a real 1.31 server was asked, halving from both sides. */
import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../api/validation/field-path.ts';
import type { JSONSchemaProps } from '../json-schema.ts';
import { ruleErrors } from './check-rules.ts';

function messagesOf(rules: readonly string[], value: readonly unknown[], items: object): readonly string[] {
  const schema = {
    type: 'object',
    properties: { l: { type: 'array', items } },
    'x-kubernetes-validations': rules.map((rule) => ({ rule })),
  };
  const path = FieldPath.of('spec');
  const task = {
    value: { l: value },
    schema: schema as JSONSchemaProps,
    path,
    isResource: false,
    ratchets: false,
  };
  return ruleErrors({ ...task, warn: () => undefined }).map(({ message }) => message);
}

const INTEGERS = { type: 'integer' };
const TEXTS = { type: 'string', maxLength: 40 };
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_none, index) => index);
const texts = (count: number): readonly string[] => numbers(count).map(() => 'abcdefghij'.repeat(4));

describe('a rule', () => {
  it.each([
    ['self.l.all(x, self.l.all(y, y >= 0))', 447, numbers, INTEGERS],
    ['self.l.all(x, x in self.l)', 998, numbers, INTEGERS],
    ["self.l.all(x, self.l.all(y, x + y != ''))", 278, texts, TEXTS],
  ] as const)('%s is broken off at %i elements', (rule, first, elements, items) => {
    expect(messagesOf([rule], elements(first - 1), items)).toEqual([]);
    expect(messagesOf([rule], elements(first), items)).toEqual([
      `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });
});

describe('rules of one object', () => {
  it.each([
    ['self.l.all(x, self.l.all(y, y >= 0))', 15, 365],
    ['self.l.all(x, x in self.l)', 30, 575],
  ])('%s, %i times, are broken off at %i elements', (rule, times, first) => {
    const rules = numbers(times).map(() => rule);
    expect(messagesOf(rules, numbers(first - 1), INTEGERS)).toEqual([]);
    expect(messagesOf(rules, numbers(first), INTEGERS)).toEqual([
      'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});
