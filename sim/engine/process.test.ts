import { describe, expect, test } from 'vitest';
import { ChannelClosed } from './channel.ts';
import type { Context } from './context.ts';
import { InvariantViolation } from './invariant.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { TaskCancelled } from './task.ts';
import { milliseconds, seconds, toMilliseconds } from './time.ts';

/** Runs one process alone in a world and returns its value. */
function run<T>(process: (context: Context) => Process<T>): T {
  const simulation = new Simulation({ seed: 1 });
  return simulation.finish(simulation.actor('test').spawn('test', process));
}

const after = function* <T>(context: Context, ms: number, value: T): Process<T> {
  yield* context.sleep(milliseconds(ms));
  return value;
};

const failing = function* (context: Context, ms: number): Process<never> {
  yield* context.sleep(milliseconds(ms));
  throw new Error(`failed after ${ms}`);
};

describe('sleeping', () => {
  test('takes virtual time and no real time', () => {
    const simulation = new Simulation({ seed: 1 });
    const task = simulation.actor('a').spawn('sleeper', (context) => context.sleep(seconds(3600)));
    simulation.finish(task);
    expect(simulation.now).toBe(seconds(3600));
  });

  test('lets sleepers go on by their dues, simultaneous ones in order of their start', () => {
    const order: string[] = [];
    const sleeper = function* (context: Context, name: string, ms: number): Process<void> {
      yield* context.sleep(milliseconds(ms));
      order.push(name);
    };
    run(function* (context) {
      const names = ['c:3', 'a:1', 'b:1', 'd:3', 'e:2'];
      yield* context.all(names.map((name) => sleeper(context, name, Number(name.slice(2)))));
    });
    expect(order).toEqual(['a:1', 'b:1', 'e:2', 'c:3', 'd:3']);
  });

  test('values pass through nested processes with their types', () => {
    const inner = function* (context: Context): Process<number> {
      yield* context.sleep(seconds(1));
      return 41;
    };
    const outer = function* (context: Context): Process<string> {
      const answer: number = yield* inner(context);
      return `${answer + 1}`;
    };
    expect(run(outer)).toBe('42');
  });
});

