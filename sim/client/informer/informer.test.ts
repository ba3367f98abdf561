import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { BUILTIN_HANDLES } from '../builtin-handles.ts';
import { Informer } from './informer.ts';

interface Followed {
  readonly cluster: Cluster;
  readonly informer: Informer<ConfigMap>;
  readonly heard: string[];
}

function follow(): Followed {
  const cluster = createCluster({ controllers: [], compactionInterval: minutes(1) });
  const informer = new Informer({
    client: cluster.userClient,
    handle: BUILTIN_HANDLES.configMaps,
    namespace: 'default',
    indexers: { mode: ({ data }) => (data?.['mode'] === undefined ? [] : [data['mode']]) },
  });
  const heard: string[] = [];
  informer.addHandler({
    added: ({ metadata }) => heard.push(`+${metadata.name}`),
    changed: ({ metadata }) => heard.push(`~${metadata.name}`),
    removed: ({ metadata }) => heard.push(`-${metadata.name}`),
  });
  informer.start();
  return { cluster, informer, heard };
}

const create = ({ cluster }: Followed, name: string, mode = 'a') =>
  cluster.client.configMaps.create({ metadata: { name }, data: { mode } });

describe('an informer', () => {
  it('tells of what is there, and of every change, once', () => {
    const followed = follow();
    const { cluster, informer, heard } = followed;
    create(followed, 'early');
    cluster.advance(seconds(1));
    expect(informer.isSynced).toBe(true);
    create(followed, 'late');
    cluster.client.configMaps.patch('early', { type: 'merge', body: { data: { mode: 'b' } } });
    cluster.client.configMaps.delete('late');
    cluster.advance(seconds(1));
    expect(heard).toEqual(['+early', '+late', '~early', '-late']);
    expect(informer.store.byIndex('mode', 'b').map(({ metadata }) => metadata.name)).toEqual(['early']);
    expect(informer.store.byIndex('mode', 'a')).toEqual([]);
  });

  it('resumes a broken watch from the last version without listing again', () => {
    const followed = follow();
    const { cluster, informer, heard } = followed;
    cluster.advance(seconds(1));
    cluster.faults.resetConnections('user/test');
    create(followed, 'meanwhile');
    cluster.advance(seconds(5));
    expect(heard).toEqual(['+meanwhile']);
    expect(informer.listCount).toBe(1);
  });

  it('misses nothing over the restart of the API server', () => {
    const followed = follow();
    const { cluster, informer, heard } = followed;
    create(followed, 'before');
    cluster.advance(seconds(1));
    cluster.faults.crash('apiserver/0');
    cluster.advance(seconds(20));
    cluster.faults.restart('apiserver/0');
    create(followed, 'after');
    cluster.advance(minutes(1));
    expect(heard).toEqual(['+before', '+after']);
    expect(informer.store.size).toBe(2);
  });

  it('lists again when its version is gone, and tells the difference', () => {
    const followed = follow();
    const { cluster, informer, heard } = followed;
    create(followed, 'stays');
    create(followed, 'goes');
    cluster.advance(seconds(1));
    const server = cluster.apiServers[0]?.name ?? '';
    cluster.faults.crash(server);
    cluster.faults.restart(server);
    // The informer cannot come back before its version was compacted.
    cluster.faults.partition('user/test');
    const other = createSibling(cluster);
    other('goes');
    cluster.advance(minutes(5));
    cluster.faults.heal('user/test');
    cluster.advance(minutes(3));
    expect(informer.listCount).toBeGreaterThan(1);
    expect(heard).toEqual(['+stays', '+goes', '-goes']);
  });

  it('follows only what it selects', () => {
    const cluster = createCluster({ controllers: [] });
    const informer = new Informer({
      client: cluster.userClient,
      handle: BUILTIN_HANDLES.configMaps,
      labelSelector: 'app=web',
    });
    informer.start();
    cluster.client.configMaps.create({ metadata: { name: 'web', labels: { app: 'web' } } });
    cluster.client.configMaps.create({ metadata: { name: 'db', labels: { app: 'db' } } });
    cluster.advance(seconds(1));
    expect(informer.store.keys()).toEqual(['default/web']);
    cluster.client.configMaps.patch('web', {
      type: 'merge',
      body: { metadata: { labels: { app: 'other' } } },
    });
    cluster.advance(seconds(1));
    expect(informer.store.keys()).toEqual([]);
  });
});

/** Deletes an object past the partition: straight in the storage, as another client's request would. */
function createSibling(cluster: Cluster): (name: string) => void {
  return (name) => {
    const key = `/registry/configmaps/default/${name}`;
    cluster.storage.transact({ compare: [], success: [{ kind: 'delete', key }] });
    const touch = cluster.storage.get('/registry/configmaps/default/stays');
    expect(touch).toBeDefined();
  };
}
