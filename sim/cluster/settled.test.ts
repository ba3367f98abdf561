import { describe, expect, test } from 'vitest';
import { createCluster, type ClusterOptions, milliseconds, seconds } from '../core.ts';
import type { Cluster } from './cluster.ts';

const isReady = (cluster: Cluster): boolean =>
  cluster.client.nodes
    .list()
    .items.every(
      ({ spec, status }) =>
        (spec?.taints ?? []).length === 0 &&
        status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
    );

const createPod = (cluster: Cluster): void =>
  void cluster.client.pods.create({
    metadata: { name: 'first' },
    spec: { containers: [{ name: 'main', image: 'app' }] },
  });

describe('a settled cluster', () => {
  test.each<[string, ClusterOptions]>([
    ['of a few nodes', { nodes: 3 }],
    ['without nodes', {}],
    ['of many nodes', { nodes: { count: 300, zones: 3 } }],
    ['with roles', { nodes: 2, authorizationMode: 'RBAC' }],
    ['of several servers and managers', { nodes: 2, apiServers: 3, controllerManagers: 3 }],
    ['with a late watch cache', { nodes: 2, watchCacheLag: seconds(3) }],
    [
      'with a slow network',
      {
        nodes: 2,
        latency: { min: milliseconds(50), typical: milliseconds(100), max: milliseconds(400) },
      },
    ],
    ...Array.from({ length: 8 }, (_, index): [string, ClusterOptions] => [
      `in any order, seed ${index + 2}`,
      { nodes: 3, seed: index + 2, schedule: { policy: 'random', window: milliseconds(1) } },
    ]),
  ])('%s has everything up at time 0, and takes a pod as its first request', (_, options) => {
    const cluster = createCluster(options);
    expect(cluster.now).toBe(0);
    createPod(cluster);
    expect(isReady(cluster)).toBe(true);
  });

  test('begins at its epoch', () => {
    const cluster = createCluster({ nodes: 1, epochMs: Date.UTC(2030, 0, 1) });
    createPod(cluster);
    expect(cluster.client.pods.get('first').metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
    expect(cluster.client.nodes.get('worker-1').metadata.creationTimestamp).toBe('2029-12-31T23:59:59Z');
  });

  test('is the same with the same seed, and its forks have come up alike', () => {
    const [one, two] = [0, 1].map(() => createCluster({ nodes: 2, seed: 5 }));
    expect(one?.digest).toBe(two?.digest);
    one?.advance(seconds(20));
    expect(one?.fork({ seed: 6 }).digest).toBe(one?.digest);
    expect(() => one?.fork({ at: milliseconds(-1), seed: 6 })).toThrow(RangeError);
  });

  test('shows observers how it came up', () => {
    const seen: number[] = [];
    createCluster({ nodes: 1, onAssembled: ({ simulation }) => seen.push(simulation.now) });
    expect(seen).toEqual([-1_000_000]);
  });

  test('is not asked for by those who test how a cluster comes up', () => {
    const cluster = createCluster({ nodes: 1, settled: false });
    expect(() => createPod(cluster)).toThrow(/serviceaccount "default" not found/);
  });
});

test('an admission plugin can be switched off, and a misspelt one is named', () => {
  const cluster = createCluster({ settled: false, disabledAdmissionPlugins: ['ServiceAccount'] });
  createPod(cluster);
  expect(() => createCluster({ disabledAdmissionPlugins: ['ServiceAcount'] })).toThrow(
    /there is no admission plugin "ServiceAcount"; there are NamespaceLifecycle/,
  );
});
