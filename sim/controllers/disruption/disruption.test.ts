import { describe, expect, it } from 'vitest';
import { formatTime } from '../../api/time-format.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { deployment, eventTexts, podsOf, ready, world } from '../workload/workload-world.fixture.ts';

const WITHIN = { within: minutes(2) };

function budget(cluster: Cluster, spec: object): void {
  cluster.client.podDisruptionBudgets.create({
    metadata: { name: 'guard' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  });
}

const statusOf = (cluster: Cluster) => cluster.client.podDisruptionBudgets.get('guard').status;
const evict = (cluster: Cluster, name: string) =>
  cluster.client.pods.create(
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
    { subresource: 'eviction' },
  );

describe('a PodDisruptionBudget', () => {
  it('allows as many disruptions as leave enough pods healthy, and no more', () => {
    const cluster = world();
    budget(cluster, { minAvailable: '60%' });
    deployment(cluster, { replicas: 3 });
    cluster.eventually(() => statusOf(cluster)?.disruptionsAllowed === 1, WITHIN);
    expect(statusOf(cluster)).toMatchObject({ expectedPods: 3, desiredHealthy: 2, currentHealthy: 3 });
    const [first, second] = podsOf(cluster).map(({ metadata }) => metadata.name ?? '');
    evict(cluster, first ?? '');
    expect(() => evict(cluster, second ?? '')).toThrow(/disruption budget/);
    cluster.eventually(() => statusOf(cluster)?.disruptionsAllowed === 1, WITHIN);
    expect(ready(cluster)).toHaveLength(3);
  });

  it('gives back what an eviction took whose pod did not go', () => {
    const cluster = world();
    budget(cluster, { maxUnavailable: 1 });
    deployment(cluster, { replicas: 2 });
    cluster.eventually(() => statusOf(cluster)?.disruptionsAllowed === 1, WITHIN);
    const { name = '' } = podsOf(cluster)[0]?.metadata ?? {};
    const { metadata, status } = cluster.client.podDisruptionBudgets.get('guard');
    const disruptedPods = { [name]: metadata.creationTimestamp ?? '' };
    const body = { status: { ...status, disruptionsAllowed: 0, disruptedPods } };
    cluster.client.podDisruptionBudgets.patch('guard', { type: 'merge', body }, { subresource: 'status' });
    cluster.advance(minutes(3));
    expect(statusOf(cluster)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2 });
    expect(statusOf(cluster)?.disruptedPods).toBeUndefined();
  });

  it('says of pods that nobody controls how it was meant to select them', () => {
    const cluster = world();
    const matchExpressions = [{ key: 'tier', operator: 'NotIn', values: ['a', 'b'] }];
    budget(cluster, {
      maxUnavailable: 1,
      selector: { matchLabels: { app: 'web', a: 'b' }, matchExpressions },
    });
    cluster.client.pods.create({
      metadata: { name: 'loose', labels: { app: 'web', a: 'b' } },
      spec: { containers: [{ name: 'main', image: 'app:1' }] },
    });
    cluster.advance(seconds(5));
    expect(eventTexts(cluster, 'guard')).toContainEqual(
      expect.stringContaining(
        'UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{a: b,app: web,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:NotIn,Values:[a b],},},}) were found to be unmanaged.',
      ),
    );
  });

  it('allows nothing where nobody can say how many pods there should be', () => {
    const cluster = world();
    const metadata = { name: 'loose', labels: { app: 'web' } };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', controller: true };
    const { uid = '' } = cluster.client.configMaps.get(owner.name).metadata;
    cluster.client.pods.create({
      metadata: { ...metadata, ownerReferences: [{ ...owner, uid }] },
      spec: { containers: [{ name: 'main', image: 'app:1' }] },
    });
    budget(cluster, { maxUnavailable: 1 });
    cluster.advance(seconds(5));
    expect(statusOf(cluster)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ reason: 'SyncFailed' }],
    });
    expect(eventTexts(cluster, 'guard')).toContain(
      'CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: configmaps does not implement the scale subresource',
    );
  });
});

it('a pod that was announced to be disrupted and did not go is so no more after two minutes', () => {
  const cluster = world();
  deployment(cluster, { replicas: 1 });
  cluster.eventually(() => ready(cluster).length === 1, WITHIN);
  const { name = '' } = podsOf(cluster)[0]?.metadata ?? {};
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime: formatTime(cluster.userClient.context.wallMs()),
  };
  cluster.client.pods.patch(
    name,
    { type: 'strategic', body: { status: { conditions: [condition] } } },
    { subresource: 'status' },
  );
  const announced = () =>
    cluster.client.pods.get(name).status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status;
  cluster.advance(seconds(100));
  expect(announced()).toBe('True');
  cluster.advance(seconds(30));
  expect(announced()).toBe('False');
});
