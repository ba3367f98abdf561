import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActorClock } from './clock.ts';
import { microseconds, seconds, type Micros } from './time.ts';

const instants = fc.integer({ min: 0, max: 1e14 }).map(microseconds);
const drifts = fc.integer({ min: -999_999, max: 1_000_000 });

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

test('readings are monotone whatever the drift, also when it changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5_000_000), drifts), { maxLength: 30 }), (plan) => {
      const clock = new ActorClock();
      let now = 0 as Micros;
      let last = clock.reading(now);
      for (const [step, drift] of plan) {
        now = microseconds(now + step);
        expect(clock.reading(now)).toBeGreaterThanOrEqual(last);
        last = clock.reading(now);
        clock.setDrift(drift, now);
        expect(clock.reading(now)).toBe(last);
      }
    }),
  );
});

test('a span ends at the first true instant at which the clock has counted it', () => {
  fc.assert(
    fc.property(instants, instants, drifts, fc.nat(1e9), (base, elapsed, driftPpm, length) => {
      const clock = new ActorClock();
      clock.setDrift(driftPpm, base);
      const now = microseconds(base + elapsed);
      const span = microseconds(length);
      const due = microseconds(now + clock.trueSpan(now, span));
      const target = clock.reading(now) + span;
      expect(clock.reading(due)).toBeGreaterThanOrEqual(target);
      if (due > now) expect(clock.reading(microseconds(due - 1))).toBeLessThan(target);
    }),
  );
});
