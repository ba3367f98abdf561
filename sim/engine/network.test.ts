import { describe, expect, test } from 'vitest';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { InvariantViolation } from './invariant.ts';
import type { Process } from './process.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { milliseconds, seconds } from './time.ts';
import { connected, note, port } from './connected.fixture.ts';

const dialled = (context: Context, actor = 'listener'): Process<Connection<number, number>> =>
  context.dial({ actor, port });

describe('connections', () => {
  test('a message that a link kept does not fall behind one that waited for the paused actor alone', () => {
    const { simulation, listener, connection, received } = connected({ latency: fixedLatency(0) });
    simulation.network.partition('dialler', 'listener');
    connection.send(0);
    simulation.runFor(seconds(1));
    listener.pause();
    connection.send(1);
    simulation.runFor(seconds(1));
    simulation.network.heal('dialler', 'listener');
    listener.resume();
    listener.pause();
    connection.send(2);
    simulation.runFor(seconds(1));
    listener.resume();
    simulation.runFor(seconds(1));
    expect(received).toEqual(['0', '1', '2']);
  });

  test('different connections may overtake one another', () => {
    const { simulation, dialler, received } = connected({ seed: 3 });
    const tasks = Array.from({ length: 20 }, () => dialler.spawn('dial', (context) => dialled(context)));
    const connections = tasks.map((task) => simulation.finish(task));
    connections.forEach((connection, number) => connection.send(number));
    simulation.runFor(seconds(1));
    const sent = connections.map((_, number) => `${number}`);
    expect(received).not.toEqual(sent);
    expect(received.toSorted()).toEqual(sent.toSorted());
  });

  test('end in order: the peer receives what was sent, then the end', () => {
    const { simulation, connection, received, reading } = connected();
    connection.send(1);
    connection.close();
    expect([connection.send(2), connection.state, reading.state]).toEqual([false, 'closed', 'active']);
    simulation.runFor(seconds(1));
    expect(received).toEqual(['1', 'end']);
    expect(reading.state).toBe('done');
  });

  test('end with the handler of the listener', () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.actor('listener', {
      start(context) {
        context.listen(port, function* (connection) {
          connection.send((yield* connection.receive()) ?? 0);
        });
      },
    });
    const task = simulation.actor('dialler').spawn('once', function* (context) {
      const connection = yield* dialled(context);
      connection.send(7);
      return [yield* connection.receive(), yield* connection.receive(), connection.state];
    });
    expect(simulation.finish(task)).toEqual([7, undefined, 'ended']);
  });

  test('an abort is an error at the peer', () => {
    const { simulation, connection, received } = connected();
    connection.send(1);
    connection.abort();
    simulation.runFor(seconds(1));
    expect(received).toEqual(['1', 'ConnectionError: connection reset']);
  });

  test('are refused by an actor that is absent, crashed, or does not listen', () => {
    const { simulation, listener, dialler } = connected();
    simulation.actor('deaf');
    listener.crash();
    for (const actor of ['nobody', 'deaf', 'listener']) {
      const task = dialler.spawn('dial', (context) => dialled(context, actor), { failure: 'kept' });
      expect(() => simulation.finish(task)).toThrow('connection refused');
    }
    listener.restart();
    simulation.runFor(seconds(1));
    expect(simulation.finish(dialler.spawn('dial', (context) => dialled(context))).isOpen).toBe(true);
  });

  test('an attempt that was given up does not stay open at the listener', () => {
    const { simulation, dialler, received } = connected({ latency: fixedLatency(10) });
    const task = dialler.spawn('dial', (context) => context.within(milliseconds(15), dialled(context)));
    expect(simulation.finish(task).isLate).toBe(true);
    simulation.runFor(seconds(1));
    expect(received).toEqual(['ConnectionError: connection reset']);
  });
});

function fixedLatency(ms: number): NonNullable<SimulationOptions['latency']> {
  return { min: milliseconds(ms), typical: milliseconds(ms), max: milliseconds(ms) };
}

describe('crashes', () => {
  test('of a peer break the connection after a latency', () => {
    const { simulation, listener, connection, answers } = connected({ latency: fixedLatency(10) });
    listener.crash();
    simulation.runFor(milliseconds(9));
    expect(connection.state).toBe('open');
    simulation.runFor(milliseconds(1));
    expect([connection.state, answers]).toEqual(['reset', ['ConnectionError: connection reset']]);
  });

  test('that are silent are noticed when the machine is up again and something is sent', () => {
    const { simulation, listener, connection, answers, dialler } = connected();
    listener.crash({ isSilent: true });
    connection.send(1);
    const dial = dialler.spawn('dial', (context) => context.within(seconds(5), dialled(context)));
    simulation.runFor(seconds(10));
    expect([connection.state, simulation.finish(dial)]).toEqual(['open', { isLate: true }]);
    listener.restart();
    simulation.runFor(seconds(10));
    expect(connection.state).toBe('open');
    connection.send(2);
    simulation.runFor(seconds(1));
    expect([connection.state, answers]).toEqual(['reset', ['ConnectionError: connection reset']]);
  });
});

