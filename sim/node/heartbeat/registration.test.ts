import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { NodeTemplate } from '../node-template.ts';

const registered = (template: Partial<NodeTemplate> = {}) => {
  const cluster = createCluster({ nodes: [{ name: 'worker-1', ...template }], controllers: [] });
  cluster.advance(seconds(5));
  return cluster;
};
const nodeOf = (cluster: Cluster) => cluster.client.nodes.get('worker-1');
const restart = (cluster: Cluster): void => {
  cluster.faults.crash('worker-1');
  cluster.advance(seconds(1));
  cluster.faults.restart('worker-1');
  cluster.advance(seconds(5));
};

describe('a node that registers', () => {
  it('has its addresses, and the name of its host as label and address', () => {
    const { metadata, status } = nodeOf(
      registered({ hostname: 'host-a', internalIP: '10.9.9.9', externalIP: '203.0.113.9' }),
    );
    expect(status?.addresses).toEqual([
      { type: 'InternalIP', address: '10.9.9.9' },
      { type: 'ExternalIP', address: '203.0.113.9' },
      { type: 'Hostname', address: 'host-a' },
    ]);
    expect(metadata.labels).toMatchObject({
      'kubernetes.io/hostname': 'host-a',
      'kubernetes.io/os': 'linux',
    });
  });

  it('has its taints and the one of a node that is not ready yet', () => {
    const { spec } = nodeOf(registered({ taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }));
    expect(spec?.taints).toEqual([
      { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
  });

  it('is not ready before its agent has looked at the runtime, and then at once', () => {
    const cluster = createCluster({ nodes: 1, controllers: [] });
    const watch = cluster.client.nodes.watch();
    cluster.advance(seconds(1));
    const readiness = watch.events.map(({ object }) =>
      'status' in object && typeof object.status === 'object'
        ? object.status.conditions?.find(({ type }) => type === 'Ready')
        : undefined,
    );
    expect(readiness).toMatchObject([
      {
        status: 'False',
        reason: 'KubeletNotReady',
        message: 'container runtime status check may not have completed yet',
      },
      { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    ]);
    expect(watch.events[0]?.object).toMatchObject({ status: { capacity: { cpu: '4' } } });
  });

  it('waits for an API server that is down', () => {
    const cluster = createCluster({ nodes: 1, controllers: [] });
    cluster.faults.crash('apiserver/0');
    cluster.advance(minutes(1));
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(8));
    expect(nodeOf(cluster).metadata.name).toBe('worker-1');
  });
});

describe('a node whose agent is restarted', () => {
  it('stays the same Node, and what others have changed of it stays', () => {
    const cluster = registered({ taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
    const { uid } = nodeOf(cluster).metadata;
    const change = { metadata: { labels: { team: 'a' } }, spec: { taints: null, unschedulable: true } };
    cluster.client.nodes.patch('worker-1', { type: 'merge', body: change });
    restart(cluster);
    const { metadata, spec } = nodeOf(cluster);
    expect([metadata.uid, metadata.labels?.['team'], spec?.unschedulable, spec?.taints]).toEqual([
      uid,
      'a',
      true,
      undefined,
    ]);
  });

  it('has its own labels and its annotation put right', () => {
    const cluster = registered({ zone: 'a' });
    const labels = {
      'kubernetes.io/arch': 'wrong',
      'topology.kubernetes.io/zone': null,
      'topology.kubernetes.io/region': 'nowhere',
    };
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'false' };
    cluster.client.nodes.patch('worker-1', { type: 'merge', body: { metadata: { labels, annotations } } });
    restart(cluster);
    const { metadata } = nodeOf(cluster);
    expect(metadata.labels).toMatchObject({
      'kubernetes.io/arch': 'amd64',
      'topology.kubernetes.io/zone': 'a',
    });
    expect(metadata.labels?.['topology.kubernetes.io/region']).toBeUndefined();
    expect(metadata.annotations).toMatchObject({
      'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
    });
  });

  it('has its capacity and addresses put right with the first report', () => {
    const cluster = registered({ internalIP: '10.9.9.9' });
    const status = { capacity: { cpu: '1' }, addresses: [{ type: 'InternalIP', address: '10.1.1.1' }] };
    cluster.client.nodes.patch('worker-1', { type: 'merge', body: { status } }, { subresource: 'status' });
    restart(cluster);
    expect(nodeOf(cluster).status).toMatchObject({
      capacity: { cpu: '4' },
      addresses: [
        { type: 'InternalIP', address: '10.9.9.9' },
        { type: 'Hostname', address: 'worker-1' },
      ],
    });
  });
});

describe('a node that somebody has deleted', () => {
  it('is not made again while its agent runs, but when it is restarted', () => {
    const cluster = registered();
    const { uid } = nodeOf(cluster).metadata;
    cluster.client.nodes.delete('worker-1');
    cluster.advance(minutes(12));
    expect(cluster.client.nodes.list().items).toEqual([]);
    restart(cluster);
    expect(nodeOf(cluster).metadata.uid).not.toBe(uid);
    const lease = cluster.client.leases.get({ namespace: 'kube-node-lease', name: 'worker-1' });
    expect(Date.parse(lease.spec?.renewTime ?? '') - cluster.simulation.epochMs).toBeGreaterThan(720_000);
  });

  it('has no lease made for it, for that would have no owner', () => {
    const cluster = registered();
    cluster.client.nodes.delete('worker-1');
    cluster.client.leases.delete({ namespace: 'kube-node-lease', name: 'worker-1' });
    cluster.advance(minutes(2));
    expect(cluster.client.leases.list({ namespace: 'kube-node-lease' }).items).toEqual([]);
  });
});
