import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { connected } from './connected.fixture.ts';
import { schedules } from './schedule.arbitrary.ts';
import { seconds, type Micros } from './time.ts';

test('messages are first in, first out, whatever the latency and the order of simultaneous events', () => {
  const latencies = fc
    .tuple(fc.nat(5), fc.nat(5), fc.nat(20))
    .map(([min, more, most]) => ({ min, typical: min + more, max: min + more + most }));
  fc.assert(
    fc.property(
      fc.nat(),
      latencies,
      fc.array(fc.nat(3), { maxLength: 60 }),
      schedules,
      fc.array(
        fc.tuple(fc.nat(100), fc.constantFrom('partition', 'heal', 'hold', 'release', 'pause', 'resume')),
        {
          maxLength: 10,
        },
      ),
      (seed, { min, typical, max }, gaps, schedule, faults) => {
        const latency = { min: min as Micros, typical: typical as Micros, max: max as Micros };
        const { simulation, listener, connection, received, answers } = connected({
          seed,
          schedule,
          latency,
        });
        let due = simulation.now;
        for (const [number, gap] of gaps.entries()) {
          due = (due + gap) as Micros;
          simulation.at(due, 'send', () => void connection.send(number));
        }
        for (const [after, fault] of faults) {
          simulation.at((simulation.now + after) as Micros, fault, () => {
            if (fault === 'pause' || fault === 'resume') listener[fault]();
            else
              simulation.network[fault as 'partition']('dialler', 'listener', after % 2 ? 'both' : 'forth');
          });
        }
        simulation.runFor(seconds(1));
        simulation.network.healAll();
        listener.resume();
        simulation.runFor(seconds(1));
        const expected = gaps.map((_, number) => `${number}`);
        expect([received, answers]).toEqual([expected, expected]);
      },
    ),
    asOftenAs(300),
  );
});