describe('faults', () => {
  test('a partition keeps what is sent until it is healed, per direction', () => {
    const { simulation, connection, received, answers } = connected();
    simulation.network.partition('listener', 'dialler', 'forth');
    connection.send(1);
    simulation.runFor(seconds(5));
    expect([received, answers]).toEqual([['1'], []]);
    simulation.network.partition('dialler', 'listener', 'forth');
    connection.send(2);
    simulation.runFor(seconds(5));
    expect([received, answers]).toEqual([['1'], []]);
    expect(simulation.network.stateOf('dialler', 'listener')).toBe('partitioned');
    simulation.network.heal('dialler', 'listener');
    simulation.runFor(seconds(5));
    expect([received, answers]).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  test('a partition keeps what is under way when it begins', () => {
    const { simulation, connection, received } = connected({ latency: fixedLatency(10) });
    connection.send(1);
    simulation.runFor(milliseconds(5));
    simulation.network.partition('dialler', 'listener');
    simulation.runFor(seconds(5));
    expect(received).toEqual([]);
  });

  test('an attempt to connect waits through a partition', () => {
    const { simulation, dialler } = connected();
    simulation.network.partition('dialler', 'listener');
    const late = dialler.spawn('dial', (context) => context.within(seconds(3), dialled(context)));
    const patient = dialler.spawn('dial', (context) => dialled(context));
    expect(simulation.finish(late).isLate).toBe(true);
    simulation.network.heal('dialler', 'listener');
    expect(simulation.finish(patient).isOpen).toBe(true);
  });

  test('a hold waits for its release, and a heal does not release it', () => {
    const { simulation, connection, received } = connected();
    simulation.network.hold('dialler', 'listener');
    connection.send(1);
    simulation.runFor(seconds(1));
    simulation.network.heal('dialler', 'listener');
    simulation.runFor(seconds(1));
    expect(received).toEqual([]);
    simulation.network.release('dialler', 'listener');
    simulation.runFor(seconds(1));
    expect(received).toEqual(['1']);
  });

  test('a reset breaks both ends at once and spares other connections', () => {
    const { simulation, dialler, connection, received, answers } = connected();
    simulation.actor('other', {
      start(context) {
        context.listen(port, (other) => note([], other));
      },
    });
    const spared = simulation.finish(dialler.spawn('dial', (context) => dialled(context, 'other')));
    connection.send(1);
    simulation.network.reset('listener', 'dialler');
    expect(connection.send(2)).toBe(false);
    simulation.runFor(seconds(1));
    expect([received, answers]).toEqual([
      ['ConnectionError: connection reset'],
      ['ConnectionError: connection reset'],
    ]);
    expect(spared.isOpen).toBe(true);
  });

  test('latency can be set for one direction', () => {
    const { simulation, connection, received, answers } = connected({ latency: fixedLatency(1) });
    simulation.network.setLatency('listener', 'dialler', fixedLatency(50), 'forth');
    connection.send(1);
    simulation.runFor(milliseconds(50));
    expect([received, answers]).toEqual([['1'], []]);
    simulation.runFor(milliseconds(1));
    expect(answers).toEqual(['1']);
    const upsideDown = { min: milliseconds(2), typical: milliseconds(1), max: milliseconds(3) };
    expect(() => simulation.network.setDefaultLatency(upsideDown)).toThrow(InvariantViolation);
  });
});

describe('an eavesdropper', () => {
  test('hears what its actor says and is told, when it may act on it', () => {
    const { simulation, dialler, connection, answers } = connected();
    const heard: string[] = [];
    let others = 0;
    dialler.overhear({ sent: () => void (others += 1) });
    dialler.overhear({
      sent: (message, { remote }) => heard.push(`to ${remote}: ${String(message)}`),
      received: (message, { remote }) => heard.push(`from ${remote}: ${String(message)}`),
    });
    dialler.pause();
    connection.send(7);
    simulation.runFor(seconds(1));
    expect(heard).toEqual(['to listener: 7']);
    dialler.resume();
    simulation.runFor(seconds(1));
    expect(heard).toEqual(['to listener: 7', 'from listener: 7']);
    expect(answers).toEqual(['7']);
    expect(others).toBe(1);
  });

  test('hears what is withheld, which nobody else does', () => {
    const { simulation, dialler, connection, received } = connected();
    const heard: string[] = [];
    for (const name of ['one', 'two'])
      dialler.overhear({
        withheld: (message, { remote }) => heard.push(`${name}: to ${remote}: ${String(message)}`),
      });
    connection.withhold(7);
    simulation.runFor(seconds(1));
    expect(heard).toEqual(['one: to listener: 7', 'two: to listener: 7']);
    expect(received).toEqual([]);
  });
});
