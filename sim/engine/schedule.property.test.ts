/**
 * Whatever the schedule, some orders are not free: messages of one connection, timers of one clock that are due at
 * different instants, acts of the world. Nothing happens early, nothing later than the window, and nothing overtakes what
 * the world does at an earlier instant.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { definePort } from './port.ts';
import type { Schedule } from './schedule-policy.ts';
import { Simulation } from './simulation.ts';
import { microseconds, milliseconds } from './time.ts';

const PORT = definePort<number, number>('numbers');
const BEGIN = milliseconds(10);

type What = 'timer of a' | 'timer of b' | 'act' | 'message';

interface Planned {
  readonly what: What;
  /** Behind the beginning. */
  readonly after: number;
}

interface Seen extends Planned {
  readonly number: number;
  readonly at: number;
}

const WHAT: readonly What[] = ['timer of a', 'timer of b', 'act', 'message'];
const planned = fc.record({
  what: fc.constantFrom<What>(...WHAT, 'timer of a', 'timer of b'),
  after: fc.oneof(fc.nat(20), fc.nat(300)),
});
const windows = fc.constantFrom(0, 10, 100).map(microseconds);
const schedules = fc.oneof(
  fc.constant<Schedule>('first-come'),
  windows.map((window): Schedule => ({ policy: 'random', window })),
  windows.map((window): Schedule => ({ policy: 'priorities', changePoints: 5, window })),
  windows.map((window): Schedule => ({ policy: 'delays', delays: 6, window })),
);

/** What happens, in order. */
function happened(seed: number, schedule: Schedule, plan: readonly Planned[]): readonly Seen[] {
  const latency = { min: microseconds(50), typical: microseconds(50), max: microseconds(50) };
  const simulation = new Simulation({ seed, schedule, latency });
  const seen: Seen[] = [];
  const note = (number: number): void => {
    const each = plan[number];
    if (each) seen.push({ ...each, number, at: simulation.now - BEGIN });
  };
  const b = simulation.actor('b', {
    start(context) {
      context.listen(PORT, (connection) => connection.consume(note));
    },
  });
  const a = simulation.actor('a');
  const connection = simulation.finish(
    a.spawn('dial', (context) => context.dial({ actor: 'b', port: PORT })),
  );
  for (const [number, { what, after }] of plan.entries()) {
    const at = microseconds(BEGIN + after);
    // Sent so that it is due then.
    if (what === 'message') simulation.at(microseconds(at - 50), 'send', () => void connection.send(number));
    else if (what === 'act') simulation.at(at, 'act', () => note(number));
    else (what === 'timer of a' ? a : b).context.alarmAt(at, () => note(number));
  }
  simulation.runFor(milliseconds(20));
  return seen;
}

it('keeps the orders that are not free', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      schedules,
      fc.array(planned, { maxLength: 25, size: 'max' }),
      (seed, schedule, plan) => {
        const seen = happened(seed, schedule, plan);
        expect(seen.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual([
          ...plan.keys(),
        ]);
        const window = typeof schedule === 'object' && 'window' in schedule ? (schedule.window ?? 0) : 0;
        for (const { at, after, what } of seen) {
          expect(at, `${what} due after ${after}`).toBeGreaterThanOrEqual(after);
          expect(at, `${what} due after ${after}`).toBeLessThanOrEqual(after + window);
          if (what === 'act') expect(at).toBe(after);
        }
        for (const what of WHAT) {
          const dues = seen.filter((each) => each.what === what).map(({ after }) => after);
          expect(dues, what).toEqual(dues.toSorted((one, other) => one - other));
        }
        for (const [index, { after, what }] of seen.entries())
          if (what === 'act')
            for (const earlier of seen.slice(0, index)) expect(earlier.after).toBeLessThanOrEqual(after);
      },
    ),
    asOftenAs(60),
  );
});

it('is first come, first served, unless chance orders it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(planned, { maxLength: 25, size: 'max' }), (seed, plan) => {
      const dues = happened(seed, 'first-come', plan).map(({ after }) => after);
      expect(dues).toEqual(dues.toSorted((one, other) => one - other));
    }),
    asOftenAs(60),
  );
});
