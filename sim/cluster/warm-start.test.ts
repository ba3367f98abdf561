import { expect, test } from 'vitest';
import { seconds } from '../engine/time.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';

const lived = (options: ClusterOptions): string => {
  const cluster = createCluster({ nodes: 2, ...options });
  cluster.advance(seconds(15));
  return cluster.digest;
};

test('what a process keeps of earlier clusters does not show in later ones', () => {
  // The first one of this file finds nothing kept.
  const cold = lived({ seed: 1 });
  expect(lived({ seed: 1 })).toBe(cold);
  lived({ seed: 2, epochMs: 0, runtimeConfig: 'api/all=true', authorizationMode: 'RBAC' });
  expect(lived({ seed: 1 })).toBe(cold);
});

test('every cluster has objects of its own at the beginning', () => {
  const [one, two] = [0, 1_000_000_000_000].map((epochMs, index) => {
    const cluster = createCluster({ seed: index + 1, epochMs });
    return cluster.client.namespaces.get('default').metadata;
  });
  expect(one?.uid).not.toBe(two?.uid);
  expect([one?.creationTimestamp, two?.creationTimestamp]).toEqual([
    '1970-01-01T00:00:00Z',
    '2001-09-09T01:46:40Z',
  ]);
});

test('a cluster serves what its own runtime configuration says', () => {
  const isServed = (runtimeConfig: string): boolean => {
    const cluster = createCluster({ runtimeConfig });
    cluster.advance(seconds(1));
    const registry = cluster.apiServers[0]?.server?.registry;
    return registry?.find('storage.k8s.io', 'v1alpha1', 'volumeattributesclasses') !== undefined;
  };
  expect([isServed(''), isServed('api/all=true'), isServed('')]).toEqual([false, true, false]);
});
