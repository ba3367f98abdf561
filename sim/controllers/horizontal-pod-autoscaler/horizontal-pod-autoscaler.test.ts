import { describe, expect, it } from 'vitest';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import {
  deployment,
  eventTexts,
  podsOf,
  ready,
  template,
  world,
} from '../workload/workload-world.fixture.ts';
import { POD_METRICS, serveMetrics, usageNow } from './pod-metrics.fixture.ts';

const WITHIN = { within: minutes(2) };
const MANAGER = 'controller-manager/0';
const USER = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';

const statusOf = (cluster: Cluster) => cluster.client.horizontalPodAutoscalers.get('web').status;
const replicasOf = (cluster: Cluster) => cluster.client.deployments.get('web').spec?.replicas;
const conditionOf = (cluster: Cluster, type: string) =>
  statusOf(cluster)?.conditions?.find((one) => one.type === type);

function scaled(cluster: Cluster, replicas: number): Cluster {
  const { spec, ...rest } = template();
  const containers = (spec?.containers ?? []).map((one) => ({
    ...one,
    resources: { requests: { cpu: '100m' } },
  }));
  deployment(cluster, { replicas, template: { ...rest, spec: { ...spec, containers } } });
  cluster.eventually(() => ready(cluster).length === replicas, WITHIN);
  return cluster;
}

function autoscaler(cluster: Cluster, spec: object = {}, name = 'web'): void {
  cluster.client.horizontalPodAutoscalers.create({
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      ...spec,
    },
  });
}

/** All pods use so much. */
function use(cluster: Cluster, cpu: string): void {
  const metrics = cluster.client.resource(POD_METRICS);
  for (const { metadata } of metrics.list({ namespace: 'default' }).items)
    metrics.delete(metadata.name ?? '');
  for (const { metadata } of podsOf(cluster)) {
    const facts = usageNow(cluster, 'main', cpu);
    metrics.create({ metadata: { name: metadata.name ?? '', labels: metadata.labels ?? {} }, ...facts });
  }
}

const UNSERVED =
  'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';

describe('an autoscaler without metrics', () => {
  it('says that nobody serves them', () => {
    const cluster = scaled(world(), 2);
    autoscaler(cluster);
    cluster.advance(seconds(16));
    expect(statusOf(cluster)).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 0,
      currentMetrics: [{ type: '' }],
    });
    expect(conditionOf(cluster, 'AbleToScale')).toMatchObject({
      status: 'True',
      reason: 'SucceededGetScale',
    });
    expect(conditionOf(cluster, 'ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'FailedGetResourceMetric',
      message: `the HPA was unable to compute the replica count: ${UNSERVED}`,
    });
    expect(eventTexts(cluster, 'web')).toContain(`FailedGetResourceMetric: ${UNSERVED}`);
    expect(eventTexts(cluster, 'web')).toContain(
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${UNSERVED}`,
    );
    const { resourceVersion } = cluster.client.horizontalPodAutoscalers.get('web').metadata;
    cluster.advance(minutes(2));
    expect(cluster.client.horizontalPodAutoscalers.get('web').metadata.resourceVersion).toBe(resourceVersion);
  });

  it.each([
    [4, { maxReplicas: 2 }, 2, 'Current number of replicas above Spec.MaxReplicas'],
    [1, { minReplicas: 3 }, 3, 'Current number of replicas below Spec.MinReplicas'],
  ])('brings %i back into its bounds', (replicas, spec, size, reason) => {
    const cluster = scaled(world(), replicas);
    autoscaler(cluster, spec);
    cluster.advance(seconds(16));
    expect(replicasOf(cluster)).toBe(size);
    expect(eventTexts(cluster, 'web')).toContain(`SuccessfulRescale: New size: ${size}; reason: ${reason}`);
    expect(statusOf(cluster)).toMatchObject({ currentReplicas: replicas, desiredReplicas: size });
  });

  it('leaves a target at 0 alone', () => {
    const cluster = scaled(world(), 0);
    autoscaler(cluster);
    cluster.advance(minutes(1));
    expect(replicasOf(cluster)).toBe(0);
    expect(conditionOf(cluster, 'ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'ScalingDisabled',
    });
  });

  it.each([
    [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, 'deployments/scale.apps "web" not found'],
    [
      { apiVersion: 'apps/v1', kind: 'Nothing', name: 'web' },
      'no matches for kind "Nothing" in group "apps"',
    ],
    [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt' },
      'the server could not find the requested resource (get configmaps kube-root-ca.crt)',
    ],
  ])('says that it has no target, and finds it later: %o', (scaleTargetRef, message) => {
    const cluster = world();
    autoscaler(cluster, { scaleTargetRef, minReplicas: 2 });
    cluster.advance(seconds(16));
    expect(conditionOf(cluster, 'AbleToScale')).toMatchObject({
      status: 'False',
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: ${message}`,
    });
    scaled(cluster, 1);
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    cluster.client.horizontalPodAutoscalers.patch('web', {
      type: 'merge',
      body: { spec: { scaleTargetRef: target } },
    });
    cluster.advance(seconds(16));
    expect(replicasOf(cluster)).toBe(2);
  });

  it('does nothing where two claim the same pods', () => {
    const cluster = scaled(world(), 2);
    autoscaler(cluster);
    autoscaler(cluster, {}, 'web-2');
    cluster.advance(seconds(40));
    expect(conditionOf(cluster, 'ScalingActive')).toMatchObject({
      reason: 'AmbiguousSelector',
      message: 'pods by selector app=web are controlled by multiple HPAs: [{web default} {web-2 default}]',
    });
    cluster.client.horizontalPodAutoscalers.delete('web-2');
    cluster.advance(seconds(40));
    expect(conditionOf(cluster, 'ScalingActive')?.reason).toBe('FailedGetResourceMetric');
  });
});

