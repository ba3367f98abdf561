import { expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

const LABEL = 'kube-aggregator.kubernetes.io/automanaged';

it('a server that starts anew registers its versions again, as they were, where somebody has not taken them over', () => {
  const cluster = createCluster({ settled: true });
  const services = cluster.client.apiServices;
  services.delete('v1.apps');
  const change = (name: string, spec: object, labels?: object | null): void => {
    services.patch(name, {
      type: 'merge',
      body: { spec, ...(labels !== undefined && { metadata: { labels } }) },
    });
  };
  change('v1.batch', { groupPriorityMinimum: 900 });
  change('v1.policy', { groupPriorityMinimum: 18_000 }, null);
  change('v1.storage.k8s.io', { versionPriority: 700 }, { [LABEL]: 'true' });
  change('v1.events.k8s.io', { versionPriority: 77 }, { [LABEL]: 'foo' });
  const spec = { group: 'old.k8s.io', version: 'v1', groupPriorityMinimum: 5, versionPriority: 6 };
  for (const [group, label] of [
    ['old.k8s.io', 'onstart'],
    ['foo.k8s.io', 'foo'],
  ] as const)
    services.create({
      metadata: { name: `v1.${group}`, labels: { [LABEL]: label } },
      spec: { ...spec, group },
    });
  cluster.advance(seconds(5));
  const isThere = (name: string): boolean =>
    services.list().items.some(({ metadata }) => metadata.name === name);
  expect(isThere('v1.apps')).toBe(false);
  expect(services.get('v1.storage.k8s.io').spec?.versionPriority).toBe(700);
  cluster.faults.crash('apiserver/0');
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(5));
  expect(services.get('v1.apps').spec?.groupPriorityMinimum).toBe(17_800);
  expect(services.get('v1.batch').spec?.groupPriorityMinimum).toBe(17_400);
  expect(services.get('v1.policy').spec?.groupPriorityMinimum).toBe(18_000);
  expect(services.get('v1.storage.k8s.io')).toMatchObject({
    metadata: { labels: { [LABEL]: 'true' } },
    spec: { versionPriority: 15 },
  });
  expect(services.get('v1.events.k8s.io').spec?.versionPriority).toBe(77);
  expect(isThere('v1.old.k8s.io')).toBe(false);
  expect(isThere('v1.foo.k8s.io')).toBe(true);
});