describe('tasks', () => {
  test('a joiner receives the value, also after the end', () => {
    const value = run(function* (context) {
      const task = context.spawn('child', after(context, 5, 'done'));
      const first = yield* task.join();
      return [first, yield* task.join(), task.state];
    });
    expect(value).toEqual(['done', 'done', 'done']);
  });

  test('a joiner receives the failure', () => {
    const caught = run(function* (context) {
      const task = context.spawn('child', failing(context, 1));
      try {
        return yield* task.join();
      } catch (error) {
        return String(error);
      }
    });
    expect(caught).toBe('Error: failed after 1');
  });

  test('a failure that nobody joins is a bug, and says where', () => {
    const simulation = new Simulation({ seed: 99 });
    simulation.actor('careless').spawn('boom', (context) => failing(context, 2));
    let thrown: unknown;
    try {
      simulation.runFor(seconds(1));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvariantViolation);
    expect(String(thrown)).toMatch(/nobody noticed.*failed after 2/);
    expect(String(thrown)).toContain('process="boom"');
    expect(String(thrown)).toContain('seed 99, virtual time 2000 µs');
  });

  test('a kept failure waits for its join', () => {
    const caught = run(function* (context) {
      const task = context.spawn('child', failing(context, 1), { failure: 'kept' });
      yield* context.sleep(seconds(1));
      try {
        return yield* task.join();
      } catch {
        return task.state;
      }
    });
    expect(caught).toBe('failed');
  });

  test('an actor may handle the failures of its processes', () => {
    const simulation = new Simulation({ seed: 1 });
    const failures: string[] = [];
    const onFailure = (error: unknown, process: string): void =>
      void failures.push(`${process}: ${String(error)}`);
    simulation.actor('careful', { onFailure }).spawn('boom', (context) => failing(context, 2));
    simulation.runFor(seconds(1));
    expect(failures).toEqual(['boom: Error: failed after 2']);
  });

  test('cancelling runs finally once, from the inside out, and joiners hear of it', () => {
    const steps: string[] = [];
    const inner = function* (context: Context): Process<void> {
      try {
        yield* context.sleep(seconds(10));
      } finally {
        steps.push('inner');
      }
    };
    const outer = function* (context: Context): Process<void> {
      try {
        yield* inner(context);
      } finally {
        steps.push('outer');
      }
    };
    const caught = run(function* (context) {
      const task = context.spawn('child', outer(context));
      yield* context.sleep(seconds(1));
      task.cancel();
      task.cancel();
      try {
        return yield* task.join();
      } catch (error) {
        return [error instanceof TaskCancelled, task.state, context.now()];
      }
    });
    expect(caught).toEqual([true, 'cancelled', seconds(1)]);
    expect(steps).toEqual(['inner', 'outer']);
  });

  test('finally may wait: the task has ended when it has', () => {
    const ended = run(function* (context) {
      const child = function* (): Process<void> {
        try {
          yield* context.sleep(seconds(10));
        } finally {
          yield* context.sleep(seconds(2));
        }
      };
      const task = context.spawn('child', child());
      yield* context.sleep(seconds(1));
      task.cancel();
      task.cancel();
      yield* context.race([task.join(), context.sleep(seconds(1))]);
      const before = task.state;
      yield* context.sleep(seconds(2));
      return [before, task.state];
    });
    expect(ended).toEqual(['active', 'cancelled']);
  });

  test('a process can cancel itself: it ends at its next wait', () => {
    const steps: string[] = [];
    const simulation = new Simulation({ seed: 1 });
    const task = simulation.actor('a').spawn('self', function* (context) {
      try {
        steps.push('before');
        task.cancel();
        steps.push('after');
        yield* context.sleep(seconds(1));
        steps.push('never');
      } finally {
        steps.push('finally');
      }
    });
    simulation.runFor(seconds(5));
    expect(steps).toEqual(['before', 'after', 'finally']);
    expect(task.state).toBe('cancelled');
  });
});

describe('race and all', () => {
  test('the first branch wins, the others are cancelled', () => {
    let finals = 0;
    const slow = function* (context: Context): Process<string> {
      try {
        return yield* after(context, 50, 'slow');
      } finally {
        finals++;
      }
    };
    const [result, now] = run(function* (context) {
      const first = yield* context.race([
        slow(context),
        after(context, 5, 'quick'),
        context.sleep(seconds(1)),
      ]);
      return [first, context.now()] as const;
    });
    expect(result).toEqual({ index: 1, value: 'quick' });
    expect(toMilliseconds(now)).toBe(5);
    expect(finals).toBe(1);
  });

  test('the earlier branch wins when both are ready at once', () => {
    const result = run(function* (context) {
      const one = context.channel<string>();
      const two = context.channel<string>();
      two.offer('second');
      one.offer('first');
      const winner = yield* context.race([one.receive(), two.receive()]);
      return [winner, two.size];
    });
    expect(result).toEqual([{ index: 0, value: 'first' }, 1]);
  });

  test('a failing branch fails the race', () => {
    const run1 = (): unknown =>
      run(function* (context) {
        return yield* context.race([failing(context, 1), context.sleep(seconds(1))]);
      });
    expect(run1).toThrow('failed after 1');
  });

  test('all collects values in order', () => {
    const values = run(function* (context) {
      const both: [string, number] = yield* context.all([after(context, 9, 'late'), after(context, 1, 7)]);
      return [...both, ...(yield* context.all([]))];
    });
    expect(values).toEqual(['late', 7]);
  });

  test('a failure of one cancels the others of all', () => {
    const simulation = new Simulation({ seed: 1 });
    const task = simulation.actor('a').spawn('all', function* (context) {
      yield* context.all([context.sleep(seconds(9)), failing(context, 3), after(context, 5000, 1)]);
    });
    expect(() => simulation.finish(task)).toThrow('failed after 3');
    expect(simulation.pendingCount).toBe(0);
  });

  test('what takes too long is late and cancelled', () => {
    const outcomes = run(function* (context) {
      const quick = yield* context.within(milliseconds(10), after(context, 3, 'x'));
      const late = yield* context.within(milliseconds(10), after(context, 30, 'x'));
      return [quick, late, context.now()];
    });
    expect(outcomes).toEqual([{ isLate: false, value: 'x' }, { isLate: true }, milliseconds(13)]);
  });

  test('a cancelled race leaves nothing behind', () => {
    const simulation = new Simulation({ seed: 1 });
    const task = simulation.actor('a').spawn('race', function* (context) {
      yield* context.race([context.sleep(seconds(5)), after(context, 9000, 1)]);
    });
    simulation.runFor(seconds(1));
    task.cancel();
    expect(simulation.pendingCount).toBe(0);
  });
});

