import type { ChoiceLog } from './choices.ts';
import type { Schedule } from './schedule-policy.ts';
import { Simulation } from './simulation.ts';
import { microseconds, milliseconds, seconds } from './time.ts';

/** Five actors with timers 100 µs apart; says who rang in which order, and when. */
export function ringing(options: { seed: number; schedule: Schedule; replay?: ChoiceLog }) {
  const simulation = new Simulation(options);
  const rung: { readonly name: string; readonly lateBy: number }[] = [];
  for (let index = 0; index < 5; index++) {
    const name = `actor/${index}`;
    const span = milliseconds(10) + 100 * index;
    simulation.actor(name, {
      *start(context) {
        yield* context.sleep(microseconds(span));
        rung.push({ name, lateBy: simulation.now - span });
      },
    });
  }
  simulation.runFor(seconds(1));
  return { rung, order: rung.map(({ name }) => name.slice(-1)).join(''), simulation };
}
