/** How one tests an operator with kubesim and vitest: the good case, faults with many seeds, and drawn values. */
import { join } from 'node:path';
import fc from 'fast-check';
import { seconds } from 'kubesim';
import { applyFiles, expect, test } from 'kubesim/vitest';
import { WEBSITES, type Website, websiteOperator } from './website-operator.ts';

type Cluster = Parameters<typeof applyFiles>[0];

const website = (replicas: number): Website => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name: 'web', namespace: 'default' },
  spec: { image: 'web:1', replicas },
});
const showing = (readyReplicas: number) => ({ ...website(readyReplicas), status: { readyReplicas } });

async function withOperator(cluster: Cluster, replicas: number): Promise<void> {
  await applyFiles(cluster, join(import.meta.dirname, 'website-definition.json'));
  cluster.guest('operator', websiteOperator);
  await cluster.guests.client.resource<Website>(WEBSITES).create(website(replicas));
}

test.override({ clusterOptions: { nodes: 2 } });

test('a website gets its pods, says so, and leaves nothing behind', async ({ cluster }) => {
  await withOperator(cluster, 3);
  await expect(cluster).eventually.toHaveObject(showing(3));
  await expect(cluster).toConverge();
  await cluster.guests.client.resource(WEBSITES).delete('web');
  // The garbage collector looks for new kinds twice a minute.
  const { pods } = cluster.guests.client;
  await cluster.guests.eventually(async () => (await pods.list({ namespace: 'default' })).items.length === 0);
});

test.seeds(10, { nodes: 2 })(
  'it survives crashes, late caches and lost answers',
  async ({ cluster, seed }) => {
    await withOperator(cluster, 2);
    cluster.lagWatchCaches(seconds(seed % 4));
    cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 30 });
    cluster.faults.crash('guest/operator');
    await cluster.guests.advance(seconds(1));
    cluster.faults.restart('guest/operator');
    await cluster.guests.advance(seconds(5));
    cluster.faults.allowRequests({ actor: 'guest/operator' });
    cluster.lagWatchCaches(seconds(0));
    await expect(cluster).eventually.toHaveObject(showing(2));
    await expect(cluster).toConverge();
  },
  // Real milliseconds for all seeds, on a busy machine.
  60_000,
);

test.property(
  'whatever is asked for last is what comes to be',
  [fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }), fc.nat(3)],
  async ({ cluster }, sizes, pause) => {
    await withOperator(cluster, 1);
    for (const replicas of sizes) {
      await cluster.guests.client
        .resource(WEBSITES)
        .patch('web', { type: 'merge', body: { spec: { replicas } } });
      await cluster.guests.advance(seconds(pause));
    }
    await expect(cluster).eventually.toHaveObject(showing(sizes.at(-1) ?? 0));
  },
  { nodes: 1, numRuns: 10 },
);
