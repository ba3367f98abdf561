import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import type { Context } from './context.ts';
import { definePort } from './port.ts';
import type { Process } from './process.ts';
import { schedules } from './schedule.arbitrary.ts';
import { Simulation } from './simulation.ts';
import { milliseconds } from './time.ts';

test('after a crash nothing of the old life is ever resumed', () => {
  type Fault = 'crash' | 'restart' | 'pause' | 'resume';
  const faults = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom<Fault>('crash', 'restart', 'pause', 'resume')),
    { maxLength: 15 },
  );
  fc.assert(
    fc.property(faults, schedules, (plan, schedule) => {
      const simulation = new Simulation({ seed: 1, schedule });
      const port = definePort<number, number>('echo');
      const resumed = (context: Context): void => {
        expect([context.isAlive, actor.state, context.incarnation]).toEqual([true, 'running', life]);
      };
      let life = 0;
      const actor = simulation.actor('victim', {
        *start(context) {
          life = context.incarnation;
          context.listen(port, function* (connection) {
            for (
              let got = yield* connection.receive();
              got !== undefined;
              got = yield* connection.receive()
            ) {
              resumed(context);
              connection.send(got);
            }
            resumed(context);
          });
          const channel = context.channel<number>();
          context.spawn('receiver', drain(context, channel.receive()));
          for (;;) {
            yield* context.race([context.sleep(milliseconds(1)), channel.receive()]);
            resumed(context);
            if (context.now() % 2 === 0) channel.offer(1);
            yield* context.sleep(milliseconds(1));
          }
        },
      });
      function* drain(context: Context, receive: Process<unknown>): Process<void> {
        yield* context.all([receive, context.sleep(milliseconds(3))]);
        resumed(context);
      }
      simulation.actor('client', { start: (context) => chatter(context) });
      function* chatter(context: Context): Process<void> {
        for (;;) {
          yield* context.within(milliseconds(7), exchange(context));
          yield* context.sleep(milliseconds(1));
        }
      }
      function* exchange(context: Context): Process<void> {
        try {
          const connection = yield* context.dial({ actor: 'victim', port });
          for (let count = 0; count < 3; count++) {
            connection.send(count);
            expect((yield* connection.receive()) ?? count).toBe(count);
          }
          connection.close();
        } catch (error) {
          expect(String(error)).toMatch(/connection (refused|reset)/);
        }
      }
      for (const [atMs, fault] of plan) {
        simulation.at(milliseconds(atMs), fault, () => {
          if (fault !== 'restart' || actor.state === 'crashed') actor[fault]();
        });
      }
      simulation.runUntil(milliseconds(60));
    }),
    asOftenAs(100),
  );
});
