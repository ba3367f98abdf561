import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import {
  conditions,
  container,
  create,
  eventsOf,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';
import { microseconds, minutes, seconds } from '../../engine/time.ts';
import type { EvictionSettings } from './thresholds.ts';

const MIB = 1024 ** 2;
const GIB = 1024 * MIB;

/** One node with 1 GiB of memory and 10 GiB of disk. */
function small(eviction: EvictionSettings = {}): Cluster {
  const template = { capacity: { memory: '1Gi', 'ephemeral-storage': '10Gi' }, eviction };
  const world = createCluster({ nodes: { count: 1, template } });
  world.settle();
  return world;
}
const node = (world: Cluster) => world.client.nodes.get('worker-1');
const isUnder = (world: Cluster, condition: string) =>
  node(world).status?.conditions?.find(({ type }) => type === condition)?.status === 'True';
const requesting = (memory: string) => [{ resources: { requests: { memory } } }];

describe('a node that is short of memory', () => {
  it('evicts who uses most above its request, and says why', () => {
    const world = small();
    create(world, 'modest', {
      containers: requesting('600Mi'),
      behaviours: { main: { memoryBytes: 500 * MIB } },
    });
    create(world, 'greedy', {
      containers: requesting('100Mi'),
      behaviours: { main: { memoryBytes: 450 * MIB } },
    });
    untilPhase(world, 'greedy', 'Failed');
    expect(status(world, 'greedy')).toMatchObject({
      reason: 'Evicted',
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 74Mi. Container main was using 450Mi, request is 100Mi, has larger consumption of memory. ',
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
    expect(world.client.pods.get('greedy').status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message: status(world, 'greedy')?.message,
      }),
    );
    expect(eventsOf(world, 'greedy')).toContain(`Evicted: ${status(world, 'greedy')?.message}`);
    expect(eventsOf(world, 'worker-1')).toContain('EvictionThresholdMet: Attempting to reclaim memory');
    world.advance(seconds(30));
    expect(status(world, 'modest')).toMatchObject({ phase: 'Running' });
  });

  it('evicts what has grown too big, without a limit', () => {
    const world = small();
    create(world, 'leak', { behaviours: { main: { memoryGrowthBytes: 8 * MIB } } });
    untilPhase(world, 'leak', 'Running');
    world.advance(minutes(1));
    expect(status(world, 'leak')?.phase).toBe('Running');
    world.advance(minutes(2));
    expect(status(world, 'leak')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  });

  it('has the condition for five minutes after, and takes no pods of best effort meanwhile', () => {
    const world = small();
    create(world, 'greedy', { behaviours: { main: { memoryBytes: 950 * MIB } } });
    untilPhase(world, 'greedy', 'Failed');
    world.advance(minutes(4));
    expect(isUnder(world, 'MemoryPressure')).toBe(true);
    create(world, 'humble');
    create(world, 'burstable', { containers: requesting('10Mi') });
    create(world, 'tolerant', {
      tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }],
    });
    create(world, 'critical', { priorityClassName: 'system-node-critical' });
    untilPhase(world, 'humble', 'Failed');
    const said = status(world, 'humble');
    expect(said).toEqual({
      phase: 'Failed',
      qosClass: 'BestEffort',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
      startTime: said?.startTime,
    });
    expect(eventsOf(world, 'humble')).toContain('Evicted: The node had condition: [MemoryPressure]. ');
    for (const name of ['burstable', 'tolerant', 'critical']) untilPhase(world, name, 'Running');
    world.advance(minutes(2));
    expect(isUnder(world, 'MemoryPressure')).toBe(false);
    create(world, 'late');
    untilPhase(world, 'late', 'Running');
  });

  it.each([1, 300, 999])(
    'ends also when the node is looked at %i microseconds past a millisecond',
    (past) => {
      const world = small();
      world.machine('worker-1').press('pid');
      world.advance(seconds(20));
      expect(isUnder(world, 'PIDPressure')).toBe(true);
      world.machine('worker-1').relieve('pid');
      world.advance(microseconds(seconds(60) + past));
      world.machine('worker-1').usageChanged.fire();
      world.advance(minutes(6));
      expect(isUnder(world, 'PIDPressure')).toBe(false);
    },
  );

  it('because of something else gives up pod after pod, but none that is critical', () => {
    const world = small();
    create(world, 'first', { behaviours: { main: { memoryBytes: 30 * MIB } } });
    create(world, 'second', { behaviours: { main: { memoryBytes: 20 * MIB } } });
    create(world, 'critical', {
      priorityClassName: 'system-cluster-critical',
      behaviours: { main: { memoryBytes: 40 * MIB } },
    });
    for (const name of ['first', 'second', 'critical']) untilPhase(world, name, 'Running');
    world.machine('worker-1').press('memory');
    untilPhase(world, 'first', 'Failed');
    expect(status(world, 'second')?.phase).toBe('Running');
    expect(status(world, 'first')?.message).toContain('available: 64Mi');
    untilPhase(world, 'second', 'Failed');
    world.advance(minutes(1));
    expect(status(world, 'critical')?.phase).toBe('Running');
    world.machine('worker-1').relieve('memory');
    world.advance(minutes(6));
    expect(isUnder(world, 'MemoryPressure')).toBe(false);
  });

  it('goes on until the minimum is reclaimed', () => {
    const world = small({
      hard: { 'memory.available': '100Mi' },
      minimumReclaim: { 'memory.available': '500Mi' },
      pressureTransitionSeconds: 20,
    });
    create(world, 'big', { behaviours: { main: { memoryBytes: 500 * MIB } } });
    create(world, 'small', { behaviours: { main: { memoryBytes: 450 * MIB } } });
    untilPhase(world, 'big', 'Failed');
    untilPhase(world, 'small', 'Failed');
    expect(status(world, 'small')?.message).toContain('available: 574Mi');
  });
});

