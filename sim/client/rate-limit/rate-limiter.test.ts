import { describe, expect, it } from 'vitest';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';
import { defaultControllerRateLimiter, ItemBackoff, TokenBucket } from './rate-limiter.ts';

describe('the pause of one key', () => {
  it('doubles from 5 ms to 1,000 s, apart from other keys', () => {
    const limiter = new ItemBackoff<string>();
    const pauses = Array.from({ length: 20 }, () => limiter.pauseOf('a'));
    expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 40].map(milliseconds));
    expect(pauses[17]).toBe(milliseconds(5 * 2 ** 17));
    expect(pauses[18]).toBe(seconds(1_000));
    expect(limiter.pauseOf('b')).toBe(milliseconds(5));
    expect(limiter.failuresOf('a')).toBe(20);
  });

  it('is short again once the key did well', () => {
    const limiter = new ItemBackoff<string>({ first: seconds(1), longest: seconds(3) });
    expect([1, 2, 3].map(() => limiter.pauseOf('a'))).toEqual([1, 2, 3].map(seconds));
    limiter.forget('a');
    expect(limiter.failuresOf('a')).toBe(0);
    expect(limiter.pauseOf('a')).toBe(seconds(1));
  });
});

describe('a bucket of tokens', () => {
  it('gives a burst at once and then one after the other, to all keys together', () => {
    let now = seconds(7);
    const bucket = new TokenBucket({ now: () => now, perSecond: 10, burst: 3 });
    const take = (count: number): readonly Micros[] => Array.from({ length: count }, () => bucket.pauseOf());
    expect(take(5)).toEqual([0, 0, 0, 100, 200].map(milliseconds));
    now = seconds(8);
    // Ten have come back, of which two were owed, and no more than three lie in it.
    expect(take(4)).toEqual([0, 0, 0, 100].map(milliseconds));
    now = milliseconds(8_250);
    expect(take(2)).toEqual([0, 50].map(milliseconds));
  });
});

it('controllers wait for the longer of the two', () => {
  const limiter = defaultControllerRateLimiter<string>(() => seconds(0));
  const pauses = Array.from({ length: 101 }, (_, index) => limiter.pauseOf(`key-${index}`));
  expect(new Set(pauses.slice(0, 100))).toEqual(new Set([milliseconds(5)]));
  expect(pauses[100]).toBe(milliseconds(100));
  expect(limiter.failuresOf('key-3')).toBe(1);
  limiter.forget('key-3');
  expect(limiter.failuresOf('key-3')).toBe(0);
});
