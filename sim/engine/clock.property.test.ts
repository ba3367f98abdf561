/** The clock of an actor, whatever its drift and however often that changes: it never runs back, and a span is over as soon as it has counted it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActorClock } from './clock.ts';
import { microseconds, type Micros } from './time.ts';

const instants = fc.integer({ min: 0, max: 1e14 }).map(microseconds);
const drifts = fc.integer({ min: -999_999, max: 1_000_000 });

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
