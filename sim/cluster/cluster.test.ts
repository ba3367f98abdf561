import { describe, expect, it } from 'vitest';
import { createCluster, minutes, NotInTime, seconds } from '../index.ts';
import { WireUser } from './wire-user.ts';

type Cluster = ReturnType<typeof createCluster>;

const readinessOf = (cluster: Cluster, node: string) =>
  cluster.client.nodes.get(node).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const taintsOf = (cluster: Cluster, node: string) =>
  (cluster.client.nodes.get(node).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

describe('a cluster', () => {
  it('has its nodes ready within seconds', () => {
    const cluster = createCluster({ nodes: { count: 4, zones: 2, region: 'north' }, seed: 7 });
    cluster.eventually(() =>
      cluster.client.nodes
        .list()
        .items.every(({ metadata }) => readinessOf(cluster, metadata.name ?? '') === 'True'),
    );
    cluster.settle();
    expect(
      cluster.client.nodes
        .list()
        .items.map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']),
    ).toEqual(['zone-1', 'zone-2', 'zone-1', 'zone-2']);
    expect(taintsOf(cluster, 'worker-1')).toEqual([]);
  });

  it('lets nodes do their work, and no more, where access is by role', () => {
    const cluster = createCluster({ nodes: 1, authorizationMode: 'RBAC' });
    cluster.eventually(() => readinessOf(cluster, 'worker-1') === 'True', { within: seconds(15) });
    const user = { name: 'system:node:worker-1', groups: ['system:nodes', 'system:authenticated'] };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    expect(new WireUser(cluster).request({ method: 'GET', path, user })?.status).toBe(403);
  });

  it('declares a node that is cut off Unknown after 40 s, taints it, and takes it back', () => {
    const cluster = createCluster({ nodes: 3, seed: 3 });
    cluster.settle();
    const cutAt = cluster.now;
    cluster.faults.partition('worker-1');
    cluster.eventually(() => readinessOf(cluster, 'worker-1') === 'Unknown');
    expect(cluster.now - cutAt).toBeGreaterThan(seconds(30));
    expect(cluster.now - cutAt).toBeLessThan(seconds(55));
    cluster.eventually(
      () => taintsOf(cluster, 'worker-1').includes('node.kubernetes.io/unreachable:NoExecute'),
      { within: seconds(15) },
    );
    expect(readinessOf(cluster, 'worker-2')).toBe('True');
    cluster.faults.heal('worker-1');
    cluster.eventually(() => readinessOf(cluster, 'worker-1') === 'True', { within: seconds(15) });
    cluster.eventually(() => taintsOf(cluster, 'worker-1').length === 0, { within: seconds(15) });
  });

  it('says that a node is not ready as soon as its agent says so', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    cluster.machine('worker-2').stopRuntime();
    cluster.eventually(
      () => taintsOf(cluster, 'worker-2').includes('node.kubernetes.io/not-ready:NoSchedule'),
      { within: seconds(1) },
    );
    cluster.machine('worker-2').startRuntime();
    cluster.eventually(() => taintsOf(cluster, 'worker-2').length === 0, { within: seconds(10) });
  });

  it('evicts nobody when every node is gone: rather it is the control plane that is cut off', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    for (const node of ['worker-1', 'worker-2']) cluster.faults.crash(node, { isSilent: true });
    cluster.advance(minutes(3));
    expect(taintsOf(cluster, 'worker-1')).toEqual(['node.kubernetes.io/unreachable:NoSchedule']);
  });

  it('cordons and uncordons', () => {
    const cluster = createCluster({ nodes: 1 });
    cluster.settle();
    cluster.cordon('worker-1');
    cluster.settle();
    expect(taintsOf(cluster, 'worker-1')).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
    cluster.uncordon('worker-1');
    cluster.settle();
    expect(taintsOf(cluster, 'worker-1')).toEqual([]);
  });

  it('lets a stalled node that renews nothing come back as it was', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    cluster.faults.pause('worker-1');
    cluster.advance(seconds(70));
    expect(readinessOf(cluster, 'worker-1')).toBe('Unknown');
    cluster.faults.resume('worker-1');
    cluster.eventually(() => readinessOf(cluster, 'worker-1') === 'True', { within: seconds(15) });
  });

  it('says what did not come true in time', () => {
    const cluster = createCluster();
    const wait = () => cluster.eventually(() => cluster.client.pods.get('never'), { within: seconds(2) });
    expect(wait).toThrow(NotInTime);
    expect(wait).toThrow('not within 2.000000s: pods "never" not found');
  });

  it('has one digest for one seed, whatever the time zone, and others for others', () => {
    const digestOf = (seed: number) => {
      const cluster = createCluster({ nodes: 3, seed });
      cluster.advance(seconds(20));
      cluster.faults.partition('worker-2');
      cluster.advance(minutes(2));
      cluster.faults.heal('worker-2');
      cluster.client.configMaps.create({ metadata: { generateName: 'x-' } });
      cluster.settle();
      return cluster.digest;
    };
    expect(digestOf(1)).toBe(digestOf(1));
    expect(digestOf(1)).not.toBe(digestOf(2));
  });

  it('replays a run from its choices', () => {
    const drive = (cluster: Cluster) => {
      cluster.advance(minutes(1));
      cluster.client.configMaps.create({ metadata: { name: 'x' } });
      return cluster.report();
    };
    const first = drive(createCluster({ nodes: 2, seed: 11 }));
    const again = drive(createCluster({ nodes: 2, seed: 11, replay: first.choices }));
    expect(again).toEqual(first);
    expect(first.objects).toMatchObject({
      '/registry/minions/': 2,
      '/registry/leases/': 2,
      // With the root certificate of each of the four namespaces, and since when uses of tokens are noted.
      '/registry/configmaps/': 6,
    });
  });
});
