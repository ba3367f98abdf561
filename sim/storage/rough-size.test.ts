import { expect, test } from 'vitest';
import { roughSizeOf, SampledSize } from './rough-size.ts';

test('a value is about as large as its texts and its members', () => {
  expect(roughSizeOf({ a: 'x'.repeat(3_000), b: ['y'.repeat(500)] })).toBeGreaterThan(3_500);
  expect(roughSizeOf({ a: 'x'.repeat(3_000), b: ['y'.repeat(500)] })).toBeLessThan(3_700);
});

test('of a large value no more is looked at than it takes to know that it is large', () => {
  const value = { a: Array.from({ length: 1_000_000 }, () => 'text') };
  expect(roughSizeOf(value)).toBeGreaterThan(100_000);
});

test('samples stand for what is kept, and nothing stays of what has gone', () => {
  const size = new SampledSize();
  for (let count = 0; count < 1_600; count++) size.added('x', (text) => text.repeat(984));
  expect(size.bytes).toBe(1_600_000);
  size.keepLast(800);
  expect(size.bytes).toBe(800_000);
  size.keepLast(0);
  expect(size.bytes).toBe(0);
});
