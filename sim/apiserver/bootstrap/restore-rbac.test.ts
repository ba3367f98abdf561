import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

const ROLE = 'system:public-info-viewer';

function restart(cluster: Cluster): void {
  cluster.faults.crash('apiserver/0');
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(5));
}

const begin = (): Cluster => createCluster({ settled: true, authorizationMode: 'RBAC' });

describe('a server that starts anew', () => {
  it('gives its roles the rights back that they lack, and leaves those that were added', () => {
    const cluster = begin();
    const before = cluster.client.clusterRoles
      .get('system:discovery')
      .rules?.flatMap((rule) => rule.nonResourceURLs ?? []);
    const rules = [{ verbs: ['get'], nonResourceURLs: ['/own'] }];
    cluster.client.clusterRoles.patch('system:discovery', {
      type: 'merge',
      body: { rules, metadata: { labels: { mine: 'yes' } } },
    });
    restart(cluster);
    const { rules: after, metadata } = cluster.client.clusterRoles.get('system:discovery');
    expect(after?.flatMap((rule) => rule.nonResourceURLs ?? []).sort()).toEqual(
      ['/own', ...(before ?? [])].sort(),
    );
    expect(metadata.labels).toMatchObject({ mine: 'yes', 'kubernetes.io/bootstrapping': 'rbac-defaults' });
  });

  it('makes anew what was deleted, and a binding that leads elsewhere', () => {
    const cluster = begin();
    const { clusterRoles, clusterRoleBindings } = cluster.client;
    clusterRoles.delete(ROLE);
    clusterRoleBindings.delete('system:discovery');
    clusterRoleBindings.create({
      metadata: { name: 'system:discovery' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    });
    clusterRoleBindings.patch('cluster-admin', { type: 'merge', body: { subjects: [] } });
    restart(cluster);
    expect(clusterRoles.get(ROLE).rules).toHaveLength(1);
    expect(clusterRoleBindings.get('system:discovery').roleRef.name).toBe('system:discovery');
    expect(clusterRoleBindings.get('cluster-admin').subjects).toMatchObject([{ name: 'system:masters' }]);
  });

  it('leaves alone what is not to be updated, and writes nothing where nothing is missing', () => {
    const cluster = begin();
    cluster.client.clusterRoles.patch('system:discovery', {
      type: 'merge',
      body: {
        rules: [],
        metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
      },
    });
    const versions = (): readonly unknown[] =>
      cluster.client.clusterRoles.list().items.map(({ metadata }) => metadata.resourceVersion);
    const before = versions();
    restart(cluster);
    expect(versions()).toEqual(before);
    expect(cluster.client.clusterRoles.get('system:discovery').rules ?? []).toEqual([]);
  });
});