describe('an autoscaler with metrics', () => {
  it('follows them up at once, and down after five minutes', () => {
    const cluster = scaled(world(), 2);
    serveMetrics(cluster);
    cluster.advance(minutes(5));
    use(cluster, '160m');
    autoscaler(cluster);
    cluster.advance(seconds(16));
    expect(replicasOf(cluster)).toBe(4);
    expect(statusOf(cluster)?.currentMetrics).toEqual([
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageUtilization: 160, averageValue: '160m' } },
      },
    ]);
    expect(conditionOf(cluster, 'ScalingActive')?.reason).toBe('ValidMetricFound');
    expect(conditionOf(cluster, 'ScalingLimited')?.reason).toBe('DesiredWithinRange');
    expect(eventTexts(cluster, 'web')).toContain(
      'SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
    cluster.eventually(() => ready(cluster).length === 4, WITHIN);
    use(cluster, '20m');
    cluster.advance(minutes(4));
    expect(replicasOf(cluster)).toBe(4);
    expect(conditionOf(cluster, 'AbleToScale')?.reason).toBe('ScaleDownStabilized');
    cluster.advance(minutes(2));
    expect(replicasOf(cluster)).toBe(1);
    expect(eventTexts(cluster, 'web')).toContain(
      'SuccessfulRescale: New size: 1; reason: All metrics below target',
    );
  });

  it('scales when it may write again, and after a restart', () => {
    const cluster = scaled(world(), 2);
    serveMetrics(cluster);
    cluster.advance(minutes(5));
    use(cluster, '160m');
    cluster.faults.failWrites({ user: USER });
    autoscaler(cluster);
    cluster.advance(seconds(40));
    expect(replicasOf(cluster)).toBe(2);
    cluster.faults.allowWrites({ user: USER });
    cluster.faults.crash(MANAGER);
    cluster.advance(minutes(1));
    expect(replicasOf(cluster)).toBe(2);
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect(replicasOf(cluster)).toBe(4);
    expect(statusOf(cluster)).toMatchObject({ desiredReplicas: 4 });
  });

  it('does not go down while one of its metrics is missing, but up', () => {
    const cluster = scaled(world(), 2);
    serveMetrics(cluster);
    cluster.advance(minutes(5));
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '100m' } },
    };
    const missing = {
      type: 'Pods',
      pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '1' } },
    };
    use(cluster, '10m');
    autoscaler(cluster, { behavior, metrics: [missing, cpu] });
    cluster.advance(seconds(20));
    expect(replicasOf(cluster)).toBe(2);
    expect(conditionOf(cluster, 'ScalingActive')?.reason).toBe('FailedGetPodsMetric');
    use(cluster, '200m');
    cluster.advance(seconds(20));
    expect(replicasOf(cluster)).toBe(4);
  });
});

/** Values of something outside: here as custom resources. */
const QUEUE: ResourceHandle = {
  ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', resource: 'queue', kind: 'Value' },
  isNamespaced: true,
};

