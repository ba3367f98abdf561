import { expect, test } from 'vitest';
import { ActorClock } from './clock.ts';
import { seconds } from './time.ts';

test('a clock without drift reads true time', () => {
  const clock = new ActorClock();
  expect(clock.reading(seconds(5))).toBe(seconds(5));
  expect(clock.trueSpan(seconds(5), seconds(1))).toBe(seconds(1));
});

test('drift gains parts per million', () => {
  const clock = new ActorClock({ driftPpm: 200 });
  expect(clock.reading(seconds(10_000))).toBe(seconds(10_002));
  expect(new ActorClock({ driftPpm: -200 }).reading(seconds(10_000))).toBe(seconds(9_998));
});

test('a jump moves wall time and leaves the reading', () => {
  const clock = new ActorClock({ offset: seconds(3) });
  clock.jump(seconds(-10));
  expect(clock.wall(seconds(100))).toBe(seconds(93));
  expect(clock.reading(seconds(100))).toBe(seconds(100));
});
