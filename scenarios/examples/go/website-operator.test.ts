/**
 * Operators in Go that know nothing of kubesim, in tests: one on nothing but the standard library, which lies packed beside
 * its source, and one on controller-runtime, which is tested where it was built:
 * `kubesim go-build -C controller-runtime -o controller-runtime/operator.wasm`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { createCluster, goProgram, runTwice, seconds } from 'kubesim';
import { applyFiles, expect, test } from 'kubesim/vitest';
import { describe } from 'vitest';

const WEBSITES = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
} as const;
type Cluster = Parameters<typeof applyFiles>[0];

const website = (page: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name: 'web', namespace: 'default' },
  spec: { page },
});
const pagePatch = (page: string) => ({ type: 'merge', body: { spec: { page } } }) as const;
const pages = (page: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'default' },
  data: { 'index.html': page },
});
const websitesOf = (cluster: Cluster) => cluster.guests.client.resource(WEBSITES);

function moduleOf(operator: string): Uint8Array | undefined {
  const file = join(import.meta.dirname, operator, 'operator.wasm');
  if (existsSync(file)) return readFileSync(file);
  return existsSync(`${file}.br`) ? brotliDecompressSync(readFileSync(`${file}.br`)) : undefined;
}

/** Long enough for a runtime of Go that is compiled while it starts, on a machine that has other things to do. */
const PATIENCE = { patienceMs: 60_000 };

const built = ['standard-library', 'controller-runtime'].flatMap((operator) => {
  const module = moduleOf(operator);
  return module ? [{ operator, module }] : [];
});

describe.each(built)('an operator on $operator', ({ module }) => {
  const lines: string[] = [];
  const program = goProgram({ module, output: (line) => void lines.push(line) });
  const begin = async (cluster: Cluster): Promise<void> => {
    lines.length = 0;
    await applyFiles(cluster, join(import.meta.dirname, 'website-definition.json'));
    cluster.guest('operator', program, PATIENCE);
    await websitesOf(cluster).create(website('hello'));
  };

  test('keeps the pages of a website', async ({ cluster }) => {
    await begin(cluster);
    await expect(cluster).eventually.toHaveObject(pages('hello'));
    await websitesOf(cluster).patch('web', pagePatch('welcome'));
    await expect(cluster).eventually.toHaveObject(pages('welcome'));
    await expect(cluster).toConverge();
  });

  test('goes on after a crash, lost answers and a server that was away', async ({ cluster }) => {
    await begin(cluster);
    cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 30, resets: true });
    await cluster.guests.advance(seconds(3));
    cluster.faults.crash('guest/operator');
    await cluster.guests.advance(seconds(1));
    cluster.faults.restart('guest/operator');
    await cluster.guests.advance(seconds(20));
    cluster.faults.crash('apiserver/0');
    await cluster.guests.advance(seconds(30));
    cluster.faults.restart('apiserver/0');
    cluster.faults.allowRequests({ actor: 'guest/operator' });
    await cluster.guests.advance(seconds(10));
    await websitesOf(cluster).patch('web', pagePatch('back'));
    await expect(cluster).eventually.toHaveObject(pages('back'));
  });

  test('does the same in two runs of one seed, to the last line of its log', async () => {
    const told: string[][] = [];
    const verdict = await runTwice(async (trace) => {
      const cluster = createCluster({ seed: 7, trace });
      await begin(cluster);
      await cluster.guests.advance(seconds(60));
      told.push([...lines]);
    });
    expect(verdict).toMatchObject({ kind: 'same' });
    expect(told[1]).toEqual(told[0]);
  });
});
