import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import type { Context } from './context.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { milliseconds, seconds } from './time.ts';

const after = function* <T>(context: Context, ms: number, value: T): Process<T> {
  yield* context.sleep(milliseconds(ms));
  return value;
};

test('wherever a process is cancelled, its finally runs exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }), fc.nat(30), (sleeps, cancelAtMs) => {
      const simulation = new Simulation({ seed: 1 });
      let finals = 0;
      const task = simulation.actor('a').spawn('worker', function* (context) {
        try {
          for (const ms of sleeps)
            yield* context.race([context.sleep(milliseconds(ms)), after(context, 2, 0)]);
        } finally {
          finals++;
        }
      });
      simulation.at(milliseconds(cancelAtMs), 'cancel', () => task.cancel());
      simulation.runFor(seconds(1));
      expect(finals).toBe(1);
      expect(task.state).not.toBe('active');
      expect(simulation.pendingCount).toBe(0);
    }),
    asOftenAs(100),
  );
});
