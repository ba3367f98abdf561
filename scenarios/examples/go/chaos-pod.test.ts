/**
 * A mistake in an operator that nobody here has written: `examples/crd` of controller-runtime 0.19.4, as it is published. It
 * keeps a pod for every ChaosPod and writes into it when the pod is to be replaced, 10 or 20 s from then. It makes the pod first,
 * and tells afterwards: if it hears of the pod before it hears of what it has told, it finds the last stop in its cache, which
 * is past, and deletes the pod that it has just made. Tested where it was built:
 * `kubesim go-build -C controller-runtime sigs.k8s.io/controller-runtime/examples/crd -o chaos-pod/operator.wasm`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiObject, BUILTIN_HANDLES, goProgram, seconds } from 'kubesim';
import { applyFiles, expect, test } from 'kubesim/vitest';
import { describe } from 'vitest';

const FOLDER = join(import.meta.dirname, 'chaos-pod');
const MODULE = join(FOLDER, 'operator.wasm');
const CHAOS_PODS = {
  group: 'chaosapps.metamagical.io',
  version: 'v1',
  resource: 'chaospods',
  kind: 'ChaosPod',
  isNamespaced: true,
} as const;
const CHAOS_POD = {
  apiVersion: 'chaosapps.metamagical.io/v1',
  kind: 'ChaosPod',
  metadata: { name: 'chaos', namespace: 'default' },
  spec: {
    nextStop: '2025-01-01T00:00:00Z',
    template: { spec: { containers: [{ name: 'main', image: 'any' }] } },
  },
};
type Cluster = Parameters<typeof applyFiles>[0];

/** How long the pods lived until they were to go, in seconds. */
async function livesIn(cluster: Cluster): Promise<readonly number[]> {
  const lives: number[] = [];
  await applyFiles(cluster, join(FOLDER, 'chaos-pod-definition.json'));
  await cluster.guests.client.resource(CHAOS_PODS).create(CHAOS_POD);
  cluster.guest('operator', goProgram({ module: MODULE }), { patienceMs: 120_000 });
  cluster.guest('observer', async ({ informer }) => {
    const changed = (pod: ApiObject, { metadata: before }: ApiObject): void => {
      const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
      if (deletionTimestamp === undefined || before.deletionTimestamp !== undefined) return;
      const spanMs = Date.parse(deletionTimestamp) - Date.parse(creationTimestamp ?? '');
      lives.push(spanMs / 1_000 - deletionGracePeriodSeconds);
    };
    await informer(BUILTIN_HANDLES.pods, { changed }).whenSynced();
  });
  await cluster.guests.advance(seconds(120));
  return lives;
}

describe.runIf(existsSync(MODULE))("the example of controller-runtime's own repository", () => {
  test.override({ clusterOptions: { nodes: 1 } });

  test('deletes pods that it has just made', async ({ cluster }) => {
    const lives = await livesIn(cluster);
    expect(lives.filter((span) => span >= 10).length).toBeGreaterThan(3);
    expect(lives).toContain(0);
  });
});
