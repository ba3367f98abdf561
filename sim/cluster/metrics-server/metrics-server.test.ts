import { describe, expect, it } from 'vitest';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { type Micros, minutes, seconds } from '../../engine/time.ts';
import type { Cluster } from '../cluster.ts';
import { askAgent } from '../agent-user.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { createCluster } from '../create-cluster.ts';
import { type Metrics, NODE_METRICS, POD_METRICS } from './metrics-kinds.fixture.ts';

function begin(options: ClusterOptions = {}): Cluster {
  const cluster = createCluster({ nodes: 2, metricsServer: true, settled: true, ...options });
  cluster.advance(seconds(1));
  return cluster;
}

function run(cluster: Cluster, name: string, nodeName: string, cpuMillicores: number): void {
  cluster.client.pods.create({
    metadata: {
      name,
      labels: { app: 'web' },
      annotations: {
        'behaviour.kubesim.dev/main': JSON.stringify({ cpuMillicores, memoryBytes: 64 * 2 ** 20 }),
      },
    },
    spec: { nodeName, containers: [{ name: 'main', image: 'web:1' }] },
  });
  cluster.eventually(() => cluster.client.pods.get(name).status?.phase === 'Running');
  cluster.advance(seconds(20));
}

const list = (cluster: Cluster, of: ResourceHandle<Metrics>, labelSelector?: string): readonly Metrics[] =>
  cluster.finish(
    cluster.userClient.list(of, {
      ...(of.isNamespaced && { namespace: 'default' }),
      ...(labelSelector !== undefined && { labelSelector }),
    }),
  ).items;

const availability = (cluster: Cluster) =>
  cluster.client.apiServices.get('v1beta1.metrics.k8s.io').status?.conditions?.[0];

describe('the metrics server', () => {
  it('tells what pods and nodes use', () => {
    const cluster = begin({ authorizationMode: 'RBAC' });
    run(cluster, 'a', 'worker-1', 250);
    const [pod] = list(cluster, POD_METRICS);
    expect(pod).toMatchObject({
      kind: 'PodMetrics',
      metadata: { name: 'a', namespace: 'default', labels: { app: 'web' } },
      containers: [
        { name: 'main', usage: { cpu: expect.stringMatching(/^(250m|249999999n)$/), memory: '64Mi' } },
      ],
    });
    expect(list(cluster, NODE_METRICS)).toMatchObject([
      {
        kind: 'NodeMetrics',
        metadata: { name: 'worker-1' },
        usage: { cpu: expect.stringMatching(/^2(79|80)/) },
      },
      { metadata: { name: 'worker-2' }, usage: { cpu: expect.stringMatching(/^(29|30)/) } },
    ]);
    expect(list(cluster, POD_METRICS, 'app=other')).toEqual([]);
    expect(
      cluster.finish(cluster.userClient.get(POD_METRICS, { namespace: 'default', name: 'a' })).kind,
    ).toBe('PodMetrics');
  });

  it('is found by discovery, and available', () => {
    const cluster = begin();
    expect(availability(cluster)).toMatchObject({ status: 'True', reason: 'Passed' });
  });

  it('leaves out a node whose agent does not answer, until it does', () => {
    const cluster = begin();
    run(cluster, 'a', 'worker-1', 100);
    const names = (): readonly unknown[] => list(cluster, NODE_METRICS).map(({ metadata }) => metadata.name);
    cluster.faults.partition('worker-1', { from: 'metrics-server' });
    expect(names()).toEqual(['worker-2']);
    expect(list(cluster, POD_METRICS)).toEqual([]);
    cluster.faults.heal('worker-1', { from: 'metrics-server' });
    // Two readings make a usage.
    cluster.advance(seconds(45));
    expect(names()).toEqual(['worker-1', 'worker-2']);
  });

  it('that is gone is not available, and is again when it is back', () => {
    const cluster = begin();
    cluster.faults.crash('metrics-server');
    expect(() => list(cluster, NODE_METRICS)).toThrow(
      'error trying to reach service: dial tcp 10.96.0.5:443',
    );
    cluster.advance(seconds(31));
    expect(availability(cluster)).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' });
    expect(() => list(cluster, NODE_METRICS)).toThrow('service unavailable');
    cluster.faults.restart('metrics-server');
    cluster.advance(seconds(31));
    expect(availability(cluster)).toMatchObject({ status: 'True' });
    expect(list(cluster, NODE_METRICS)).toHaveLength(2);
  });

  it('tells what was used between its last two readings, at whatever part of a millisecond it reads', () => {
    const cluster = begin({ nodes: 1 });
    run(cluster, 'a', 'worker-1', 250);
    for (let part = 0; part < 4; part++) {
      list(cluster, POD_METRICS);
      cluster.advance((seconds(20) + 300) as Micros);
      expect(list(cluster, POD_METRICS)).toMatchObject([
        { window: expect.stringMatching(/^15(?:\.0\d+)?s$/) },
      ]);
    }
  });

  it('rests when nobody asks', () => {
    const cluster = begin();
    list(cluster, NODE_METRICS);
    cluster.advance(minutes(5));
    const readings = (): string | undefined =>
      /path="metrics\/resource"[^}]*} (\d+)/.exec(
        String(askAgent(cluster, 'worker-1', { method: 'GET', path: '/metrics' })?.body),
      )?.[1];
    const before = readings();
    expect(before).toMatch(/^\d+$/);
    cluster.advance(minutes(5));
    expect(readings()).toBe(before);
  });
});

describe('an autoscaler', () => {
  const conditions = (cluster: Cluster) =>
    cluster.client.horizontalPodAutoscalers.get('web').status?.conditions ?? [];
  const load = (cpuMillicores: number): object => ({
    'behaviour.kubesim.dev/main': JSON.stringify({ cpuMillicores }),
  });

  function scaling(cluster: Cluster): void {
    const containers = [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '100m' } } }];
    cluster.client.deployments.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' }, annotations: { ...load(160) } },
          spec: { containers },
        },
      },
    });
    cluster.client.horizontalPodAutoscalers.create({
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 6,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
    });
  }

  it('scales by what the metrics server tells, as its own user', () => {
    const cluster = begin({ authorizationMode: 'RBAC' });
    scaling(cluster);
    cluster.eventually(() => cluster.client.deployments.get('web').spec?.replicas === 4);
    expect(conditions(cluster)).toMatchObject([
      { type: 'AbleToScale', status: 'True' },
      { type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound' },
      { type: 'ScalingLimited' },
    ]);
  });

  it('that gets no metrics says so, and goes on when there are some', () => {
    const cluster = begin();
    cluster.faults.crash('metrics-server');
    scaling(cluster);
    const why =
      'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)';
    cluster.eventually(() =>
      conditions(cluster).some(
        ({ type, status, message }) => type === 'ScalingActive' && status === 'False' && message === why,
      ),
    );
    expect(cluster.client.deployments.get('web').spec?.replicas).toBe(2);
    cluster.faults.restart('metrics-server');
    cluster.eventually(() => cluster.client.deployments.get('web').spec?.replicas === 4);
  });
});
