import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { ringing } from './ringing.fixture.ts';
import { schedules } from './schedule.arbitrary.ts';

test('the choice log replays a schedule, and an empty one is first-come', () => {
  fc.assert(
    fc.property(fc.nat(), schedules, (seed, schedule) => {
      const original = ringing({ seed, schedule });
      const replay = original.simulation.choices.log();
      const replayed = ringing({ seed: 0, schedule, replay });
      expect(replayed.order).toBe(original.order);
      expect(replayed.simulation.choices.strayAnswers()).toEqual([]);
      expect(ringing({ seed, schedule, replay: [] }).order).toBe('01234');
    }),
    asOftenAs(40),
  );
});
