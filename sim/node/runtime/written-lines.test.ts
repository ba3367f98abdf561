import { expect, test } from 'vitest';
import { WrittenLines } from './written-lines.ts';

const MIB = 2 ** 20;
const sizeOf = (lines: WrittenLines): number =>
  lines.entries.reduce((sum, { text }) => sum + text.length + 1, 0);

test('keeps the later part of very much, in order, and writes on', () => {
  const lines = new WrittenLines();
  for (let at = 0; at < 50; at++) {
    lines.add({ text: `${at} ${'x'.repeat(MIB)}`, stream: 'stdout' }, at);
    expect(sizeOf(lines)).toBeLessThanOrEqual(20 * MIB);
  }
  const numbers = lines.entries.map(({ text }) => Number.parseInt(text, 10));
  expect(numbers.length).toBeGreaterThanOrEqual(9);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => 50 - numbers.length + at));
  expect(lines.lastSeconds).toBe(49);
});

test('counts anew for a process that begins anew', () => {
  const lines = new WrittenLines();
  const long = { text: 'x'.repeat(15 * MIB), stream: 'stdout' } as const;
  lines.add(long, 1);
  lines.clear();
  lines.add({ text: 'first', stream: 'stdout' }, 2);
  lines.add(long, 3);
  expect(lines.entries).toHaveLength(2);
});
