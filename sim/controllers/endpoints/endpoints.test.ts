import { expect, test } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { world } from '../workload/workload-world.fixture.ts';

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
