import { expect, it } from 'vitest';
import { ApiError } from '../api/status.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';
import type { Cluster } from './cluster.ts';

const conditionsIn = (cluster: Cluster): readonly unknown[] =>
  cluster.client.componentStatuses
    .list()
    .items.map(({ metadata, conditions = [] }) => [metadata.name, ...conditions.map(({ status }) => status)]);

const small: ClusterOptions = { nodes: 0, settled: true };

it('a server tells how the components beside it are, at any time anew', () => {
  const cluster = createCluster(small);
  expect(conditionsIn(cluster)).toEqual([
    ['scheduler', 'True'],
    ['controller-manager', 'True'],
    ['etcd-0', 'True'],
  ]);
  cluster.faults.crash('scheduler/0');
  cluster.faults.pause('controller-manager/0');
  expect(conditionsIn(cluster)).toEqual([
    ['scheduler', 'False'],
    ['controller-manager', 'False'],
    ['etcd-0', 'True'],
  ]);
  const [{ message } = {}] = cluster.client.componentStatuses.get('scheduler').conditions ?? [];
  expect(message).toBe(
    'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
  );
  cluster.faults.restart('scheduler/0');
  const [{ status } = {}] = cluster.client.componentStatuses.get('scheduler').conditions ?? [];
  expect(status).toBe('True');
});

it('of a component that is not there nothing listens, and one that nobody knows is a failure', () => {
  const cluster = createCluster({ ...small, scheduler: false });
  expect(conditionsIn(cluster)).toContainEqual(['scheduler', 'False']);
  const ask = (): unknown => cluster.client.componentStatuses.get('nope');
  expect(ask).toThrow(ApiError);
  expect(ask).toThrow('Component not found: nope');
});
