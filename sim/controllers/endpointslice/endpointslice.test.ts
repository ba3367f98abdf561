import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const CONTROLLERS = [
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'serviceaccount-controller',
];

function world(): Cluster {
  const cluster = createCluster({ controllers: CONTROLLERS, scheduler: false });
  cluster.advance(seconds(1));
  cluster.client.nodes.create({ metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } } });
  return cluster;
}

function addPod(cluster: Cluster, number: number): void {
  const name = `p${number}`;
  cluster.client.pods.create({
    metadata: { name, labels: { app: 'x' } },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  cluster.client.pods.patch(
    name,
    {
      type: 'merge',
      body: {
        status: {
          phase: 'Running',
          podIP: `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`,
          podIPs: [{ ip: `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}` }],
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:01Z' }],
        },
      },
    },
    { subresource: 'status' },
  );
}

const addService = (cluster: Cluster, more = {}): void =>
  void cluster.client.services.create({
    metadata: { name: 's' },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...more },
  });
const slicesOf = (cluster: Cluster) =>
  cluster.client.endpointSlices.list({ labelSelector: 'kubernetes.io/service-name=s' }).items;

describe('the slices of a service', () => {
  it('hold a hundred endpoints each, and each pod once, though the view is late', () => {
    const cluster = world();
    addService(cluster);
    for (let number = 0; number < 230; number++) addPod(cluster, number);
    cluster.advance(minutes(1));
    const sizes = slicesOf(cluster).map(({ endpoints }) => endpoints.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(230);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    const addresses = slicesOf(cluster).flatMap(({ endpoints }) =>
      endpoints.map((each) => each.addresses[0]),
    );
    expect(new Set(addresses).size).toBe(230);
    const { subsets } = cluster.client.endpoints.get('s');
    expect(subsets?.[0]?.addresses).toHaveLength(230);
  });

  it('are put right again after somebody has changed or deleted them', () => {
    const cluster = world();
    addService(cluster);
    addPod(cluster, 1);
    cluster.advance(seconds(5));
    const [slice] = slicesOf(cluster);
    cluster.client.endpointSlices.patch(slice?.metadata.name ?? '', {
      type: 'merge',
      body: { endpoints: [] },
    });
    cluster.eventually(() => slicesOf(cluster)[0]?.endpoints.length === 1, { within: seconds(10) });
    cluster.client.endpointSlices.delete(slice?.metadata.name ?? '');
    cluster.eventually(() => slicesOf(cluster)[0]?.endpoints.length === 1, { within: seconds(10) });
    expect(slicesOf(cluster)[0]?.metadata.name).not.toBe(slice?.metadata.name);
    cluster.client.endpoints.delete('s');
    cluster.eventually(() => cluster.client.endpoints.get('s').subsets?.length === 1, {
      within: seconds(10),
    });
  });

  it('catch up after their manager was away', () => {
    const cluster = world();
    addService(cluster);
    addPod(cluster, 1);
    cluster.advance(seconds(5));
    cluster.faults.crash('controller-manager/0');
    addPod(cluster, 2);
    cluster.client.pods.delete('p1', { gracePeriodSeconds: 0 });
    cluster.advance(seconds(5));
    cluster.faults.restart('controller-manager/0');
    const names = () =>
      slicesOf(cluster).flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name));
    cluster.eventually(() => names().join() === 'p2', { within: seconds(30) });
    expect(slicesOf(cluster)).toHaveLength(1);
  });

  it('say since when a change waits, once', () => {
    const cluster = world();
    addService(cluster);
    cluster.advance(seconds(5));
    addPod(cluster, 1);
    cluster.advance(seconds(5));
    const trigger = () =>
      slicesOf(cluster)[0]?.metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'];
    expect(trigger()).toBe('2025-01-01T00:00:01Z');
    cluster.client.services.patch('s', { type: 'merge', body: { metadata: { labels: { l: 'v' } } } });
    cluster.advance(seconds(5));
    expect(slicesOf(cluster)[0]?.metadata.labels).toMatchObject({ l: 'v' });
    expect(trigger()).toBeUndefined();
  });

  it('hint at the zone of their pods where traffic is to stay close', () => {
    const cluster = world();
    addService(cluster, { trafficDistribution: 'PreferClose' });
    addPod(cluster, 1);
    cluster.advance(seconds(5));
    expect(slicesOf(cluster)[0]?.endpoints[0]?.hints).toEqual({ forZones: [{ name: 'z' }] });
  });
});

describe('slices that mirror Endpoints', () => {
  it('go when their service gets a selector, and come back without', () => {
    const cluster = world();
    cluster.client.services.create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    cluster.client.endpoints.create({
      metadata: { name: 's' },
      subsets: [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 80 }] }],
    });
    const managers = () =>
      slicesOf(cluster).map(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by']);
    cluster.eventually(() => managers().join() === 'endpointslicemirroring-controller.k8s.io', {
      within: seconds(10),
    });
    cluster.client.services.patch('s', { type: 'merge', body: { spec: { selector: { app: 'x' } } } });
    cluster.eventually(() => managers().join() === 'endpointslice-controller.k8s.io', {
      within: seconds(10),
    });
  });
});

describe('slices that cannot be written', () => {
  it('are complained of, with what was tried', () => {
    const cluster = world();
    cluster.faults.failWrites({ resource: 'endpointslices', namespace: 'default' });
    addService(cluster);
    cluster.advance(seconds(5));
    const { message } = cluster.client.events
      .list({ namespace: 'default' })
      .items.find(({ reason }) => reason === 'FailedToUpdateEndpointSlices') ?? { message: '' };
    expect(message).toMatch(
      /^Error updating Endpoint Slices for Service default\/s: failed to create EndpointSlice for Service default\/s: /,
    );
    cluster.faults.allowWrites({ resource: 'endpointslices', namespace: 'default' });
    cluster.advance(minutes(1));
    expect(slicesOf(cluster)).toHaveLength(1);
  });

  it('because their Service is going are not tried', () => {
    const cluster = world();
    addService(cluster);
    cluster.advance(seconds(2));
    const hold = { metadata: { finalizers: ['example.com/hold'] } };
    cluster.client.services.patch('s', { type: 'merge', body: hold });
    cluster.client.services.delete('s');
    const [slice] = slicesOf(cluster);
    cluster.client.endpointSlices.delete(slice?.metadata.name ?? '');
    cluster.advance(seconds(20));
    expect(slicesOf(cluster)).toHaveLength(0);
  });
});
