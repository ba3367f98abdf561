import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, minutes, seconds } from '../index.ts';
import type { FaultEvent } from './faults.ts';

type Cluster = ReturnType<typeof createCluster>;

const readyNodes = (cluster: Cluster): readonly string[] =>
  cluster.client.nodes
    .list()
    .items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    )
    .map(({ metadata }) => metadata.name ?? '');

const renewTime = (cluster: Cluster, name: string): string =>
  cluster.client.leases.get({ namespace: 'kube-node-lease', name }).spec?.renewTime ?? '';

describe('names in faults', () => {
  const cluster = createCluster({ nodes: { count: 4, zones: ['a', 'b'] } });
  const namesOf = (name: string): readonly string[] => cluster.faults.actors(name).map((actor) => actor.name);

  it('mean one actor, all that begin alike, or the agents of a zone', () => {
    expect(namesOf('worker-1')).toEqual(['node/worker-1']);
    expect(namesOf('apiserver/0')).toEqual(['apiserver/0']);
    expect(namesOf('zone/b')).toEqual(['node/worker-2', 'node/worker-4']);
    expect(namesOf('node/*')).toHaveLength(4);
  });

  it('that nobody has are refused with those that there are', () => {
    expect(() => namesOf('zone/c')).toThrow('there is no zone "c"; there are a, b');
    expect(() => namesOf('gpu/*')).toThrow('there is no actor "gpu/*"');
  });
});

it('a zone that is cut off from everybody still reaches itself', () => {
  const cluster = createCluster({ nodes: { count: 4, zones: ['a', 'b'] } });
  cluster.settle();
  cluster.faults.partition('zone/a');
  const { network } = cluster.simulation;
  expect(network.stateOf('node/worker-1', 'apiserver/0')).toBe('partitioned');
  expect(network.stateOf('node/worker-1', 'node/worker-2')).toBe('partitioned');
  expect(network.stateOf('node/worker-1', 'node/worker-3')).toBe('healthy');
  cluster.advance(minutes(1));
  expect(readyNodes(cluster)).toEqual(['worker-2', 'worker-4']);
  cluster.faults.heal('zone/a');
  cluster.advance(seconds(30));
  expect(readyNodes(cluster)).toHaveLength(4);
});

it('what flaps is down and up in turn until it is steady', () => {
  const cluster = createCluster({ nodes: 1 });
  cluster.faults.flap('worker-1', { down: seconds(3), up: seconds(2) }, { from: 'apiserver/0' });
  const state = () => cluster.simulation.network.stateOf('apiserver/0', 'node/worker-1');
  const seen: string[] = [];
  for (let second = 0; second < 10; second++) {
    seen.push(state());
    cluster.advance(seconds(1));
  }
  const turn = ['partitioned', 'partitioned', 'partitioned', 'healthy', 'healthy'];
  expect(seen).toEqual([...turn, ...turn]);
  cluster.faults.steady('worker-1', { from: 'apiserver/0' });
  cluster.advance(seconds(10));
  expect(state()).toBe('healthy');
});

it('latency can be set and taken back', () => {
  const cluster = createCluster({ nodes: 1 });
  cluster.settle();
  const { network } = cluster.simulation;
  const usual = network.linkBetween('node/worker-1', 'apiserver/0').latency;
  const slow = { min: seconds(1), typical: seconds(2), max: seconds(3) };
  cluster.faults.setLatency('worker-1', slow, { from: 'apiserver/0', way: 'forth' });
  expect(network.linkBetween('node/worker-1', 'apiserver/0').latency).toEqual(slow);
  expect(network.linkBetween('apiserver/0', 'node/worker-1').latency).toEqual(usual);
  cluster.faults.resetLatency('worker-1', { from: 'apiserver/0' });
  expect(network.linkBetween('node/worker-1', 'apiserver/0').latency).toEqual(usual);
});

