import { describe, expect, test } from 'vitest';
import type { Context } from './context.ts';
import { InvariantViolation } from './invariant.ts';
import { definePort } from './port.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { milliseconds, seconds } from './time.ts';

/** Writes down its incarnation and time at every tick. */
const ticker = (ticks: string[]) =>
  function* (context: Context): Process<void> {
    try {
      for (;;) {
        yield* context.sleep(seconds(1));
        ticks.push(`${context.incarnation}@${context.now() / 1e6}`);
      }
    } finally {
      ticks.push('finally');
    }
  };

describe('crash and restart', () => {
  test('nothing runs after a crash, not even finally, and a restart begins anew', () => {
    const ticks: string[] = [];
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a', { start: ticker(ticks) });
    simulation.runUntil(milliseconds(2500));
    actor.crash();
    simulation.runUntil(milliseconds(5500));
    expect([actor.state, simulation.pendingCount, actor.context.isAlive]).toEqual(['crashed', 0, false]);
    actor.restart();
    simulation.runUntil(milliseconds(7600));
    expect(ticks).toEqual(['1@1', '1@2', '2@6.5', '2@7.5']);
    expect(actor.context.isAlive).toBe(true);
  });

  test('what belongs to a crashed life does nothing any more', () => {
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a');
    const old = actor.context;
    actor.crash();
    const task = old.spawn('late', old.sleep(seconds(1)));
    expect(task.state).toBe('cancelled');
    expect(() => simulation.finish(task)).toThrow('was cancelled');
    expect(() => actor.crash()).not.toThrow();
    actor.restart();
    expect(() => actor.restart()).toThrow(InvariantViolation);
  });

  test('a process that crashes its own actor ends at its next wait', () => {
    const simulation = new Simulation({ seed: 1 });
    const steps: string[] = [];
    const actor = simulation.actor('a', {
      *start(context) {
        try {
          yield* context.sleep(seconds(1));
          actor.crash();
          steps.push('last words');
          yield* context.sleep(seconds(1));
          steps.push('never');
        } finally {
          steps.push('never either');
        }
      },
    });
    simulation.runFor(seconds(9));
    expect(steps).toEqual(['last words']);
  });

  test('joiners in other actors hear of the crash', () => {
    const simulation = new Simulation({ seed: 1 });
    const victim = simulation.actor('victim');
    const task = victim.spawn('work', (context) => context.sleep(seconds(9)));
    const joiner = simulation.actor('other').spawn('join', () => task.join(), { failure: 'kept' });
    simulation.at(seconds(1), 'crash', () => victim.crash());
    expect(() => simulation.finish(joiner)).toThrow('process "work" was cancelled');
    expect(simulation.now).toBe(seconds(1));
  });
});

describe('pause and resume', () => {
  test('timers of a pause ring at its end, in order, and time has gone by', () => {
    const ticks: string[] = [];
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a');
    for (const after of [3, 1, 2, 9]) {
      actor.spawn('sleeper', function* (context) {
        yield* context.sleep(seconds(after));
        ticks.push(`${after}@${context.now() / 1e6}`);
      });
    }
    simulation.runFor(milliseconds(500));
    actor.pause();
    simulation.runUntil(seconds(5));
    expect(ticks).toEqual([]);
    actor.resume();
    simulation.runUntil(seconds(10));
    expect(ticks).toEqual(['1@5', '2@5', '3@5', '9@9']);
  });

  test('what is injected into a paused actor runs when it resumes', () => {
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a');
    actor.pause();
    const task = actor.spawn('later', function* (context) {
      yield* context.sleep(seconds(1));
      return context.now();
    });
    simulation.runFor(seconds(5));
    expect(task.state).toBe('active');
    actor.resume();
    expect(simulation.finish(task)).toBe(seconds(6));
  });

  test('messages queue up during a pause and arrive in order with those that come later', () => {
    const port = definePort<number, never>('in');
    const received: number[] = [];
    const simulation = new Simulation({ seed: 4 });
    const listener = simulation.actor('listener', {
      start(context) {
        context.listen(port, function* (connection) {
          for (let got = yield* connection.receive(); got !== undefined; got = yield* connection.receive()) {
            received.push(got);
          }
        });
      },
    });
    simulation.actor('sender', {
      *start(context) {
        const connection = yield* context.dial({ actor: 'listener', port });
        for (let number = 0; number < 50; number++) {
          connection.send(number);
          yield* context.sleep(milliseconds(1));
        }
      },
    });
    simulation.runUntil(milliseconds(10));
    listener.pause();
    simulation.runUntil(milliseconds(30));
    const during = received.length;
    listener.resume();
    simulation.runUntil(milliseconds(31));
    expect(received.length).toBeGreaterThan(during + 15);
    simulation.runFor(seconds(1));
    expect(received).toEqual(Array.from({ length: 50 }, (_, number) => number));
  });

  test('a crash during a pause ends it', () => {
    const ticks: string[] = [];
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('a', { start: ticker(ticks) });
    simulation.runUntil(milliseconds(500));
    actor.pause();
    simulation.runUntil(milliseconds(1500));
    actor.crash();
    actor.resume();
    simulation.runUntil(seconds(2));
    expect([actor.state, ticks.length]).toEqual(['crashed', 0]);
    actor.restart();
    simulation.runUntil(milliseconds(3500));
    expect(ticks).toEqual(['2@3']);
  });
});

describe('clocks', () => {
  test('an actor sees its own clock, and sleeps by it', () => {
    const epochMs = Date.UTC(2025, 0, 1);
    const simulation = new Simulation({ seed: 1, epochMs });
    const fast = simulation.actor('fast', { clock: { offset: seconds(60), driftPpm: 1_000 } });
    const seen = fast.spawn('look', function* (context) {
      yield* context.sleep(seconds(1001));
      return [context.now(), new Date(context.wallMs()).toISOString()];
    });
    expect(simulation.finish(seen)).toEqual([seconds(1001), '2025-01-01T00:17:41.000Z']);
    expect(simulation.now).toBe(seconds(1000));
    fast.jumpClock(seconds(-60));
    fast.driftClock(0);
    simulation.runFor(seconds(10));
    expect(fast.context.now()).toBe(seconds(1011));
    expect(fast.context.wallMs()).toBe(epochMs + 1_011_000);
  });

  test('sleeping until an instant of the own clock', () => {
    const simulation = new Simulation({ seed: 1 });
    const task = simulation.actor('a').spawn('until', function* (context) {
      yield* context.sleepUntil(seconds(3));
      yield* context.sleepUntil(seconds(1));
      return context.now();
    });
    expect(simulation.finish(task)).toBe(seconds(3));
  });
});
