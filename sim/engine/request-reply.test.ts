import { expect, test } from 'vitest';
import type { Context } from './context.ts';
import { Caller, defineCallPort, serveCalls } from './request-reply.ts';
import { Simulation } from './simulation.ts';
import { milliseconds, seconds } from './time.ts';

const port = defineCallPort<number, string>('calls');

/** A server that answers n after n milliseconds, and a client. */
function serving() {
  const simulation = new Simulation({ seed: 1 });
  const done: number[] = [];
  const server = simulation.actor('server', {
    start(context) {
      serveCalls(context, port, function* (request, peer) {
        yield* context.sleep(milliseconds(request));
        done.push(request);
        return `${request} for ${peer} by ${context.incarnation}`;
      });
    },
  });
  const client = simulation.actor('client');
  const caller = new Caller(client.context, { actor: 'server', port });
  const call = (request: number, timeoutSeconds = 1) =>
    client.spawn('call', () => caller.call(request, seconds(timeoutSeconds)));
  return { simulation, server, client, caller, call, done };
}

const dialsOf = (context: Context, simulation: Simulation): number =>
  simulation.trace
    .records()
    .filter(({ kind, subject }) => kind === 'connect' && subject.startsWith(context.name)).length;

test('many calls share a connection, and quick ones do not wait for slow ones', () => {
  const { simulation, client, call, done } = serving();
  const calls = [30, 10, 20].map((request) => call(request));
  const outcomes = calls.map((task) => simulation.finish(task));
  expect(outcomes).toEqual(
    [30, 10, 20].map((request) => ({ kind: 'reply', reply: `${request} for client by 1` })),
  );
  expect(done).toEqual([10, 20, 30]);
  expect(dialsOf(client.context, simulation)).toBe(1);
});

test('a timeout says nothing about what was done', () => {
  const { simulation, call, done } = serving();
  expect(simulation.finish(call(1500))).toEqual({ kind: 'timeout' });
  expect([simulation.now, done]).toEqual([seconds(1), []]);
  simulation.runFor(seconds(1));
  expect(done).toEqual([1500]);
  expect(simulation.finish(call(1)).kind).toBe('reply');
});

test('a call that the network keeps is done when it is healed, long after its timeout', () => {
  const { simulation, call, done } = serving();
  simulation.finish(call(1));
  simulation.network.partition('client', 'server');
  expect(simulation.finish(call(2)).kind).toBe('timeout');
  simulation.network.heal('client', 'server');
  simulation.runFor(seconds(1));
  expect(done).toEqual([1, 2]);
});

test('calls under way when the server crashes end with reset, later ones are refused, then answered again', () => {
  const { simulation, server, call } = serving();
  const underWay = call(500);
  simulation.runFor(milliseconds(100));
  server.crash();
  expect(simulation.finish(underWay)).toEqual({ kind: 'reset' });
  expect(simulation.finish(call(1))).toEqual({ kind: 'refused' });
  server.restart();
  expect(simulation.finish(call(1))).toEqual({ kind: 'reply', reply: '1 for client by 2' });
});

test('calls to a machine without power time out, and reach it when it is up again', () => {
  const { simulation, server, call } = serving();
  server.crash({ isSilent: true });
  expect([simulation.finish(call(1)), simulation.finish(call(1))]).toEqual([
    { kind: 'timeout' },
    { kind: 'timeout' },
  ]);
  server.restart();
  expect(simulation.finish(call(1)).kind).toBe('reply');
});

test('closing ends the calls under way; the next call connects again', () => {
  const { simulation, caller, call } = serving();
  const underWay = call(500);
  simulation.runFor(milliseconds(100));
  caller.close();
  expect(simulation.finish(underWay)).toEqual({ kind: 'reset' });
  expect(simulation.finish(call(1)).kind).toBe('reply');
});

test('a caller that was paused beyond the deadline while it connected has a timeout', () => {
  const { simulation, client, call } = serving();
  const outcome = call(1);
  simulation.runFor(milliseconds(0));
  client.pause();
  simulation.runFor(seconds(5));
  client.resume();
  expect(simulation.finish(outcome)).toEqual({ kind: 'timeout' });
});
