import { describe, expect, test } from 'vitest';
import { type ApiObject, createCluster, minutes, seconds, WireUser, type WireAnswer } from '../core.ts';
import type { Cluster } from './cluster.ts';

const made = (): Cluster => createCluster({ apiServers: 3, storageMembers: 3, controllers: [] });
const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const MAPS = '/api/v1/namespaces/default/configmaps';
const ask = (
  cluster: Cluster,
  server: string,
  {
    method = 'GET',
    path = MAPS,
    query = {},
    body,
  }: {
    method?: 'GET' | 'POST';
    path?: string;
    query?: Record<string, string>;
    body?: unknown;
  } = {},
): WireAnswer =>
  new WireUser(cluster).request({
    server,
    method,
    path,
    query,
    user: ADMIN,
    ...(body !== undefined && { body }),
  });
const create = (cluster: Cluster, name: string, server = 'apiserver/0'): number =>
  ask(cluster, server, { method: 'POST', body: { metadata: { name } } })?.status ?? 0;
/** What a server's cache shows. */
const seen = (cluster: Cluster, server: string): string => {
  const body = ask(cluster, server, { query: { resourceVersion: '0' } })?.body;
  const { items } = JSON.parse(String(body)) as { items: { metadata: { name: string } }[] };
  return items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.length === 1)
    .join('');
};
const restart = (cluster: Cluster, name: string): void => {
  cluster.faults.crash(name);
  cluster.faults.restart(name);
  cluster.advance(seconds(1));
};

describe('a member of the storage that lags', () => {
  test('makes the caches of its own server late, and no others', () => {
    const cluster = made();
    cluster.faults.lagStorageMember('etcd/1', seconds(30));
    expect(create(cluster, 'a')).toBe(201);
    cluster.advance(seconds(5));
    expect(['apiserver/0', 'apiserver/1', 'apiserver/2'].map((name) => seen(cluster, name))).toEqual([
      'a',
      '',
      'a',
    ]);
    cluster.advance(seconds(30));
    expect(seen(cluster, 'apiserver/1')).toBe('a');
  });

  test('lets its server restart into a stale view, twice, and catch up', () => {
    const cluster = made();
    create(cluster, 'a');
    cluster.faults.lagStorageMember('etcd/1', minutes(2));
    create(cluster, 'b');
    for (const _ of [1, 2]) {
      restart(cluster, 'apiserver/1');
      expect(seen(cluster, 'apiserver/1')).toBe('a');
    }
    create(cluster, 'c');
    cluster.faults.lagStorageMember('etcd/1', seconds(0));
    expect(seen(cluster, 'apiserver/1')).toBe('abc');
    restart(cluster, 'apiserver/1');
    create(cluster, 'd');
    expect(seen(cluster, 'apiserver/1')).toBe('abcd');
  });

  test('and lags no more while it is cut off, is late afterwards only with what comes later', () => {
    const cluster = made();
    cluster.faults.lagStorageMember('etcd/1', seconds(30));
    create(cluster, 'a');
    cluster.faults.partition('etcd/1', { from: 'etcd/*' });
    for (const by of [0, 30]) cluster.faults.lagStorageMember('etcd/1', seconds(by));
    cluster.faults.heal('etcd/1', { from: 'etcd/*' });
    create(cluster, 'b');
    expect(seen(cluster, 'apiserver/1')).toBe('a');
  });

  test('tells watches everything in order, across a restart of the server', () => {
    const cluster = made();
    cluster.faults.lagStorageMember('etcd/0', seconds(20));
    create(cluster, 'a', 'apiserver/1');
    restart(cluster, 'apiserver/0');
    // Without a version it would have to show the latest state, which the server does not know for long.
    const vain = cluster.client.configMaps.watch();
    cluster.advance(seconds(4));
    expect(vain.events).toMatchObject([
      {
        type: 'ERROR',
        object: { code: 504, message: expect.stringContaining('Too large resource version') },
      },
    ]);
    const watch = cluster.client.configMaps.watch({ resourceVersion: '0' });
    create(cluster, 'b', 'apiserver/1');
    cluster.advance(seconds(5));
    cluster.faults.lagStorageMember('etcd/0', seconds(1));
    create(cluster, 'c', 'apiserver/1');
    cluster.advance(seconds(60));
    const names = watch.events.map(({ object }) => (object as ApiObject).metadata.name ?? '');
    expect(names.filter((name) => name.length === 1)).toEqual(['a', 'b', 'c']);
  });
});

describe('a storage without a majority', () => {
  test('takes no writes and gives no latest state, but what caches know, until it has one again', () => {
    const cluster = made();
    create(cluster, 'a');
    for (const _ of [1, 2]) {
      cluster.faults.crash('etcd/1');
      expect(create(cluster, `x${cluster.now}`)).toBe(201);
      cluster.faults.crash('etcd/2');
      expect(create(cluster, 'z')).toBe(500);
      expect(ask(cluster, 'apiserver/0')?.status).toBe(500);
      expect(seen(cluster, 'apiserver/0')).toBe('a');
      cluster.faults.restart('etcd/1');
      cluster.faults.restart('etcd/2');
      cluster.advance(seconds(3));
      expect(create(cluster, `y${cluster.now}`)).toBe(201);
    }
  });

  test('is one whose member is cut off from the others, for its own server', () => {
    const cluster = made();
    for (const _ of [1, 2]) {
      cluster.faults.partition('etcd/1', { from: 'etcd/*' });
      expect([create(cluster, 'p', 'apiserver/1'), create(cluster, `q${cluster.now}`)]).toEqual([500, 201]);
      restart(cluster, 'apiserver/1');
      const fresh = String.fromCharCode(97 + (_ % 26));
      create(cluster, fresh);
      expect(seen(cluster, 'apiserver/1')).not.toContain(fresh);
      cluster.faults.heal('etcd/1', { from: 'etcd/*' });
      cluster.advance(seconds(3));
      expect(seen(cluster, 'apiserver/1')).toContain(fresh);
      expect(create(cluster, `r${cluster.now}`, 'apiserver/1')).toBe(201);
    }
  });

  test('chooses another leader when it loses one, or is told to', () => {
    const cluster = made();
    for (const _ of [1, 2]) {
      cluster.faults.changeStorageLeader(seconds(2));
      expect(create(cluster, 'e')).toBe(500);
      cluster.advance(seconds(2));
      expect(create(cluster, `f${cluster.now}`)).toBe(201);
    }
  });

  test('is whole again for its checkers', () => {
    const cluster = made();
    const { isStorageWhole } = cluster;
    cluster.faults.crash('etcd/0');
    expect([isStorageWhole, cluster.isStorageWhole]).toEqual([true, false]);
    cluster.faults.restart('etcd/0');
    cluster.advance(seconds(3));
    expect(cluster.isStorageWhole).toBe(true);
  });

  test('is remade in a fork', () => {
    const cluster = made();
    cluster.faults.lagStorageMember('etcd/1', seconds(30));
    create(cluster, 'a');
    cluster.perform('look', (it) => void it.client.configMaps.list());
    expect(() => cluster.faults.lagStorageMember('apiserver/0', seconds(1))).toThrow(/no member/);
    expect(() => createCluster().faults.changeStorageLeader()).toThrow(/has no members/);
  });
});
