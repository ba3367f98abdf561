import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { CLEANUP_FINALIZER } from './load-balancer-plan.ts';

const MANAGER = 'controller-manager/0';

function begin(): Cluster {
  const cluster = createCluster({ settled: true, authorizationMode: 'RBAC' });
  cluster.advance(seconds(1));
  return cluster;
}

function make(cluster: Cluster, name = 'web', cloud?: object, spec: object = {}): void {
  cluster.client.services.create({
    metadata: {
      name,
      ...(cloud && { annotations: { 'load-balancer.kubesim.dev/behaviour': JSON.stringify(cloud) } }),
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name }, ...spec },
  });
}

const service = (cluster: Cluster, name = 'web') => cluster.client.services.get(name);
const addresses = (cluster: Cluster, name = 'web') =>
  service(cluster, name).status?.loadBalancer?.ingress?.map(({ ip }) => ip);
const reasons = (cluster: Cluster) =>
  cluster.client.events
    .list({ namespace: 'default' })
    .items.filter(({ source }) => source?.component === 'service-controller')
    .map(({ reason, message, count }) => [reason, message, count]);

describe('the service controller', () => {
  it('gives each service an address of its own, and a finalizer', () => {
    const cluster = begin();
    make(cluster, 'web');
    make(cluster, 'api');
    cluster.advance(seconds(2));
    expect([addresses(cluster, 'web'), addresses(cluster, 'api')]).toEqual([
      ['203.0.113.1'],
      ['203.0.113.2'],
    ]);
    expect(service(cluster).metadata.finalizers).toEqual([CLEANUP_FINALIZER]);
    expect(reasons(cluster)).toContainEqual(['EnsuredLoadBalancer', 'Ensured load balancer', 1]);
  });

  it('gives the load balancer up before the service goes', () => {
    const cluster = begin();
    make(cluster, 'web', { takesSeconds: 3 });
    cluster.advance(seconds(5));
    cluster.client.services.delete('web');
    cluster.advance(seconds(2));
    expect(service(cluster).metadata.deletionTimestamp).toBeDefined();
    cluster.advance(seconds(3));
    expect(cluster.client.services.list({ namespace: 'default' }).items).toHaveLength(1);
    expect(reasons(cluster)).toContainEqual(['DeletedLoadBalancer', 'Deleted load balancer', 1]);
  });

  it('takes it from a service that is of another type now', () => {
    const cluster = begin();
    make(cluster);
    cluster.advance(seconds(1));
    cluster.client.services.patch('web', { type: 'merge', body: { spec: { type: 'ClusterIP' } } });
    cluster.advance(seconds(1));
    expect(addresses(cluster)).toBeUndefined();
    expect(service(cluster).metadata.finalizers).toBeUndefined();
  });

  it('leaves the finalizers of others that were added while the cloud gave it up', () => {
    const cluster = begin();
    make(cluster, 'web', { takesSeconds: 3 });
    cluster.advance(seconds(5));
    const change = (body: object) => cluster.client.services.patch('web', { type: 'strategic', body });
    change({ spec: { type: 'ClusterIP' } });
    cluster.advance(seconds(1));
    change({ metadata: { finalizers: ['example.com/hold'] } });
    cluster.advance(seconds(5));
    expect(service(cluster).metadata.finalizers).toEqual(['example.com/hold']);
  });

  it('gives an address to the next although nobody answered when it was given up', () => {
    const cluster = begin();
    make(cluster, 'web', { takesSeconds: 3 });
    cluster.advance(seconds(5));
    cluster.client.services.patch('web', { type: 'merge', body: { spec: { type: 'ClusterIP' } } });
    const patches = { actor: MANAGER, verb: 'patch', resource: 'services' } as const;
    cluster.faults.loseAnswers({ ...patches, count: 1, resets: true });
    cluster.advance(minutes(2));
    expect(service(cluster).metadata.finalizers).toBeUndefined();
    make(cluster, 'next');
    cluster.advance(seconds(2));
    expect(addresses(cluster, 'next')).toEqual(['203.0.113.1']);
  });

  it('tells of failures of the cloud, and tries again after 5 and 10 seconds', () => {
    const cluster = begin();
    make(cluster, 'web', { fails: 2, message: 'quota exceeded' });
    cluster.advance(seconds(14));
    expect(addresses(cluster)).toBeUndefined();
    const why = 'Error syncing load balancer: failed to ensure load balancer: quota exceeded';
    expect(reasons(cluster)).toContainEqual(['SyncLoadBalancerFailed', why, 2]);
    cluster.advance(seconds(2));
    expect(addresses(cluster)).toEqual(['203.0.113.1']);
  });

  it('keeps the address through a crash between the finalizer and the address', () => {
    const cluster = begin();
    make(cluster, 'web', { takesSeconds: 5 });
    cluster.advance(seconds(2));
    expect(service(cluster).metadata.finalizers).toEqual([CLEANUP_FINALIZER]);
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    cluster.advance(seconds(7));
    expect(addresses(cluster)).toEqual(['203.0.113.1']);
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    cluster.advance(seconds(10));
    expect(addresses(cluster)).toEqual(['203.0.113.1']);
  });

  it('leaves classes of load balancers to others', () => {
    const cluster = begin();
    make(cluster, 'web', undefined, { loadBalancerClass: 'example.com/own' });
    cluster.advance(seconds(2));
    expect(addresses(cluster)).toBeUndefined();
    expect(reasons(cluster)).toEqual([]);
  });
});
