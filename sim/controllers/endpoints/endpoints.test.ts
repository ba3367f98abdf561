import { expect, test } from 'vitest';
import { seconds } from '../../engine/time.ts';
import type { Pod, Service } from '../../api/types/core-v1.ts';
import { world } from '../workload/workload-world.fixture.ts';
import { subsetsOf } from './subsets.ts';

test('pods that share an address stand in one order, whoever was heard of first', () => {
  const podCalled = (name: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid of ${name}` },
    spec: { nodeName: 'n', containers: [] },
    status: { podIP: '192.0.2.7', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const pods = ['b', 'c', 'a'].map(podCalled);
  const spec = { ports: [{ port: 80 }] };
  const service: Service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
  const [subset] = subsetsOf(service, pods);
  expect(subset?.addresses?.map(({ targetRef }) => targetRef?.name)).toEqual(['a', 'b', 'c']);
});

test('nobody complains of Endpoints that cannot be made in a namespace that ends, or tries again', () => {
  const cluster = world({ trace: { keeps: Infinity } });
  const { endpoints, namespaces, services } = cluster.client;
  namespaces.create({ metadata: { name: 'old' } });
  services.create({
    metadata: { name: 'web', namespace: 'old', finalizers: ['example.com/hold'] },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  cluster.eventually(() => endpoints.get({ name: 'web', namespace: 'old' }));
  const tries = (): number =>
    cluster.trace
      .records(Infinity)
      .filter(({ kind, subject }) => kind === 'POST' && subject === '/api/v1/namespaces/old/endpoints')
      .length;
  const before = tries();
  namespaces.delete('old');
  cluster.advance(seconds(20));
  expect(services.get({ name: 'web', namespace: 'old' }).metadata.deletionTimestamp).toBeDefined();
  expect(tries() - before).toBeLessThan(3);
});
