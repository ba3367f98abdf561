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
import { generate } from 'selfsigned';
import { describe } from 'vitest';

/** Of a webhook, where controller-runtime looks for it. */
const { cert, private: key } = await generate([{ name: 'commonName', value: 'operator.default.svc' }]);
const CERTIFICATE = {
  '/tmp/k8s-webhook-server/serving-certs/tls.crt': cert,
  '/tmp/k8s-webhook-server/serving-certs/tls.key': key,
};

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

/** The webhook of an operator, behind a Service of its name. */
async function installWebhook({ guests: { client } }: Cluster): Promise<void> {
  await client.services.create({
    metadata: { name: 'operator', namespace: 'default' },
    spec: { ports: [{ port: 443, targetPort: 9443 }] },
  });
  await client.validatingWebhookConfigurations.create({
    metadata: { name: 'operator' },
    webhooks: [
      {
        name: 'websites.example.com',
        clientConfig: { service: { namespace: 'default', name: 'operator', path: '/validate' } },
        rules: [
          { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*'], resources: ['websites'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

/** Long enough for a runtime of Go that is compiled while it starts, on a machine that has other things to do. */
const PATIENCE = { patienceMs: 60_000 };

const built = ['standard-library', 'controller-runtime'].flatMap((operator) => {
  const module = moduleOf(operator);
  return module ? [{ operator, module }] : [];
});

describe.each(built)('an operator on $operator', ({ module }) => {
  const lines: string[] = [];
  const program = goProgram({
    module,
    args: ['--webhook'],
    files: CERTIFICATE,
    output: (line) => void lines.push(line),
  });
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

  test('does the same from an image as when it is initialized by itself', async () => {
    const ends: unknown[] = [];
    for (const keepsImage of [true, false]) {
      const said: string[] = [];
      const output = (line: string): void => void said.push(line);
      const cluster = createCluster({ seed: 7 });
      await applyFiles(cluster, join(import.meta.dirname, 'website-definition.json'));
      cluster.guest(
        'operator',
        goProgram({ module, files: CERTIFICATE, args: ['--webhook'], output, keepsImage }),
        PATIENCE,
      );
      await websitesOf(cluster).create(website('hello'));
      for (let life = 1; life < 4; life++) {
        await cluster.guests.advance(seconds(7 * life));
        cluster.faults.crash('guest/operator');
        cluster.faults.restart('guest/operator');
      }
      await cluster.guests.advance(seconds(10));
      ends.push({ digest: cluster.digest, said });
    }
    expect(ends[0]).toEqual(ends[1]);
  });

  test('is asked on the ports that it listens on', async ({ cluster }) => {
    await begin(cluster);
    await installWebhook(cluster);
    await cluster.guests.advance(seconds(5));
    await expect(websitesOf(cluster).patch('web', pagePatch(''))).rejects.toThrow(
      'admission webhook "websites.example.com" denied the request: a website needs a page',
    );
    await websitesOf(cluster).patch('web', pagePatch('more'));
    const answers: string[] = [];
    cluster.guest('probe', async () => {
      const answer = await fetch('http://operator:8081/healthz');
      answers.push(`${answer.status} ${await answer.text()}`);
    });
    await cluster.guests.advance(seconds(1));
    expect(answers).toEqual([expect.stringMatching(/^200 ok/)]);
    cluster.faults.crash('guest/operator');
    await expect(websitesOf(cluster).patch('web', pagePatch('less'))).rejects.toThrow(
      'failed calling webhook',
    );
    cluster.faults.restart('guest/operator');
    await cluster.guests.advance(seconds(5));
    await expect(websitesOf(cluster).patch('web', pagePatch(''))).rejects.toThrow('a website needs a page');
  });
});
