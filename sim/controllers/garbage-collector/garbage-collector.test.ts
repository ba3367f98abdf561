import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../api/object.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const { configMaps, customResourceDefinitions } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

function created(cluster: Cluster, name: string, more: Partial<ConfigMap['metadata']> = {}): ConfigMap {
  return cluster.client.resource(configMaps).create({ metadata: { name, namespace: 'default', ...more } });
}

const ownedBy = ({ metadata: { name = '', uid = '' } }: ConfigMap, block = false): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...(block && { blockOwnerDeletion: true }),
});

const present = (cluster: Cluster): readonly string[] =>
  cluster.client
    .resource(configMaps)
    .list({ namespace: 'default' })
    .items.map(({ metadata }) => metadata.name ?? '')
    .filter((name) => name !== 'kube-root-ca.crt');

const installWebsites = (cluster: Cluster): unknown =>
  cluster.client.resource(customResourceDefinitions).create({
    metadata: { name: 'websites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'websites', singular: 'website', kind: 'Website', listKind: 'WebsiteList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });

describe('the garbage collector', () => {
  it('deletes what depends on what is gone, and what depends on that', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    const child = created(cluster, 'child', { ownerReferences: [ownedBy(owner)] });
    created(cluster, 'grandchild', { ownerReferences: [ownedBy(child)] });
    created(cluster, 'stranger');
    cluster.client.resource(configMaps).delete('owner');
    cluster.advance(seconds(1));
    expect(present(cluster)).toEqual(['stranger']);
  });

  it('takes an owner of the same name for another one', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    cluster.advance(seconds(1));
    cluster.client.resource(configMaps).delete('owner');
    created(cluster, 'owner');
    created(cluster, 'late', { ownerReferences: [ownedBy(owner)] });
    cluster.advance(seconds(1));
    expect(present(cluster)).toEqual(['owner']);
  });

  it('lets an owner go before what does not block it, and after what does', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    const finalizers = ['example.com/hold'];
    created(cluster, 'blocks', { ownerReferences: [ownedBy(owner, true)], finalizers });
    created(cluster, 'does-not', { ownerReferences: [ownedBy(owner)], finalizers });
    cluster.advance(seconds(1));
    cluster.client.resource(configMaps).delete('owner', { propagationPolicy: 'Foreground' });
    cluster.advance(minutes(1));
    expect(present(cluster)).toEqual(['blocks', 'does-not', 'owner']);
    cluster.client
      .resource(configMaps)
      .patch('blocks', { type: 'merge', body: { metadata: { finalizers: null } } });
    cluster.advance(seconds(1));
    expect(present(cluster)).toEqual(['does-not']);
  });

  it('ends what it has begun when it dies in the middle', () => {
    for (const after of [1, 2, 3, 5, 8, 13]) {
      const cluster = createCluster({ seed: after });
      const owner = created(cluster, 'owner');
      for (let n = 0; n < 5; n++) created(cluster, `child-${n}`, { ownerReferences: [ownedBy(owner, true)] });
      cluster.advance(seconds(1));
      cluster.client.resource(configMaps).delete('owner', { propagationPolicy: 'Foreground' });
      cluster.advance(milliseconds(after));
      cluster.faults.crash(MANAGER);
      cluster.advance(seconds(1));
      cluster.faults.restart(MANAGER);
      cluster.advance(seconds(5));
      expect(present(cluster), `dead after ${after} ms`).toEqual([]);
    }
  });

  it('finds out after a partition what happened meanwhile', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    created(cluster, 'child', { ownerReferences: [ownedBy(owner)] });
    cluster.advance(seconds(1));
    cluster.faults.partition(MANAGER);
    cluster.client.resource(configMaps).delete('owner');
    cluster.advance(seconds(20));
    expect(present(cluster)).toEqual(['child']);
    cluster.faults.heal(MANAGER);
    cluster.advance(minutes(2));
    expect(present(cluster)).toEqual([]);
  });

  it('asks before it deletes: a view that is late harms nobody', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    created(cluster, 'child', { ownerReferences: [ownedBy(owner)] });
    cluster.advance(seconds(1));
    cluster.faults.lag('controller/garbage-collector-controller', seconds(10));
    const body = { metadata: { ownerReferences: null } };
    cluster.client.resource(configMaps).patch('child', { type: 'merge', body });
    cluster.client.resource(configMaps).delete('owner');
    cluster.advance(minutes(1));
    expect(present(cluster)).toEqual(['child']);
  });

  it('leaves dependents alone that are to be orphans, also when its first try fails', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    const other = created(cluster, 'other');
    created(cluster, 'child', { ownerReferences: [ownedBy(owner), ownedBy(other)] });
    cluster.advance(seconds(1));
    cluster.faults.failWrites({ user: COLLECTOR });
    cluster.client.resource(configMaps).delete('owner', { propagationPolicy: 'Orphan' });
    cluster.advance(seconds(2));
    expect(present(cluster)).toEqual(['child', 'other', 'owner']);
    cluster.faults.allowWrites({ user: COLLECTOR });
    cluster.advance(seconds(10));
    expect(present(cluster)).toEqual(['child', 'other']);
    const { metadata } = cluster.client.resource(configMaps).get('child');
    expect(metadata.ownerReferences).toEqual([ownedBy(other)]);
  });

  it('follows custom resources half a minute after they come, and lets go of them when they go', () => {
    const cluster = createCluster();
    const websites = {
      group: 'example.com',
      version: 'v1',
      resource: 'websites',
      kind: 'Website',
      isNamespaced: true,
    };
    for (const round of ['first', 'second']) {
      installWebsites(cluster);
      cluster.advance(seconds(5));
      const owner = created(cluster, `owner-${round}`);
      cluster.client.resource(websites).create({
        apiVersion: 'example.com/v1',
        kind: 'Website',
        metadata: { name: 'site', ownerReferences: [ownedBy(owner)] },
      });
      cluster.client.resource(configMaps).delete(`owner-${round}`);
      cluster.advance(minutes(2));
      expect(cluster.client.resource(websites).list().items, round).toHaveLength(0);
      cluster.client.resource(customResourceDefinitions).delete('websites.example.com');
      cluster.advance(minutes(2));
    }
  });

  it('looks less and less often for an owner of a kind that nobody serves', () => {
    const eventsWith = (ownerReferences: readonly OwnerReference[]): number => {
      const cluster = createCluster();
      created(cluster, 'child', { ownerReferences });
      cluster.advance(minutes(10));
      expect(present(cluster)).toEqual(['child']);
      return cluster.trace.length;
    };
    const unknown = { apiVersion: 'example.com/v1', kind: 'Nothing', name: 'none', uid: 'none' };
    // 5 ms, and twice as long each time.
    expect(eventsWith([unknown]) - eventsWith([])).toBeLessThan(60);
  });

  it('frees all dependents that it can at once, though one cannot be freed yet', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    for (const name of ['a', 'b', 'c']) created(cluster, name, { ownerReferences: [ownedBy(owner)] });
    cluster.advance(seconds(1));
    cluster.faults.failRequests({ verb: 'patch', resource: 'configmaps', name: 'a' });
    cluster.client.resource(configMaps).delete('owner', { propagationPolicy: 'Orphan' });
    cluster.advance(seconds(1));
    const owners = (name: string): unknown =>
      cluster.client.resource(configMaps).get(name).metadata.ownerReferences;
    expect(['a', 'b', 'c'].map(owners)).toEqual([[ownedBy(owner)], undefined, undefined]);
    expect(present(cluster)).toContain('owner');
    cluster.faults.allowRequests({ verb: 'patch', resource: 'configmaps', name: 'a' });
    cluster.advance(minutes(1));
    expect(present(cluster)).toEqual(['a', 'b', 'c']);
    expect(owners('a')).toBeUndefined();
  });

  it('does nothing while a kind that came cannot be listed, and goes on when it can', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    created(cluster, 'child', { ownerReferences: [ownedBy(owner)] });
    cluster.advance(seconds(1));
    const broken = { verb: 'list', resource: 'websites' } as const;
    cluster.faults.failRequests({ ...broken, status: 500 });
    installWebsites(cluster);
    cluster.advance(minutes(1));
    cluster.client.resource(configMaps).delete('owner');
    cluster.advance(minutes(3));
    expect(present(cluster)).toEqual(['child']);
    cluster.faults.allowRequests(broken);
    cluster.advance(minutes(2));
    expect(present(cluster)).toEqual([]);
  });

  it('goes on when the kind that could not be listed is gone', () => {
    const cluster = createCluster();
    const owner = created(cluster, 'owner');
    created(cluster, 'child', { ownerReferences: [ownedBy(owner)] });
    cluster.faults.failRequests({ verb: 'list', resource: 'websites', status: 500 });
    installWebsites(cluster);
    cluster.advance(minutes(1));
    cluster.client.resource(configMaps).delete('owner');
    cluster.advance(minutes(1));
    expect(present(cluster)).toEqual(['child']);
    cluster.faults.allowRequests({ verb: 'list', resource: 'websites' });
    cluster.client.resource(customResourceDefinitions).delete('websites.example.com');
    cluster.advance(minutes(2));
    expect(present(cluster)).toEqual([]);
  });
});
