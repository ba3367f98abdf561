import type { Connection } from './connection.ts';
import { definePort } from './port.ts';
import type { Process } from './process.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export const port = definePort<number, number>('numbers');

/** A listener that notes and sends back what it receives, and a dialler whose connection is open. */
export function connected(options: Partial<SimulationOptions> = {}) {
  const simulation = new Simulation({ seed: 1, ...options });
  const received: string[] = [];
  const answers: string[] = [];
  const listener = simulation.actor('listener', {
    start(context) {
      context.listen(port, function* (connection) {
        yield* note(received, connection, (number) => connection.send(number));
      });
    },
  });
  const dialler = simulation.actor('dialler');
  const task = dialler.spawn('dial', (context) => context.dial({ actor: 'listener', port }));
  const connection = simulation.finish(task);
  const reading = dialler.spawn('read', () => note(answers, connection));
  return { simulation, listener, dialler, connection, received, answers, reading };
}

export function* note<In, Out>(
  log: string[],
  connection: Connection<In, Out>,
  answer?: (message: In) => void,
): Process<void> {
  try {
    for (let got = yield* connection.receive(); got !== undefined; got = yield* connection.receive()) {
      log.push(String(got));
      answer?.(got);
    }
    log.push('end');
  } catch (error) {
    log.push(String(error).replace(/: \S+$/, ''));
  }
}
