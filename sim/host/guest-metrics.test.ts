/** A guest that serves metrics of its own: autoscalers go by what pods and objects have of them. */
import { expect, it } from 'vitest';
import { createCluster, minutes } from '../index.ts';
import type { GuestProgram } from './guest/guest-program.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const GROUP = 'custom.metrics.k8s.io/v1beta2';
const ROOT = `/apis/${GROUP}`;

const valueOf = (kind: string, name: string, value: string) => ({
  describedObject: { kind, namespace: 'default', name, apiVersion: 'v1' },
  metric: { name: 'hits' },
  timestamp: '2025-01-01T00:00:00Z',
  value,
});

const adapter =
  (asked: string[]): GuestProgram =>
  async ({ serve, client }) => {
    const json = (object: object) => ({ status: 200, body: { kind: 'object', object } }) as const;
    const list = (items: readonly object[]) =>
      json({ kind: 'MetricValueList', apiVersion: GROUP, metadata: {}, items });
    serve(443, async ({ path }) => {
      if (path === ROOT) return json({ kind: 'APIResourceList', groupVersion: GROUP, resources: [] });
      if (path.includes('/pods/')) {
        asked.push(decodeURIComponent(path));
        const pods = await client.pods.list({ namespace: 'default' });
        return list(pods.items.map(({ metadata }) => valueOf('Pod', metadata.name ?? '', '30')));
      }
      if (path.includes('/services/')) return list([valueOf('Service', 'adapter', '8')]);
      return json({});
    });
    await pause(3_600_000);
  };

const CONTAINER = { name: 'web', image: 'registry/web:1' };

it('an autoscaler follows metrics that somebody serves', async () => {
  const asked: string[] = [];
  const cluster = createCluster({ nodes: 1, seed: 3 });
  cluster.guest('adapter', adapter(asked));
  cluster.guest('user', async ({ client, request }) => {
    const { services, deployments, horizontalPodAutoscalers } = client;
    await services.create({
      metadata: { name: 'adapter', namespace: 'default' },
      spec: { ports: [{ port: 443 }] },
    });
    await request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      body: {
        metadata: { name: 'v1beta2.custom.metrics.k8s.io' },
        spec: {
          ...{ group: 'custom.metrics.k8s.io', version: 'v1beta2' },
          ...{ groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
          service: { namespace: 'default', name: 'adapter' },
        },
      },
    });
    for (const name of ['by-pods', 'by-object']) {
      const labels = { app: name };
      await deployments.create({
        metadata: { name, namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [CONTAINER] } },
        },
      });
    }
    const scale = (name: string, metric: object) =>
      horizontalPodAutoscalers.create({
        metadata: { name, namespace: 'default' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          maxReplicas: 9,
          metrics: [{ type: '', ...metric }],
        },
      });
    const metric = { name: 'hits', selector: { matchLabels: { verb: 'GET' } } };
    await scale('by-pods', {
      type: 'Pods',
      pods: { metric, target: { type: 'AverageValue', averageValue: '20' } },
    });
    await scale('by-object', {
      type: 'Object',
      object: {
        metric: { name: 'hits' },
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 'adapter' },
        target: { type: 'AverageValue', averageValue: '2' },
      },
    });
  });
  await cluster.guests.advance(minutes(1));
  const { client } = cluster.guests;
  const key = (name: string) => ({ namespace: 'default', name });
  const byPods = await client.horizontalPodAutoscalers.get(key('by-pods'));
  expect((await client.deployments.get(key('by-object'))).spec?.replicas).toBe(4);
  expect((await client.deployments.get(key('by-pods'))).spec?.replicas).toBeGreaterThan(2);
  expect(asked[0]).toBe(
    `${ROOT}/namespaces/default/pods/*/hits?labelSelector=app=by-pods&metricLabelSelector=verb=GET`,
  );
  expect(byPods.status?.currentMetrics).toMatchObject([
    { type: 'Pods', pods: { metric: { name: 'hits' }, current: { averageValue: '30' } } },
  ]);
});
