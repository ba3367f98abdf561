import { expect, it } from 'vitest';
import { firstFree, formatIndexes, parseIndexes, union } from './job-indexes.ts';

it.each([
  [[], ''],
  [[0], '0'],
  [[1, 0], '0,1'],
  [[0, 1, 2], '0-2'],
  [[0, 1, 3, 5, 6, 7], '0,1,3,5-7'],
])('indexes %j are written %j, and read back', (indexes, text) => {
  expect(formatIndexes(new Set(indexes))).toBe(text);
  expect([...parseIndexes(text, 10)]).toEqual(indexes.toSorted((a, b) => a - b));
});

it('indexes that a Job does not have, and what is none, are not read', () => {
  expect([...parseIndexes('1,x,3-7', 5)]).toEqual([1, 3, 4]);
});

it('the lowest that are free come first', () => {
  expect(firstFree(union(new Set([0, 2]), new Set([3])), 6, 2)).toEqual([1, 4]);
});
