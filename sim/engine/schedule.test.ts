import { expect, test } from 'vitest';
import { ringing } from './ringing.fixture.ts';
import type { Schedule } from './schedule-policy.ts';
import { Simulation } from './simulation.ts';
import { microseconds, milliseconds, seconds } from './time.ts';

const WINDOW = milliseconds(1);
const RANDOM: Schedule = { policy: 'random', window: WINDOW };

test('events within the window come in any order, late by less than the window and never early', () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const { rung, order } = ringing({ seed, schedule: RANDOM });
    orders.add(order);
    for (const { lateBy } of rung) {
      expect(lateBy).toBeGreaterThanOrEqual(0);
      expect(lateBy).toBeLessThanOrEqual(WINDOW);
    }
  }
  expect(orders.size).toBeGreaterThan(80);
});

test('without a window only simultaneous events change places', () => {
  const orders = Array.from({ length: 50 }, (_, seed) => ringing({ seed, schedule: 'random' }).order);
  expect(new Set(orders)).toEqual(new Set(['01234']));
});

test('priorities put one behind all others', () => {
  const schedule: Schedule = { policy: 'priorities', window: WINDOW };
  const orders = Array.from({ length: 300 }, (_, seed) => ringing({ seed, schedule }).order);
  expect(new Set(orders).size).toBeGreaterThan(80);
});

test('at a change point the one that would have gone falls behind', () => {
  const replay = [{ site: 'schedule:change point 1', occurrence: 0, answer: 1 }];
  const schedule: Schedule = { policy: 'priorities', changePoints: 1, window: WINDOW };
  expect(ringing({ seed: 1, schedule, replay: [] }).order).toBe('01234');
  // The first decision is about the processes that start.
  expect(ringing({ seed: 1, schedule, replay }).simulation.choices.log()).toEqual(replay);
});

test('the log of an answer names who would have been next', () => {
  const { simulation } = ringing({ seed: 3, schedule: RANDOM });
  const sites = new Set(simulation.choices.log().map(({ site }) => site.replace(/\d/, 'n')));
  expect(sites).toEqual(new Set(['actor/n:event instead', 'actor/n:process instead']));
});

test('processes that were woken together go on in any order, but for first-come', () => {
  const orderOf = (seed: number, schedule: Schedule): string => {
    const simulation = new Simulation({ seed, schedule });
    const actor = simulation.actor('actor');
    const signal = actor.context.signal();
    let order = '';
    for (const name of 'abc') {
      actor.spawn(name, function* () {
        yield* signal.wait();
        order += name;
      });
    }
    simulation.at(seconds(1), 'fire', () => signal.fire());
    simulation.runFor(seconds(2));
    return order;
  };
  const seeds = Array.from({ length: 60 }, (_, seed) => seed);
  expect(new Set(seeds.map((seed) => orderOf(seed, 'random'))).size).toBe(6);
  expect(new Set(seeds.map((seed) => orderOf(seed, 'priorities'))).size).toBe(6);
  expect(new Set(seeds.map((seed) => orderOf(seed, 'first-come')))).toEqual(new Set(['abc']));
});

test('nothing that is due later than asked for happens early, whatever the window', () => {
  const simulation = new Simulation({ seed: 1, schedule: RANDOM });
  const rung: number[] = [];
  for (let index = 0; index < 5; index++)
    simulation
      .actor(`actor/${index}`)
      .context.alarm(microseconds(100 * (index + 1)), () => void rung.push(index));
  simulation.runUntil(microseconds(300));
  expect([...rung].toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  expect([simulation.pendingCount, simulation.nextDueAt]).toEqual([2, microseconds(400)]);
});

test('an event can be cancelled that had to let others go first', () => {
  for (let seed = 0; seed < 50; seed++) {
    const simulation = new Simulation({ seed, schedule: RANDOM });
    const actors = ['a', 'b'].map((name) => simulation.actor(name));
    const rung: string[] = [];
    const alarms = actors.map(({ context }) =>
      context.alarm(milliseconds(1), () => {
        rung.push(context.name);
        for (const alarm of alarms) alarm.cancel();
      }),
    );
    simulation.runFor(seconds(1));
    expect([rung.length, simulation.pendingCount]).toEqual([1, 0]);
  }
});
