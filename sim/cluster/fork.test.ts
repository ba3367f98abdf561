import { describe, expect, test } from 'vitest';
import { microseconds, milliseconds, minutes, seconds } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';
import { createCluster } from './create-cluster.ts';
import { Irreproducible } from './journal.ts';

const future = (cluster: Cluster): string => {
  cluster.advance(minutes(2));
  return cluster.digest;
};

/** Half a minute of two nodes, with a write that is refused and a fault. */
function lived(seed = 1): Cluster {
  const cluster = createCluster({ nodes: 2, seed });
  cluster.advance(seconds(10));
  cluster.client.configMaps.create({ metadata: { name: 'a' }, data: { key: 'value' } });
  expect(() => cluster.client.configMaps.create({ metadata: { name: 'a' } })).toThrow();
  cluster.faults.partition('worker-1');
  cluster.advance(seconds(20));
  return cluster;
}

describe('a fork', () => {
  test('has the same past, and the same future with equal seeds only', () => {
    const cluster = lived();
    const [one, two, other] = [5, 5, 6].map((seed) => cluster.fork({ seed }));
    for (const fork of [one, two, other])
      expect([fork?.digest, fork?.now]).toEqual([cluster.digest, cluster.now]);
    const [a, b, c] = [one, two, other].map((fork) => fork && future(fork));
    expect(a).toBe(b);
    expect(c).not.toBe(a);
  });

  test('with the seed of the past goes on as the original does', () => {
    const cluster = lived(7);
    const fork = cluster.fork({ seed: 7 });
    expect(future(fork)).toBe(future(cluster));
  });

  test('leaves the original alone', () => {
    const [cluster, untouched] = [lived(), lived()];
    future(cluster.fork({ seed: 3 }));
    expect(future(cluster)).toBe(future(untouched));
  });

  test('has the faults, objects and machines of its past, and none of later', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.advance(seconds(10));
    cluster.machine('worker-2').stopRuntime();
    cluster.faults.partition('worker-1');
    cluster.client.configMaps.create({ metadata: { name: 'a' } });
    const at = cluster.now;
    cluster.faults.heal('worker-1');
    cluster.advance(seconds(1));
    cluster.client.configMaps.create({ metadata: { name: 'b' } });
    const fork = cluster.fork({ at: microseconds(at + 1_000), seed: 9 });
    expect(fork.client.configMaps.list().items.map(({ metadata }) => metadata.name)).toContain('a');
    expect(() => fork.client.configMaps.get('b')).toThrow();
    expect(fork.simulation.network.stateOf('node/worker-1', 'apiserver/0')).toBe('healthy');
    const earlier = cluster.fork({ at: microseconds(at - 1), seed: 9 });
    expect(earlier.simulation.network.stateOf('node/worker-1', 'apiserver/0')).toBe('partitioned');
    earlier.advance(minutes(2));
    const readiness = earlier.client.nodes
      .list()
      .items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status);
    expect(readiness).toEqual(['Unknown', 'False']);
  });

  test('begins at any instant, also between events and within a call', () => {
    const cluster = lived();
    for (const at of [0, 1, 1_234_567, 10_000_000, 10_000_300, 17_000_001]) {
      const [one, two] = [0, 1].map(() => cluster.fork({ at: microseconds(at), seed: 1 }));
      expect([one?.now, one?.digest]).toEqual([at, two?.digest]);
      // With the old seed and the same deeds it becomes what the original is.
      if (one && at > 11_000_000) {
        one.advance(microseconds(cluster.now - at));
        expect(one.digest).toBe(cluster.digest);
      }
    }
  });

  test('of a fork has both pasts', () => {
    const cluster = lived();
    const child = cluster.fork({ at: milliseconds(15_000), seed: 2 });
    child.faults.heal('worker-1');
    child.advance(seconds(30));
    const again = child.fork({ seed: 2 });
    expect(again.digest).toBe(child.digest);
    expect(future(again)).toBe(future(child));
    expect(future(child.fork({ seed: 4 }))).not.toBe(child.digest);
    const early = child.fork({ at: seconds(12), seed: 1 });
    expect(early.digest).toBe(cluster.fork({ at: seconds(12), seed: 1 }).digest);
  });

  test('of a fork that began within a call', () => {
    const cluster = lived();
    const child = cluster.fork({ at: microseconds(10_000_300), seed: 2 });
    child.advance(seconds(5));
    expect(child.fork({ seed: 3 }).digest).toBe(child.digest);
  });

  test('remakes schedules too', () => {
    const cluster = createCluster({ nodes: 2, schedule: { policy: 'random', window: milliseconds(1) } });
    cluster.advance(seconds(20));
    expect(cluster.fork({ seed: 8 }).digest).toBe(cluster.digest);
  });

  test('remakes what was done in `perform`', () => {
    const cluster = createCluster();
    cluster.perform('two at once', (it) => {
      const { userClient } = it;
      it.finish(userClient.context.all([userClient.raw('GET', '/readyz'), userClient.raw('GET', '/livez')]));
    });
    expect(cluster.fork({ seed: 2 }).digest).toBe(cluster.digest);
  });
});

describe('a past that cannot be made again is refused', () => {
  test('a process of this very cluster', () => {
    const cluster = createCluster();
    cluster.finish(cluster.userClient.raw('GET', '/readyz'));
    expect(() => cluster.fork({ seed: 2 })).toThrow(Irreproducible);
    expect(() => cluster.fork({ at: microseconds(0), seed: 2 })).not.toThrow();
  });

  test('what was done behind its back', () => {
    const cluster = createCluster();
    cluster.advance(seconds(1));
    cluster.simulation.network.partition('user/test', 'apiserver/0');
    expect(() => cluster.fork({ seed: 2 })).toThrow(Irreproducible);
    cluster.advance(seconds(1));
    expect(() => cluster.fork({ at: seconds(2), seed: 2 })).toThrow(/advance.*otherwise/s);
  });

  test('the future', () => {
    const cluster = createCluster();
    expect(() => cluster.fork({ at: seconds(1), seed: 2 })).toThrow(RangeError);
  });
});
