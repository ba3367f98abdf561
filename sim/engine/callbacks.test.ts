import { describe, expect, test } from 'vitest';
import { definePort } from './port.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { seconds } from './time.ts';

const port = definePort<number, number>('numbers');

/** An actor that consumes what comes, and a connection to it. */
function consuming() {
  const simulation = new Simulation({ seed: 1 });
  const log: string[] = [];
  const server = simulation.actor('server', {
    start(context) {
      context.listen(port, function* (connection): Process<void> {
        // Long enough for messages to have arrived before.
        yield* context.sleep(seconds(1));
        try {
          yield* connection.consume((number) => log.push(`${number}@${Math.floor(context.now() / 1e6)}`));
          log.push('end');
        } catch (error) {
          log.push(String(error).split(':')[1]?.trim() ?? '');
        }
      });
    },
  });
  const client = simulation.actor('client');
  const connection = simulation.finish(
    client.spawn('dial', (context) => context.dial({ actor: 'server', port })),
  );
  return { simulation, server, client, connection, log };
}

describe('a consumer of a connection', () => {
  test('is given what had arrived before, then what comes, then the end', () => {
    const { simulation, connection, log } = consuming();
    for (const number of [1, 2]) connection.send(number);
    simulation.runFor(seconds(2));
    connection.send(3);
    simulation.runFor(seconds(2));
    connection.close();
    simulation.runFor(seconds(1));
    expect(log).toEqual(['1@1', '2@1', '3@2', 'end']);
  });

  test('is told when the connection breaks', () => {
    const { simulation, client, connection, log } = consuming();
    connection.send(1);
    simulation.runFor(seconds(2));
    client.crash();
    simulation.runFor(seconds(1));
    expect(log).toEqual(['1@1', 'connection reset']);
  });

  test('is told of an end that came before it', () => {
    const { simulation, connection, log } = consuming();
    connection.send(1);
    connection.close();
    simulation.runFor(seconds(2));
    expect(log).toEqual(['1@1', 'end']);
  });

  test('hears nothing after the crash of its actor', () => {
    const { simulation, server, connection, log } = consuming();
    simulation.runFor(seconds(2));
    server.crash({ isSilent: true });
    connection.send(1);
    simulation.runFor(seconds(1));
    expect(log).toEqual([]);
  });
});

describe('an alarm', () => {
  const set = () => {
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a', { clock: { driftPpm: 500_000 } });
    const rung: number[] = [];
    const alarm = actor.context.alarm(seconds(3), () => rung.push(simulation.now / seconds(1)));
    return { simulation, actor, alarm, rung };
  };

  test('rings once, by the clock of its actor', () => {
    const { simulation, rung } = set();
    simulation.runFor(seconds(10));
    expect(rung).toEqual([2]);
  });

  test('does not ring when it was cancelled, or its actor has crashed', () => {
    const cancelled = set();
    cancelled.alarm.cancel();
    const crashed = set();
    crashed.actor.crash();
    crashed.actor.restart();
    for (const { simulation } of [cancelled, crashed]) simulation.runFor(seconds(10));
    expect([cancelled.rung, crashed.rung]).toEqual([[], []]);
  });

  test('rings after the pause of its actor', () => {
    const { simulation, actor, rung } = set();
    actor.pause();
    simulation.runFor(seconds(5));
    actor.resume();
    simulation.runFor(seconds(1));
    expect(rung).toEqual([5]);
  });
});

test('members that follow from others can be left out of the digest', () => {
  const digestOf = (facts: object, skipped?: string): string => {
    const simulation = new Simulation({ seed: 1 });
    simulation.actor('a').context.trace('told', 'something', { ...facts }, skipped);
    return simulation.trace.digest;
  };
  const [one, other] = [
    { a: 1, deep: { b: 2, derived: 3 } },
    { a: 1, deep: { b: 2, derived: 4 } },
  ];
  expect(digestOf(one)).not.toBe(digestOf(other));
  expect(digestOf(one, 'derived')).toBe(digestOf(other, 'derived'));
  expect(digestOf(one, 'derived')).not.toBe(digestOf({ a: 1, deep: { b: 5 } }, 'derived'));
});