function serveQueue(cluster: Cluster, value: string): void {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  cluster.client.customResourceDefinitions.create({
    metadata: {
      name: 'queue.external.metrics.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group: QUEUE.group,
      scope: 'Namespaced',
      names: { plural: 'queue', kind: 'Value' },
      versions: [{ name: QUEUE.version, served: true, storage: true, schema }],
    },
  });
  cluster.advance(seconds(2));
  for (const [name, worker] of [
    ['one', 'a'],
    ['other', 'b'],
  ] as const)
    cluster.client.resource(QUEUE).create({ metadata: { name, labels: { worker } }, value });
}

describe('an autoscaler by what is outside', () => {
  const external = (target: object, selector?: object) => ({
    type: 'External',
    external: { metric: { name: 'queue', ...(selector && { selector }) }, target },
  });

  it('goes by the sum of its values', () => {
    const cluster = scaled(world(), 2);
    serveQueue(cluster, '5');
    autoscaler(cluster, { metrics: [external({ type: 'AverageValue', averageValue: '2500m' })] });
    cluster.advance(seconds(17));
    expect(replicasOf(cluster)).toBe(4);
    expect(statusOf(cluster)?.currentMetrics).toEqual([
      { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '5' } } },
    ]);
    expect(conditionOf(cluster, 'ScalingActive')?.message).toBe(
      'the HPA was able to successfully calculate a replica count from external metric queue(nil)',
    );
  });

  it('goes by those that it selects, and from no pods at all', () => {
    const cluster = scaled(world(), 0);
    serveQueue(cluster, '3');
    const selector = { matchLabels: { worker: 'a' } };
    autoscaler(cluster, { metrics: [external({ type: 'Value', value: '1' }, selector)], minReplicas: 1 });
    cluster.advance(seconds(17));
    expect(replicasOf(cluster)).toBe(0);
    cluster.client.deployments.patch('web', { type: 'merge', body: { spec: { replicas: 1 } } });
    cluster.eventually(() => ready(cluster).length === 1, WITHIN);
    cluster.advance(seconds(17));
    expect(replicasOf(cluster)).toBe(3);
  });

  it('says that nobody serves them, in the words of a real one', () => {
    const cluster = scaled(world(), 1);
    const selector = { matchLabels: { worker: 'a' } };
    autoscaler(cluster, { metrics: [external({ type: 'Value', value: '1' }, selector)] });
    cluster.advance(seconds(17));
    const asked =
      'default/queue/&LabelSelector{MatchLabels:map[string]string{worker: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
    const message = `unable to get external metric ${asked}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)`;
    expect(eventTexts(cluster, 'web')).toContain(`FailedGetExternalMetric: ${message}`);
    expect(eventTexts(cluster, 'web')).toContain(
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get queue external metric value: failed to get external metric queue: ${message}`,
    );
  });
});

describe('an autoscaler that goes', () => {
  it('is nobody’s rival, though it went while it was looked at', () => {
    const cluster = scaled(world(), 1);
    serveMetrics(cluster);
    autoscaler(cluster, {}, 'other');
    cluster.advance(seconds(14));
    for (let step = 0; step < 2_000; step += 1) {
      cluster.advance(milliseconds(1));
      if (cluster.client.horizontalPodAutoscalers.get('other').status?.conditions) break;
    }
    cluster.client.horizontalPodAutoscalers.delete('other');
    autoscaler(cluster);
    cluster.advance(seconds(40));
    expect(conditionOf(cluster, 'ScalingActive')?.reason).not.toBe('AmbiguousSelector');
  });

  it('and comes back before its next round goes on with what it had recommended', () => {
    const cluster = scaled(world(), 4);
    serveMetrics(cluster);
    cluster.advance(minutes(5));
    use(cluster, '100m');
    const behavior = { scaleDown: { stabilizationWindowSeconds: 120 } };
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '100m' } } },
    ];
    autoscaler(cluster, { behavior, metrics });
    cluster.advance(seconds(17));
    cluster.client.horizontalPodAutoscalers.delete('web');
    cluster.client.deployments.patch('web', { type: 'merge', body: { spec: { replicas: 3 } } });
    cluster.advance(seconds(5));
    use(cluster, '10m');
    autoscaler(cluster, { behavior, metrics });
    cluster.advance(seconds(17));
    expect(conditionOf(cluster, 'AbleToScale')?.reason).toBe('ScaleDownStabilized');
  });
});
