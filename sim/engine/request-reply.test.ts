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
      serveCalls(context, port, function* (request, { remote }) {
        yield* context.sleep(milliseconds(request));
        done.push(request);
        return `${request} for ${remote} by ${context.incarnation}`;
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

test('calls with deadlines of their own end at exactly these, in whatever order they were made', () => {
  const { simulation, call } = serving();
  simulation.finish(call(1));
  const start = simulation.now;
  const ended = new Map<number, number>();
  const timeouts = [5, 2, 9, 1, 5, 7];
  const client = simulation.findActor('client');
  for (const [index, timeout] of timeouts.entries()) {
    const task = call(60_000, timeout);
    client?.spawn('wait', function* () {
      expect(yield* task.join()).toEqual({ kind: 'timeout' });
      ended.set(index, (simulation.now - start) / seconds(1));
    });
  }
  simulation.runFor(seconds(20));
  expect(timeouts.map((_, index) => ended.get(index))).toEqual(timeouts);
});

test('many calls that are answered leave one event behind, and it goes away with the connection', () => {
  const { simulation, caller, call } = serving();
  for (let index = 0; index < 20; index++) simulation.finish(call(1));
  expect(simulation.pendingCount).toBe(1);
  caller.close();
  simulation.runFor(milliseconds(100));
  expect(simulation.pendingCount).toBe(0);
});

test('an answer that needs no time is sent within the event that brought the request', () => {
  const quick = defineCallPort<string, string>('quick', (request) => `/things/${request}`);
  const simulation = new Simulation({ seed: 1, trace: { keeps: 'all' } });
  simulation.actor('server', {
    start: (context) => serveCalls(context, quick, (request) => request.toUpperCase()),
  });
  const client = simulation.actor('client');
  const caller = new Caller(client.context, { actor: 'server', port: quick });
  const answer = simulation.finish(client.spawn('call', () => caller.call('a', seconds(1))));
  expect(answer).toEqual({ kind: 'reply', reply: 'A' });
  const [request, reply] = simulation.trace.records().filter(({ kind }) => kind === 'message');
  expect(reply?.cause).toBe(request?.event);
  expect([request?.touches, reply?.touches]).toEqual([
    ['server', '/things/a'],
    ['client', '/things/a'],
  ]);
});

test('what a handler throws at once is a failure of its process', () => {
  const failing = defineCallPort<string, string>('failing');
  const simulation = new Simulation({ seed: 1 });
  const failures: unknown[] = [];
  simulation.actor('server', {
    start: (context) =>
      serveCalls(context, failing, (request) => {
        throw new Error(request);
      }),
    onFailure: (error, process) => failures.push([process, (error as Error).message]),
  });
  const client = simulation.actor('client');
  const caller = new Caller(client.context, { actor: 'server', port: failing });
  const task = client.spawn('call', () => caller.call('no', seconds(1)));
  expect(simulation.finish(task)).toEqual({ kind: 'timeout' });
  expect(failures).toEqual([['failing', 'no']]);
});

test('deadlines that were called off are there again for the next call, whether it comes soon or late', () => {
  for (const pause of [milliseconds(10), seconds(5)]) {
    const { simulation, call } = serving();
    for (const _ of [1, 2, 3]) {
      expect(simulation.finish(call(1)).kind).toBe('reply');
      simulation.runFor(pause);
      const asked = simulation.now;
      expect(simulation.finish(call(1500))).toEqual({ kind: 'timeout' });
      expect(simulation.now - asked).toBe(seconds(1));
    }
  }
});

test('who calls now and then is not rung for once he has his answer', () => {
  const { simulation, call } = serving();
  for (const _ of [1, 2, 3]) {
    simulation.finish(call(1));
    simulation.runFor(seconds(5));
  }
  const rings = simulation.trace
    .records()
    .filter(({ actor, kind }) => actor === 'client' && kind === 'timer');
  expect(rings.length).toBe(0);
});
