import { describe, expect, test } from 'vitest';
import type { Json } from '../language/shape.ts';
import { match } from './match.ts';

const messages = (expected: Json, actual: Json | undefined): readonly string[] =>
  match(expected, actual, 'body').map(({ path, message }) => `${path} ${message}`);

describe('matches', () => {
  test.each<[string, Json, Json | undefined]>([
    ['a mapping with more members', { a: 1 }, { a: 1, b: 2 }],
    ['a list of the same length, item by item', [{ a: 1 }, 2], [{ a: 1, b: 1 }, 2]],
    ['a present value', { a: { $present: true } }, { a: null }],
    ['an absent member', { a: { $absent: true } }, {}],
    ['an expression', { $matches: '^a.c$' }, 'abc'],
    ['items in any order', { $contains: [3, 1] }, [1, 2, 3]],
    ['all items in any order', { $unordered: [2, 1] }, [1, 2]],
    ['every item', { $each: { a: 1 } }, [{ a: 1 }, { a: 1, b: 2 }]],
    ['an empty list, whatever every item should be', { $each: 1 }, []],
    ['a length', { $length: 2 }, ['a', 'b']],
    ['a length that matches', { $length: { $above: 1 } }, ['a', 'b']],
    ['anything else', { $not: 1 }, 2],
    ['one of several', { $oneOf: [1, 2] }, 2],
    ['a greater number in text', { $above: '9' }, '10'],
    ['a later time', { $above: '2025-01-01T00:00:00Z' }, '2025-01-01T00:00:10Z'],
    ['the very same value', { $equals: { a: [1] } }, { a: [1] }],
  ])('%s', (_, expected, actual) => {
    expect(messages(expected, actual)).toEqual([]);
  });
});

describe('does not match, and says where and why', () => {
  test.each<[Json, Json | undefined, string]>([
    [{ a: { b: 1 } }, { a: { b: 2 } }, 'body.a.b should be 1, but is 2'],
    [{ a: 1 }, {}, 'body.a should be 1, but is missing'],
    [{ 'x/y': 1 }, { 'x/y': 2 }, 'body["x/y"] should be 1, but is 2'],
    [[1], [1, 2], 'body should have 1 items, but has 2: [1,2]'],
    [[1, 2], [1, 3], 'body[1] should be 2, but is 3'],
    [{ $each: { a: 1 } }, [{ a: 1 }, { a: 2 }], 'body[1].a should be 1, but is 2'],
    [{ $absent: true }, 1, 'body should not be there, but is 1'],
    [{ $contains: [1, 1] }, [1, 2], 'body has no item like 1; it is [1,2]'],
    [{ $equals: { a: 1 } }, { a: 1, b: 2 }, 'body should be exactly {"a":1}, but is {"a":1,"b":2}'],
    [{ $above: '10' }, '9', 'body should be above "10", but is "9"'],
    [{ $not: { a: 1 } }, { a: 1, b: 2 }, 'body should not be {"a":1}'],
    [1, '1', 'body should be 1, but is "1"'],
  ])('%j against %j', (expected, actual, message) => {
    expect(messages(expected, actual)).toEqual([message]);
  });

  test('members of prototypes are not members', () => {
    expect(messages({ constructor: { $present: true } }, {})).toEqual(['body.constructor is missing']);
  });
});

describe('a regular expression that would keep others busy for ever', () => {
  test('ends', () => {
    const found = match({ $matches: '^(a+)+$' }, `${'a'.repeat(40)}b`, 'body');
    expect(found).toHaveLength(1);
  });
});