describe('channels and signals', () => {
  test('a channel hands values over in order, to receivers in order', () => {
    const received: string[] = [];
    run(function* (context) {
      const channel = context.channel<number>();
      const receiver = function* (name: string): Process<void> {
        for (let value = yield* channel.receive(); value !== undefined; value = yield* channel.receive()) {
          received.push(`${name}${value}`);
        }
      };
      const receivers = [receiver('a'), receiver('b')].map((process) => context.spawn('receiver', process));
      yield* context.sleep(milliseconds(1));
      for (const value of [1, 2, 3]) {
        yield* channel.send(value);
        yield* context.sleep(milliseconds(1));
      }
      channel.close();
      yield* context.all(receivers.map((task) => task.join()));
    });
    expect(received).toEqual(['a1', 'b2', 'a3']);
  });

  test('a full channel lets senders wait', () => {
    const log: string[] = [];
    run(function* (context) {
      const channel = context.channel<number>(1);
      const sender = function* (): Process<void> {
        for (const value of [1, 2, 3]) {
          yield* channel.send(value);
          log.push(`sent ${value}`);
        }
        channel.close();
      };
      context.spawn('sender', sender());
      yield* context.sleep(milliseconds(1));
      expect(channel.offer(9)).toBe(false);
      for (let value = yield* channel.receive(); value !== undefined; value = yield* channel.receive()) {
        log.push(`got ${value}`);
        yield* context.sleep(milliseconds(1));
      }
    });
    expect(log).toEqual(['sent 1', 'got 1', 'sent 2', 'got 2', 'sent 3', 'got 3']);
  });

  test('sending into a closed channel fails', () => {
    const outcome = run(function* (context) {
      const channel = context.channel<number>(0);
      const waiting = context.spawn('sender', channel.send(1), { failure: 'kept' });
      yield* context.sleep(milliseconds(1));
      channel.close();
      expect(channel.offer(1)).toBe(false);
      try {
        yield* waiting.join();
      } catch (error) {
        return error instanceof ChannelClosed;
      }
      return false;
    });
    expect(outcome).toBe(true);
  });

  test('a cancelled receiver takes no value', () => {
    const left = run(function* (context) {
      const channel = context.channel<number>();
      yield* context.race([channel.receive(), context.sleep(milliseconds(1))]);
      channel.offer(5);
      return yield* channel.receive();
    });
    expect(left).toBe(5);
  });

  test('a signal wakes those who wait, a deferred value everybody', () => {
    const heard = run(function* (context) {
      const signal = context.signal<string>();
      const answer = context.deferred<number>();
      const waiting = [1, 2].map(() => context.spawn('waiter', signal.wait()));
      yield* context.sleep(milliseconds(1));
      signal.fire('go');
      answer.resolve(1);
      answer.resolve(2);
      const late = yield* context.within(milliseconds(5), signal.wait());
      return [yield* context.all(waiting.map((task) => task.join())), late.isLate, yield* answer.wait()];
    });
    expect(heard).toEqual([['go', 'go'], true, 1]);
  });
});
