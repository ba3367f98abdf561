import { describe, expect, test } from 'vitest';
import { SortedMap } from './sorted-map.ts';

const scanned = (map: SortedMap<number>, range: { prefix: string; startKey?: string }) => {
  const found: [string, number][] = [];
  map.scan(range, (value, key) => {
    found.push([key, value]);
  });
  return found;
};

/** Numbers written so that their text order is their order: enough of them to need many runs. */
const keyOf = (number: number) => `k/${String(number).padStart(5, '0')}`;

describe('a sorted map', () => {
  test.each([
    ['in order', (index: number) => index],
    ['backwards', (index: number) => 4999 - index],
    ['scattered', (index: number) => (index * 7919) % 5000],
  ])('holds keys that come %s in their order', (_, numberAt) => {
    const map = new SortedMap<number>();
    for (let index = 0; index < 5000; index += 1) map.set(keyOf(numberAt(index)), numberAt(index));
    expect(map.size).toBe(5000);
    expect(scanned(map, { prefix: '' })).toEqual(
      Array.from({ length: 5000 }, (__, index) => [keyOf(index), index]),
    );
    expect(map.get(keyOf(4321))).toBe(4321);
    expect(scanned(map, { prefix: 'k/0123' }).length).toBe(10);
    expect(scanned(map, { prefix: 'k/', startKey: 'k/04998' }).length).toBe(2);
  });

  test('is empty again after all keys were deleted, whatever their order', () => {
    const map = new SortedMap<number>();
    for (let index = 0; index < 3000; index += 1) map.set(keyOf(index), index);
    for (let index = 0; index < 3000; index += 1) expect(map.delete(keyOf((index * 7919) % 3000))).toBe(true);
    expect([map.size, scanned(map, { prefix: '' })]).toEqual([0, []]);
    expect(map.delete(keyOf(1))).toBe(false);
  });

  test('stops a scan when it is told to', () => {
    const map = new SortedMap<number>();
    for (let index = 0; index < 1000; index += 1) map.set(keyOf(index), index);
    let visits = 0;
    map.scan({ prefix: '' }, () => (visits += 1) < 700);
    expect(visits).toBe(700);
  });
});
