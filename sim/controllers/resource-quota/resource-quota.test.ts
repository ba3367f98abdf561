import { describe, expect, it } from 'vitest';
import type { ResourceQuota } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const { configMaps, resourceQuotas, secrets } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const USER = 'system:serviceaccount:kube-system:resourcequota-controller';

function withQuota(hard: Readonly<Record<string, string>>): Cluster {
  const cluster = createCluster();
  cluster.advance(seconds(1));
  cluster.client.resource(resourceQuotas).create({ metadata: { name: 'q' }, spec: { hard } });
  cluster.advance(seconds(1));
  return cluster;
}

const used = (cluster: Cluster): unknown => cluster.client.resource(resourceQuotas).get('q').status?.used;

const addSecrets = (cluster: Cluster, count: number): void => {
  for (let n = 0; n < count; n++) cluster.client.resource(secrets).create({ metadata: { name: `s-${n}` } });
};

describe('the quota controller', () => {
  it('counts what is there, and down when something goes', () => {
    const cluster = withQuota({ secrets: '5', 'count/secrets': '5' });
    addSecrets(cluster, 3);
    expect(used(cluster)).toEqual({ secrets: '3', 'count/secrets': '3' });
    cluster.client.resource(secrets).delete('s-0');
    cluster.advance(seconds(1));
    expect(used(cluster)).toEqual({ secrets: '2', 'count/secrets': '2' });
  });

  it('never lets two creators beyond what is allowed, however many try', () => {
    const cluster = withQuota({ secrets: '2' });
    expect(() => {
      addSecrets(cluster, 3);
    }).toThrow('exceeded quota: q, requested: secrets=1, used: secrets=2, limited: secrets=2');
  });

  it('counts what it missed when it is back, and when its write was refused', () => {
    const cluster = withQuota({ secrets: '5' });
    addSecrets(cluster, 4);
    cluster.faults.crash(MANAGER);
    cluster.client.resource(secrets).delete('s-0');
    cluster.advance(minutes(1));
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(6));
    expect(used(cluster)).toEqual({ secrets: '3' });
    cluster.faults.failWrites({ user: USER });
    cluster.client.resource(secrets).delete('s-1');
    cluster.advance(seconds(5));
    expect(used(cluster)).toEqual({ secrets: '3' });
    cluster.faults.allowWrites({ user: USER });
    cluster.advance(seconds(10));
    expect(used(cluster)).toEqual({ secrets: '2' });
  });

  it('does not write a stale count over one that the server has raised meanwhile', () => {
    const cluster = withQuota({ secrets: '9', configmaps: '9' });
    addSecrets(cluster, 2);
    cluster.advance(seconds(1));
    cluster.faults.lag('controller/resourcequota-controller', milliseconds(500));
    cluster.client.resource(secrets).delete('s-0');
    for (let n = 2; n < 6; n++) {
      cluster.client.resource(secrets).create({ metadata: { name: `s-${n}` } });
      cluster.advance(milliseconds(150));
    }
    cluster.faults.lag('controller/resourcequota-controller', milliseconds(0));
    cluster.advance(minutes(6));
    const { status }: ResourceQuota = cluster.client.resource(resourceQuotas).get('q');
    const count = cluster.client.resource(secrets).list({ namespace: 'default' }).items.length;
    expect(status?.used?.['secrets']).toBe(String(count));
    const maps = cluster.client.resource(configMaps).list({ namespace: 'default' }).items.length;
    expect(status?.used?.['configmaps']).toBe(String(maps));
  });
});
