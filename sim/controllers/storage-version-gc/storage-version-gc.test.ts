import { describe, expect, it } from 'vitest';
import type { StorageVersion } from '../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';
import { isNotFound } from '../../client/api-failure.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { withoutGone } from './stale-versions.ts';
import { STORAGE_VERSIONS } from './storage-versions.fixture.ts';

const NOW = '2025-01-01T00:00:00Z';
const said = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});
function version(...servers: readonly ReturnType<typeof said>[]): StorageVersion {
  const [common, ...others] = new Set(servers.map(({ encodingVersion }) => encodingVersion));
  return {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    metadata: { name: 'apps.deployments' },
    spec: {},
    status: {
      storageVersions: servers,
      ...(common !== undefined && others.length === 0 && { commonEncodingVersion: common }),
    },
  };
}

describe('what is left when servers are gone', () => {
  it('is nothing when all are', () => {
    expect(withoutGone(version(said('a', 'v1')), () => true, NOW)).toEqual({ kind: 'delete' });
    expect(withoutGone(version(said('a', 'v1')), () => false, NOW)).toEqual({ kind: 'none' });
  });

  it('is the version of the others, if they agree, and a condition that says so', () => {
    const old = version(said('a', 'v1'), said('b', 'v2'), said('c', 'v2'));
    const conditions = [
      {
        type: 'AllEncodingVersionsEqual',
        status: 'False',
        reason: 'CommonEncodingVersionUnset',
        message: 'Common encoding version unset',
        lastTransitionTime: '2024-01-01T00:00:00Z',
      },
    ];
    const step = withoutGone({ ...old, status: { ...old.status, conditions } }, (id) => id === 'a', NOW);
    expect(step).toMatchObject({
      kind: 'update',
      object: {
        status: {
          commonEncodingVersion: 'v2',
          storageVersions: [{ apiServerID: 'b' }, { apiServerID: 'c' }],
          conditions: [{ status: 'True', reason: 'CommonEncodingVersionSet', lastTransitionTime: NOW }],
        },
      },
    });
    const still = withoutGone({ ...old, status: { ...old.status, conditions } }, (id) => id === 'c', NOW);
    expect(still).toMatchObject({
      object: { status: { conditions: [{ status: 'False', lastTransitionTime: '2024-01-01T00:00:00Z' }] } },
    });
  });
});

function begin(): Cluster {
  const cluster = createCluster({
    controllers: ['*', 'storage-version-gc'],
    authorizationMode: 'RBAC',
    runtimeConfig: 'api/all=true',
  });
  cluster.advance(seconds(5));
  return cluster;
}

function put(cluster: Cluster, object: StorageVersion): void {
  const made = cluster.client.resource(STORAGE_VERSIONS).create(object);
  cluster.client
    .resource(STORAGE_VERSIONS)
    .update({ ...made, status: object.status }, { subresource: 'status' });
}

function serversOf(cluster: Cluster): readonly (string | undefined)[] | 'gone' {
  try {
    const { status } = cluster.client.resource(STORAGE_VERSIONS).get('apps.deployments');
    return (status.storageVersions ?? []).map(({ apiServerID }) => apiServerID);
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}

const addIdentity = (cluster: Cluster, name: string): void =>
  void cluster.client.leases.create({
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    },
    spec: {},
  });

describe('the collector of storage versions', () => {
  it('forgets servers that were never there', () => {
    const cluster = begin();
    addIdentity(cluster, 'apiserver-here');
    cluster.advance(seconds(1));
    put(cluster, version(said('apiserver-here', 'v1'), said('apiserver-gone', 'v1')));
    cluster.advance(seconds(2));
    expect(serversOf(cluster)).toEqual(['apiserver-here']);
  });

  it('forgets a server whose lease goes, when writes are taken again', () => {
    const cluster = begin();
    addIdentity(cluster, 'apiserver-here');
    cluster.advance(seconds(1));
    put(cluster, version(said('apiserver-here', 'v1')));
    cluster.advance(seconds(2));
    const user = 'system:serviceaccount:kube-system:storage-version-garbage-collector';
    cluster.faults.failWrites({ user });
    cluster.client.leases.delete({ namespace: 'kube-system', name: 'apiserver-here' });
    cluster.advance(seconds(5));
    expect(serversOf(cluster)).toEqual(['apiserver-here']);
    cluster.faults.allowWrites({ user });
    cluster.advance(minutes(1));
    expect(serversOf(cluster)).toBe('gone');
  });

  it('finds after a restart what went meanwhile', () => {
    const cluster = begin();
    addIdentity(cluster, 'apiserver-here');
    cluster.advance(seconds(1));
    put(cluster, version(said('apiserver-here', 'v1')));
    cluster.faults.crash('controller-manager/0');
    cluster.client.leases.delete({ namespace: 'kube-system', name: 'apiserver-here' });
    cluster.advance(seconds(1));
    cluster.faults.restart('controller-manager/0');
    cluster.advance(seconds(30));
    expect(serversOf(cluster)).toBe('gone');
  });
});
