/** Speed of the engine alone: events through the kernel, and resumptions of processes. */

import { Choices } from '../../engine/choices.ts';
import type { Context } from '../../engine/context.ts';
import { label } from '../../engine/digest.ts';
import { Kernel } from '../../engine/kernel.ts';
import { defineCallPort, Caller, serveCalls } from '../../engine/request-reply.ts';
import type { Process } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import { microseconds, seconds, type Micros } from '../../engine/time.ts';
import { Trace } from '../../engine/trace.ts';

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const rate = (name: string, unit: string, count: number, work: () => void): Measurement => {
  const start = performance.now();
  work();
  const elapsedSeconds = (performance.now() - start) / 1000;
  return { name, value: Math.round(count / elapsedSeconds), unit };
};

/** Events per second while 10,000 others are pending, digest on. */
export function measureKernel(events = 2_000_000, pending = 10_000): Measurement {
  const trace = new Trace();
  const kernel = new Kernel({ choices: new Choices({ seed: 1 }), trace, schedule: 'first-come' });
  const tick = label('tick');
  let left = events - pending;
  let step = 1;
  const action = {
    fire: (): void => {
      if (left-- <= 0) return;
      // A multiplicative walk: dues are spread over a millisecond, and no two neighbours are alike.
      step = (step * 48_271) % 2_147_483_647;
      kernel.schedule((kernel.now + 1 + (step % 1000)) as Micros, tick, tick, undefined, action);
    },
  };
  for (let index = 0; index < pending; index++) {
    kernel.schedule(microseconds(index % 1000), tick, tick, undefined, action);
  }
  return rate('kernel, 10,000 pending', 'events/s', events, () => {
    while (kernel.step(Infinity));
  });
}

/** Resumptions per second of processes that sleep below four nested `yield*`. */
export function measureResumptions(resumptions = 2_000_000, processes = 100): Measurement {
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('sleeper');
  const rounds = resumptions / processes;
  for (let index = 0; index < processes; index++) {
    actor.spawn('sleeper', (context) => nested(context, 3, rounds, microseconds(1 + index)));
  }
  return rate('processes, four nested yield*', 'resumptions/s', resumptions, () =>
    simulation.runFor(seconds(3600)),
  );
}

function* nested(context: Context, depth: number, rounds: number, span: Micros): Process<void> {
  if (depth > 0) yield* nested(context, depth - 1, rounds, span);
  else for (let round = 0; round < rounds; round++) yield* context.sleep(span);
}

/** Calls per second from one actor to another and back, with a timeout each, over one connection. */
export function measureCalls(calls = 200_000, callers = 16): Measurement {
  const simulation = new Simulation({ seed: 1, isRecording: false });
  const port = defineCallPort<number, number>('double');
  simulation.actor('server', {
    start(context) {
      serveCalls(context, port, function* (request) {
        return request * 2;
      });
    },
  });
  const client = simulation.actor('client');
  const caller = new Caller(client.context, { actor: 'server', port });
  for (let index = 0; index < callers; index++) {
    client.spawn('caller', function* () {
      for (let call = 0; call < calls / callers; call++) yield* caller.call(call, seconds(30));
    });
  }
  return rate('calls over the network', 'calls/s', calls, () => simulation.runFor(seconds(36_000)));
}

/** Processes per second that are injected from outside and never wait, each run at once. */
export function measureInjections(injections = 500_000): Measurement {
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('server');
  let sum = 0;
  // A generator function made anew for each request would cost more than the engine.
  function* request(index: number): Process<void> {
    sum += index;
  }
  return rate('injected processes', 'processes/s', injections, () => {
    for (let index = 0; index < injections; index++) {
      actor.spawn('request', () => request(index));
      simulation.runUntil(simulation.now);
    }
  });
}
