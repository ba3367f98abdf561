import type { Context } from './context.ts';
import type { Process } from './process.ts';
import { Caller, defineCallPort, serveCalls } from './request-reply.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { milliseconds, type Micros } from './time.ts';

const port = defineCallPort<string, number>('shop');

/** A server, clients that ask it now and then, and faults: a small world in which chance matters. */
export function world(
  options: SimulationOptions,
  clients = 3,
  extra?: (simulation: Simulation) => void,
): Simulation {
  const simulation = new Simulation(options);
  const server = simulation.actor('server', {
    start(context) {
      const work = context.site('work');
      serveCalls(context, port, function* (request) {
        yield* context.sleep(work.around(100, 300, 5_000) as Micros);
        context.trace('served', request, { remaining: work.int(0, 9) });
        return work.int(0, 100);
      });
    },
  });
  for (let index = 0; index < clients; index++) simulation.actor(`client/${index}`, { start: customer });
  extra?.(simulation);
  simulation.at(milliseconds(40), 'crash', () => server.crash());
  simulation.at(milliseconds(60), 'restart', () => server.restart());
  simulation.at(milliseconds(70), 'partition', () => simulation.network.partition('client/0', 'server'));
  simulation.at(milliseconds(90), 'heal', () => simulation.network.heal('client/0', 'server'));
  simulation.runUntil(milliseconds(150));
  return simulation;
}

function* customer(context: Context): Process<void> {
  const caller = new Caller(context, { actor: 'server', port });
  for (;;) {
    yield* context.sleep(context.site('pause').int(0, 5_000) as Micros);
    const outcome = yield* caller.call(context.name, milliseconds(context.choose('patience', [2, 5, 20])));
    context.trace('outcome', outcome.kind, { uid: context.site('uid').uuid() });
  }
}