describe('a node that is short of disk', () => {
  it('removes images first, then evicts who uses most', () => {
    const world = small();
    create(world, 'old', {
      restartPolicy: 'Never',
      behaviours: { main: { runsForSeconds: 1 } },
      containers: [{ image: 'old:1' }],
    });
    untilPhase(world, 'old', 'Succeeded');
    create(world, 'writer', { behaviours: { main: { diskBytes: 8_800 * MIB } } });
    untilPhase(world, 'writer', 'Running');
    create(world, 'other', { behaviours: { main: { diskBytes: 100 * MIB } } });
    untilPhase(world, 'writer', 'Failed');
    expect(world.machine('worker-1').runtime.hasImage('old:1')).toBe(false);
    expect(status(world, 'writer')?.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: [0-9]+\w*, available: [0-9]+\w*\. Container main was using [0-9]+\w*, request is 0, has larger consumption of ephemeral-storage\. $/,
    );
    expect(isUnder(world, 'DiskPressure')).toBe(true);
    untilPhase(world, 'other', 'Running');
    create(world, 'late', { containers: requesting('10Mi') });
    untilPhase(world, 'late', 'Failed');
    expect(status(world, 'late')?.message).toBe('Pod was rejected: The node had condition: [DiskPressure]. ');
  });

  it('evicts who takes more than its limit, without any pressure', () => {
    const world = small();
    create(world, 'writer', {
      containers: [{ resources: { limits: { 'ephemeral-storage': '1Gi' } } }],
      behaviours: { main: { diskBytes: 2 * GIB } },
    });
    untilPhase(world, 'writer', 'Failed');
    expect(status(world, 'writer')).toMatchObject({
      reason: 'Evicted',
      message: 'Container main exceeded its local ephemeral storage limit "1Gi". ',
    });
    expect(conditions(world.client.pods.get('writer'))).not.toHaveProperty('DisruptionTarget');
    expect(isUnder(world, 'DiskPressure')).toBe(false);
  });
});

describe('a node that is short of process identifiers', () => {
  it('evicts the lowest priority, then who has most', () => {
    const world = small();
    create(world, 'few', { behaviours: { main: { processes: 1_000 } } });
    create(world, 'many', { behaviours: { main: { processes: 29_000 } } });
    untilPhase(world, 'many', 'Failed');
    expect(status(world, 'many')?.message).toBe(
      'The node was low on resource: pids. Threshold quantity: 3276, available: 2768. ',
    );
    expect(isUnder(world, 'PIDPressure')).toBe(true);
    world.advance(seconds(30));
    expect(container(world, 'few')?.ready).toBe(true);
  });
});

describe('a node whose pods stay as they are', () => {
  it('is not looked at', () => {
    const world = small();
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.advance(minutes(1));
    const before = world.simulation.trace.length;
    world.advance(minutes(1));
    const perMinute = world.simulation.trace.length - before;
    world.client.pods.delete('web');
    world.advance(minutes(1));
    const without = world.simulation.trace.length;
    world.advance(minutes(1));
    expect(Math.abs(world.simulation.trace.length - without - perMinute)).toBeLessThan(5);
  });
});
