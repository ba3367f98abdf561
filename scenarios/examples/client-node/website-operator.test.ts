/** An operator that knows nothing of kubesim, in a test: three lines put it into the cluster and drive it. */
import { join } from 'node:path';
import { seconds } from 'kubesim';
import { applyFiles, expect, test } from 'kubesim/vitest';

const WEBSITES = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
} as const;
type Cluster = Parameters<typeof applyFiles>[0];

const website = (replicas: number, name = 'web') => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name, namespace: 'default' },
  spec: { image: 'web:1', replicas },
});
const showing = (readyReplicas: number, name?: string) => ({
  ...website(readyReplicas, name),
  status: { readyReplicas },
});

async function withOperator(cluster: Cluster): Promise<void> {
  await applyFiles(cluster, join(import.meta.dirname, '../vitest/website-definition.json'));
  cluster.guest('operator', () => import('./website-operator.ts'));
}

test.override({ clusterOptions: { nodes: 2 } });

test('a website gets its pods and says so', async ({ cluster }) => {
  await withOperator(cluster);
  await cluster.guests.client.resource(WEBSITES).create(website(3));
  await expect(cluster).eventually.toHaveObject(showing(3));
});

test.seeds(3, { nodes: 2 })('it survives a crash and lost answers', async ({ cluster, seed }) => {
  await withOperator(cluster);
  await cluster.guests.client.resource(WEBSITES).create(website(2));
  cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 30, resets: true });
  await cluster.guests.advance(seconds(1 + (seed % 3)));
  cluster.faults.crash('guest/operator');
  await cluster.guests.advance(seconds(1));
  cluster.faults.restart('guest/operator');
  await cluster.guests.advance(seconds(5));
  cluster.faults.allowRequests({ actor: 'guest/operator' });
  await expect(cluster).eventually.toHaveObject(showing(2));
});
