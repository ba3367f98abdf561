import { describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster/cluster.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { milliseconds, seconds } from '../engine/time.ts';

const alone = (): Cluster => createCluster({ controllers: [], scheduler: false, trace: { keeps: 'all' } });

/** Seconds at which the user pinged the server over its watches. */
const pings = (cluster: Cluster, since = seconds(1)): number[] =>
  cluster.trace
    .records()
    .filter(
      ({ kind, actor, subject, at }) =>
        kind === 'message' && actor === 'apiserver/0' && subject.includes(':watch#') && at >= since,
    )
    .map(({ at }) => Math.round(at / seconds(1)));

const callEveryTenSeconds = (cluster: Cluster, times: number): void => {
  for (let time = 0; time < times; time++) {
    cluster.advance(seconds(10));
    cluster.client.namespaces.list();
  }
};

describe('a client with open watches', () => {
  it('pings over one of them after thirty seconds of silence', () => {
    const cluster = alone();
    const logs = [cluster.client.configMaps.watch(), cluster.client.secrets.watch()];
    cluster.advance(seconds(100));
    expect(pings(cluster)).toEqual([30, 60, 90]);
    expect(logs.map(({ isEnded }) => isEnded)).toEqual([false, false]);
  });

  it('does not ping while its calls are answered', () => {
    const cluster = alone();
    cluster.client.namespaces.list();
    cluster.client.configMaps.watch();
    callEveryTenSeconds(cluster, 10);
    expect(pings(cluster)).toEqual([]);
  });

  it('gives all of them up when a ping is not answered within fifteen seconds', () => {
    const cluster = alone();
    const logs = [cluster.client.configMaps.watch(), cluster.client.secrets.watch()];
    cluster.faults.crash('apiserver/0', { isSilent: true });
    cluster.advance(seconds(44));
    expect(logs.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    cluster.advance(seconds(2));
    expect(logs.map(({ failure }) => failure)).toMatchObject([{ kind: 'timeout' }, { kind: 'timeout' }]);
  });

  it('learns with its next call that a server which lost its power has forgotten them', () => {
    const cluster = alone();
    cluster.client.namespaces.list();
    const log = cluster.client.configMaps.watch();
    cluster.faults.crash('apiserver/0', { isSilent: true });
    cluster.advance(seconds(1));
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(1));
    expect(log.isEnded).toBe(false);
    callEveryTenSeconds(cluster, 1);
    cluster.advance(seconds(1));
    expect(log.failure).toMatchObject({ kind: 'reset' });
  });

  it('learns it by a ping as well, of all of them at once', () => {
    const cluster = alone();
    const { configMaps, secrets, pods } = cluster.client;
    const logs = [configMaps.watch(), secrets.watch(), pods.watch()];
    cluster.faults.crash('apiserver/0', { isSilent: true });
    cluster.advance(milliseconds(1));
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(31));
    expect(logs.map(({ failure }) => failure)).toMatchObject(logs.map(() => ({ kind: 'reset' })));
  });

  it('has no timers of it any more when the last is closed', () => {
    const cluster = alone();
    const log = cluster.client.configMaps.watch();
    cluster.advance(seconds(1));
    log.close();
    cluster.advance(seconds(100));
    expect(pings(cluster, seconds(2))).toEqual([]);
  });
});

describe('a client of two servers', () => {
  it('turns to the other when the one that it asked says nothing for as long as pings would wait', () => {
    const cluster = createCluster({ nodes: 1, apiServers: 2, settled: true });
    cluster.advance(seconds(15));
    cluster.faults.pause('apiserver/0');
    const version = (): number | undefined =>
      cluster.storage.get('/registry/leases/kube-node-lease/worker-1')?.modRevision;
    cluster.advance(seconds(60));
    const before = version();
    cluster.advance(seconds(15));
    expect(version()).not.toBe(before);
  });
});
