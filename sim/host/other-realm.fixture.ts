/** A test for runners that give tests a global object of their own: see `other-realm.test.ts`. */
import { expect, test } from 'vitest';
import { createCluster, seconds } from '../index.ts';

test('guests have their turns, be they functions or modules, and a second life', async () => {
  const cluster = createCluster({ seed: 7 });
  let rounds = 0;
  cluster.guest('counting', async ({ client }) => {
    for (;;) {
      await client.configMaps.list();
      rounds++;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
  cluster.guest('operator', () => import('./five-objects.fixture.ts'));
  await cluster.guests.advance(seconds(5));
  cluster.faults.crash('guest/operator');
  cluster.faults.restart('guest/operator');
  await cluster.guests.advance(seconds(5));
  expect(rounds).toBe(10);
  const { items } = await cluster.guests.client.secrets.list({ namespace: 'default' });
  expect(items).toHaveLength(5);
});

test('one that never rests is broken off', async () => {
  const cluster = createCluster({ seed: 7 });
  cluster.guest(
    'endless',
    async () => {
      for (;;) await Promise.resolve();
    },
    { patienceMs: 300 },
  );
  await expect(cluster.guests.advance(seconds(5))).rejects.toThrow('never rests');
});