describe('writes that fail', () => {
  it('are those that were chosen, until they are allowed again', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    const selection = { resource: 'leases', namespace: 'kube-node-lease', user: 'system:node:worker-1' };
    cluster.faults.failWrites({ ...selection, status: 503 });
    const before = [renewTime(cluster, 'worker-1'), renewTime(cluster, 'worker-2')];
    cluster.advance(seconds(30));
    expect(renewTime(cluster, 'worker-1')).toBe(before[0]);
    expect(renewTime(cluster, 'worker-2') > (before[1] ?? '')).toBe(true);
    expect(cluster.faults.allowWrites({ resource: 'leases' })).toBe(false);
    expect(cluster.faults.allowWrites(selection)).toBe(true);
    cluster.advance(seconds(20));
    expect(renewTime(cluster, 'worker-1') > (before[0] ?? '')).toBe(true);
  });

  it.each([
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ] as const)('are answered with %i and its reason, and reads are not', (status, reason) => {
    const cluster = createCluster();
    cluster.advance(milliseconds(100));
    cluster.faults.failWrites({ resource: 'configmaps', status });
    const create = () =>
      cluster.client.configMaps.create({ metadata: { name: 'a' } }, { timeout: milliseconds(500) });
    expect(create).toThrow(expect.objectContaining({ reason }) as Error);
    expect(cluster.client.configMaps.list({ namespace: 'default' }).items).toBeDefined();
  });
});

it('a second machine of one node is an actor of its own, and can be switched off', () => {
  const cluster = createCluster({ nodes: 1 });
  cluster.settle();
  const seen: string[] = [];
  cluster.eachAgent(({ actor }) => seen.push(actor.name));
  expect(cluster.addTwin('worker-1')).toBe('node/worker-1~twin');
  expect(seen).toEqual(['node/worker-1', 'node/worker-1~twin']);
  expect(() => cluster.addTwin('worker-1')).toThrow('worker-1 has a twin already');
  cluster.faults.crash('worker-1', { isSilent: true });
  cluster.advance(minutes(2));
  expect(readyNodes(cluster)).toEqual(['worker-1']);
  cluster.removeTwin('worker-1');
  cluster.advance(minutes(1));
  expect(readyNodes(cluster)).toEqual([]);
  expect(() => cluster.removeTwin('worker-2')).toThrow('there is no node agent "worker-2"');
});

it('whoever listens hears what was done to whom', () => {
  const cluster = createCluster({ nodes: 2 });
  const heard: FaultEvent[] = [];
  cluster.faults.listen((event) => heard.push(event));
  cluster.faults.partition('worker-1', { from: 'apiserver/0' });
  cluster.faults.crash('node/*');
  cluster.faults.jumpClock('worker-1', seconds(5));
  cluster.faults.driftClock('worker-1', 100);
  cluster.lagWatchCaches(milliseconds(300));
  expect(heard).toEqual([
    { verb: 'link', actors: ['node/worker-1', 'apiserver/0'] },
    { verb: 'life', actors: ['node/worker-1'] },
    { verb: 'life', actors: ['node/worker-2'] },
    { verb: 'clock-jump', actors: ['node/worker-1'], by: 5_000_000 },
    { verb: 'clock-drift', actors: ['node/worker-1'], ppm: 100 },
    { verb: 'cache', actors: [] },
  ]);
  expect(cluster.watchCacheLag).toBe(milliseconds(300));
});

it('what has not crashed does not restart, and what flaps is down and up for a while', () => {
  const cluster = createCluster({ nodes: 1 });
  cluster.settle();
  const { faults } = cluster;
  expect(() => faults.restart('apiserver/0')).toThrow(
    new RangeError('apiserver/0 is running: only what has crashed restarts'),
  );
  expect(() => faults.flap('worker-1', { down: seconds(0), up: seconds(1) })).toThrow(
    new RangeError('`down` of flap takes virtual microseconds, such as seconds(5), not 0'),
  );
  faults.crash('apiserver/0');
  faults.restart('apiserver/0');
  cluster.advance(seconds(5));
  expect(readyNodes(cluster)).toEqual(['worker-1']);
});
