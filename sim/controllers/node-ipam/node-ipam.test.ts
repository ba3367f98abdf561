import { expect, test } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { freeRange } from './node-ipam.ts';

const world = (controllers: readonly string[]): Cluster => {
  const cluster = createCluster({ controllers, authorizationMode: 'RBAC', settled: true });
  for (const name of ['a', 'b', 'c']) cluster.client.nodes.create({ metadata: { name } });
  cluster.advance(seconds(2));
  return cluster;
};
const ranges = (cluster: Cluster): readonly unknown[] =>
  cluster.client.nodes.list().items.map(({ spec }) => spec?.podCIDR);

test('each node has a range of its own, which is free again when it goes', () => {
  const cluster = world(['*', 'nodeipam']);
  expect(ranges(cluster)).toEqual(['10.244.0.0/24', '10.244.1.0/24', '10.244.2.0/24']);
  cluster.faults.crash('controller-manager/0');
  cluster.faults.restart('controller-manager/0');
  cluster.client.nodes.delete('b');
  cluster.advance(seconds(2));
  cluster.client.nodes.create({ metadata: { name: 'd' } });
  cluster.advance(seconds(2));
  expect(ranges(cluster)).toEqual(['10.244.0.0/24', '10.244.2.0/24', '10.244.1.0/24']);
});

test('nobody gives ranges who was not asked to', () => {
  expect(ranges(world(['*']))).toEqual([undefined, undefined, undefined]);
});

test('the first free range is taken, and there is an end', () => {
  expect(freeRange(['10.244.0.0/24', '10.244.2.0/24'])).toBe('10.244.1.0/24');
  expect(freeRange(Array.from({ length: 256 }, (_, third) => `10.244.${third}.0/24`))).toBeUndefined();
});
