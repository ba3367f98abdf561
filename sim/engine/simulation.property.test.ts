import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { schedules } from './schedule.arbitrary.ts';
import type { Schedule } from './schedule-policy.ts';
import type { Simulation } from './simulation.ts';
import { world } from './small-world.fixture.ts';
import type { Micros } from './time.ts';

const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

test('equal seeds give equal digests, other seeds others', () => {
  fc.assert(
    fc.property(seeds, schedules, (seed, schedule) => {
      const { trace } = world({ seed, schedule });
      expect(world({ seed, schedule }).trace.digest).toBe(trace.digest);
      expect(world({ seed: seed === 0 ? 1 : seed - 1, schedule }).trace.digest).not.toBe(trace.digest);
    }),
    asOftenAs(30),
  );
});

test('replaying a choice log gives the same digest', () => {
  fc.assert(
    fc.property(seeds, schedules, (seed, schedule) => {
      const original = world({ seed, schedule });
      const replayed = world({ seed, schedule, replay: original.choices.log() });
      expect(replayed.trace.digest).toBe(original.trace.digest);
      expect(replayed.choices.strayAnswers()).toEqual([]);
    }),
    asOftenAs(30),
  );
});

test('an edited choice log still runs, and counts the answers that found no question', () => {
  fc.assert(
    fc.property(seeds, fc.infiniteStream(fc.boolean()), (seed, coin) => {
      const log = world({ seed }).choices.log();
      const shrunk = log.filter(() => coin.next().value);
      const replayed = world({ seed, replay: shrunk });
      expect(replayed.choices.log().length + replayed.choices.strayAnswers().length).toBe(shrunk.length);
    }),
    asOftenAs(30),
  );
});

test('an unrelated actor does not change what another actor draws', () => {
  const story = (simulation: Simulation, name: string): unknown[] =>
    simulation.trace
      .records()
      .filter((record) => record.actor === name)
      .map(({ at, kind, subject, facts }) => [at, kind, subject, facts]);
  const draws = (simulation: Simulation): unknown =>
    simulation.choices.log().filter(({ site }) => !site.startsWith('stranger') && !site.endsWith(':rank'));
  // A random schedule looks at all that is enabled, strangers too.
  const steady = fc.constantFrom<Schedule>('first-come', { policy: 'priorities', changePoints: 0 });
  fc.assert(
    fc.property(seeds, steady, (seed, schedule) => {
      const options = { seed, schedule, trace: { keeps: 'all' } } as const;
      const alone = world(options);
      const crowded = world(options, 3, (simulation) => {
        simulation.actor('stranger', {
          *start(context) {
            for (;;) yield* context.sleep(context.site('walk').int(1, 999) as Micros);
          },
        });
      });
      expect(draws(crowded)).toEqual(draws(alone));
      for (const name of ['server', 'client/0', 'client/2'])
        expect(story(crowded, name)).toEqual(story(alone, name));
    }),
    asOftenAs(20),
  );
});
