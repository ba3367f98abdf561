/**
 * Drives a simulation so that foreign asynchronous code gets its turn between events. The loop is the same
 * as in a synchronous run; only who waits between two steps differs. Meant for the host, which knows promises.
 */

import type { Simulation } from './simulation.ts';
import type { Micros } from './time.ts';

/**
 * Lets everything happen that is due by `instant`, and moves the clock there. `betweenEvents` is awaited before
 * the first event and after each one; the simulation goes on once the foreign code has come to rest.
 */
export async function driveUntil(
  simulation: Simulation,
  instant: Micros,
  betweenEvents: () => Promise<void>,
): Promise<void> {
  do await betweenEvents();
  while (simulation.step(instant));
  simulation.runUntil(instant);
}
