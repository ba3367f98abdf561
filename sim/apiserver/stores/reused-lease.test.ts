import { expect, test } from 'vitest';
import { ReusedLease } from './reused-lease.ts';

const HOUR = 3_600;

/** Leases of a storage that forgets what it is told to forget. */
function storage() {
  const ends: number[] = [];
  const lost = new Set<number>();
  const grant = (expiresAt: number): number => ends.push(expiresAt);
  return { ends, lost, grant, isAlive: (id: number): boolean => !lost.has(id) };
}

test('what is written within a minute shares a lease that ends a minute later than asked', () => {
  const { ends, grant, isAlive } = storage();
  const lease = new ReusedLease(HOUR, grant);
  const ids = [0, 1, 59_999, 60_000, 60_001, 120_000].map((now) => lease.at(now, isAlive));
  expect(ids).toEqual([1, 1, 1, 2, 2, 3]);
  expect(ends).toEqual([3_660_000, 3_720_000, 3_780_000]);
});

test('short ones are shared for a twentieth of their time, the shortest not at all', () => {
  const minute = storage();
  const short = new ReusedLease(60, minute.grant);
  expect([0, 2_999, 3_000].map((now) => short.at(now, minute.isAlive))).toEqual([1, 1, 2]);
  const seconds = storage();
  const shortest = new ReusedLease(15, seconds.grant);
  expect([0, 0, 1].map((now) => shortest.at(now, seconds.isAlive))).toEqual([1, 2, 3]);
  expect(seconds.ends).toEqual([15_000, 15_000, 15_001]);
});

test('one holds a thousand keys', () => {
  const { grant, isAlive } = storage();
  const lease = new ReusedLease(HOUR, grant);
  const ids = Array.from({ length: 2_001 }, () => lease.at(0, isAlive));
  expect([ids[0], ids[999], ids[1_000], ids[1_999], ids[2_000]]).toEqual([1, 1, 2, 2, 3]);
});

test('a clock that was set back, or a storage that knows it no more, asks for a new one', () => {
  const { lost, grant, isAlive } = storage();
  const lease = new ReusedLease(HOUR, grant);
  expect([lease.at(50_000, isAlive), lease.at(49_999, isAlive)]).toEqual([1, 2]);
  lost.add(2);
  expect([lease.at(50_000, isAlive), lease.at(50_000, isAlive)]).toEqual([3, 3]);
});
