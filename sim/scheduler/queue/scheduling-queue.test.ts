import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const pod = (name: string, priority = 0, gates: readonly string[] = []): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], priority, schedulingGates: gates.map((gate) => ({ name: gate })) },
});
const NODE_ADDED: ClusterEvent = { resource: 'Node', action: 'add' };
const FIT = new Set(['NodeResourcesFit']);

/** A queue, and a loop that takes from it, tries in vain and writes down when. */
function world(verdict: ReadonlySet<string> | undefined = FIT) {
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('scheduler/0');
  simulation.runUntil(simulation.now);
  const queue = new SchedulingQueue({
    context: actor.context,
    firstPause: seconds(1),
    longestPause: seconds(10),
    gateOf: ({ spec }) => (spec?.schedulingGates?.length ? 'SchedulingGates' : undefined),
    mayHelp: ({ resource }, { rejectedBy }) =>
      resource === '*' || (resource === 'Node' && rejectedBy.has('NodeResourcesFit')),
  });
  const tries: string[] = [];
  const start = (): void =>
    void actor.spawn('loop', function* (): Process<void> {
      for (;;) {
        const queued = yield* queue.take();
        tries.push(`${queued.pod.metadata.name}@${Math.round(simulation.now / seconds(1))}`);
        if (verdict) queue.giveBack({ ...queued, rejectedBy: verdict }, queue.cycle);
      }
    });
  return { simulation, queue, tries, start };
}

describe('the queue of a scheduler', () => {
  it('gives out the important ones first, then those that came first', () => {
    const { simulation, queue, tries, start } = world();
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 5],
    ] as const)
      queue.add(pod(name, priority));
    start();
    simulation.runFor(seconds(1));
    expect(tries).toEqual(['b@0', 'd@0', 'a@0', 'c@0']);
  });

  it('lets a pod that fits nowhere lie until something may help, and after five minutes anyway', () => {
    const { simulation, queue, tries, start } = world();
    queue.add(pod('a'));
    start();
    simulation.runFor(seconds(100));
    queue.moveAll({ resource: 'Pod', action: 'delete' });
    simulation.runFor(seconds(1));
    expect(tries).toEqual(['a@0']);
    queue.moveAll(NODE_ADDED);
    simulation.runFor(seconds(1));
    expect(tries).toEqual(['a@0', 'a@101']);
    simulation.runFor(minutes(6));
    expect(tries).toEqual(['a@0', 'a@101', 'a@420']);
  });

  it('makes a pod that is moved again and again wait longer each time, up to ten seconds', () => {
    const { simulation, queue, tries, start } = world();
    queue.add(pod('a'));
    start();
    for (let second = 0; second < 60; second++) {
      simulation.runFor(seconds(1));
      queue.moveAll(NODE_ADDED);
    }
    const times = tries.map((each) => Number(each.slice(2)));
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 10, 10]);
  });

  it('counts what happens while a pod is being tried', () => {
    const { simulation, queue, tries } = world();
    queue.add(pod('a'));
    const actor = simulation.actors[0];
    actor?.spawn('slow loop', function* (): Process<void> {
      for (;;) {
        const queued = yield* queue.take();
        tries.push(`a@${Math.round(simulation.now / seconds(1))}`);
        yield* actor.context.sleep(seconds(3));
        queue.giveBack({ ...queued, rejectedBy: FIT }, queue.cycle);
      }
    });
    simulation.runFor(seconds(1));
    queue.moveAll(NODE_ADDED);
    simulation.runFor(seconds(30));
    expect(tries).toHaveLength(2);
  });

  it('tries soon again what nobody has rejected: it had bad luck', () => {
    const { simulation, queue, tries, start } = world(new Set());
    queue.add(pod('a'));
    start();
    simulation.runFor(seconds(5));
    expect(tries.length).toBeGreaterThan(1);
  });

  it('keeps a gated pod aside until its gates are open', () => {
    const { simulation, queue, tries, start } = world();
    const gated = pod('a', 0, ['x']);
    queue.add(gated);
    start();
    simulation.runFor(minutes(10));
    queue.moveAll(NODE_ADDED);
    simulation.runFor(seconds(1));
    expect(tries).toEqual([]);
    queue.update(gated, pod('a'));
    simulation.runFor(seconds(1));
    expect(tries).toEqual(['a@601']);
  });

  it('forgets a pod that is gone', () => {
    const { simulation, queue, tries, start } = world();
    queue.add(pod('a'));
    queue.remove(pod('a'));
    start();
    simulation.runFor(seconds(1));
    expect(tries).toEqual([]);
    expect(queue.size).toEqual({ active: 0, pausing: 0, unschedulable: 0 });
  });
});
