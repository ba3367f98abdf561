import { describe, expect, it } from 'vitest';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds, seconds, toMilliseconds } from '../engine/time.ts';
import { NoAnswer } from './no-answer.ts';
import { startWorkers, WorkQueue } from './work-queue.ts';

function queueOf() {
  const simulation = new Simulation({ seed: 1 });
  const { context } = simulation.actor('controller');
  return { simulation, context, queue: new WorkQueue(context) };
}

describe('a work queue', () => {
  it('holds a key once', () => {
    const { queue } = queueOf();
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect(queue.size).toBe(2);
  });

  it('gives a key that is added while it is worked on again, never to two workers at once', () => {
    const { simulation, context, queue } = queueOf();
    const seen: string[] = [];
    let inWork = 0;
    startWorkers(context, queue, {
      workers: 3,
      *reconcile(key) {
        expect(++inWork).toBe(1);
        seen.push(key);
        yield* context.sleep(seconds(1));
        inWork--;
        return undefined;
      },
    });
    queue.add('a');
    simulation.runFor(milliseconds(500));
    queue.add('a');
    queue.add('a');
    simulation.runFor(seconds(10));
    expect(seen).toEqual(['a', 'a']);
  });

  it('has no more workers than there may be, burst after burst, and takes up what lay there before they came', () => {
    const { simulation, context, queue } = queueOf();
    const seen: string[] = [];
    let [inWork, most] = [0, 0];
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    startWorkers(context, queue, {
      workers: 2,
      *reconcile(key) {
        most = Math.max(most, ++inWork);
        yield* context.sleep(seconds(1));
        inWork--;
        seen.push(key);
        if (key === 'b' && seen.length < 4) throw new NoAnswer('reset', 'test');
        return undefined;
      },
    });
    simulation.runFor(seconds(10));
    expect([seen.toSorted().join(''), most, inWork]).toEqual(['abbcd', 2, 0]);
    most = 0;
    for (const key of ['e', 'f', 'g']) queue.add(key);
    simulation.runFor(seconds(10));
    expect([seen.slice(5).join(''), most, inWork]).toEqual(['efg', 2, 0]);
  });

  it('brings a failed key back after 5, 10, 20 … ms', () => {
    const { simulation, context, queue } = queueOf();
    const at: number[] = [];
    startWorkers(context, queue, {
      *reconcile() {
        at.push(toMilliseconds(simulation.now));
        if (at.length < 5) throw new NoAnswer('reset', 'test');
        return undefined;
      },
    });
    queue.add('a');
    simulation.runFor(seconds(1));
    expect(at).toEqual([0, 5, 15, 35, 75]);
    expect(queue.failuresOf('a')).toBe(0);
  });

  it('adds a delayed key once, at the earliest of its times', () => {
    const { simulation, context, queue } = queueOf();
    const at: number[] = [];
    startWorkers(context, queue, {
      *reconcile() {
        at.push(toMilliseconds(simulation.now));
        return undefined;
      },
    });
    queue.addAfter('a', seconds(3));
    queue.addAfter('a', seconds(1));
    queue.addAfter('a', seconds(2));
    simulation.runFor(seconds(10));
    expect(at).toEqual([1000]);
  });
});
