import { expect, it } from 'vitest';
import type { ApiObject } from '../api/object.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import { seconds } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';

const { clusterRoles, configMaps, serviceAccounts } = BUILTIN_HANDLES;

/** Everything that is stored, but for what no two clusters have in common. */
function stored(cluster: Cluster): ReadonlyMap<string, unknown> {
  const { entries } = cluster.storage.range({ prefix: '/registry/' });
  return new Map(
    entries
      // They name when each of several candidates said something.
      .filter(({ key }) => !key.startsWith('/registry/events/') && !key.startsWith('/registry/leases/'))
      .map(({ key, value }) => [key, comparable(value)]),
  );
}

function comparable({ metadata, ...content }: ApiObject): unknown {
  const { uid: _, resourceVersion: __, ...facts } = metadata;
  return JSON.stringify({ ...content, metadata: facts });
}

const booted = (options: ClusterOptions = {}): Cluster => {
  const cluster = createCluster({ settled: true, ...options });
  cluster.advance(seconds(5));
  return cluster;
};

it.each<ClusterOptions>([
  {},
  { apiServers: 2, controllerManagers: 2 },
  { controllers: ['*', '-clusterrole-aggregation-controller'] },
  { controllers: ['serviceaccount-controller'] },
  { authorizationMode: 'RBAC' },
])('a new cluster is what its controllers make of an empty one: %j', (options) => {
  expect(stored(booted(options))).toEqual(stored(booted({ ...options, isFirstBoot: true })));
});

it('controllers that do not run have left nothing', () => {
  const cluster = booted({ controllers: [] });
  const maps = cluster.client.resource(configMaps).list({ namespace: 'kube-system' }).items;
  expect(maps.map(({ metadata }) => metadata.name)).not.toContain('kube-root-ca.crt');
  expect(cluster.client.resource(clusterRoles).get('view').rules ?? []).toEqual([]);
});

it('a server that starts anew does not bring back what somebody has deleted while the controllers are away', () => {
  const cluster = booted();
  cluster.faults.crash('controller-manager/0');
  cluster.client.resource(serviceAccounts).delete('default');
  cluster.client.resource(configMaps).delete('kube-root-ca.crt');
  cluster.faults.crash('apiserver/0');
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(5));
  expect(cluster.client.resource(serviceAccounts).list({ namespace: 'default' }).items).toEqual([]);
  expect(cluster.client.resource(configMaps).list({ namespace: 'default' }).items).toEqual([]);
});
