import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, TestRunner } from 'vitest';
import { milliseconds, seconds } from '../../sim/index.ts';
import { applyFiles, expect, test } from './vitest.ts';

const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
const RUNNING = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase: 'Running' } };

describe('a cluster of its own', () => {
  test.override({ clusterOptions: { nodes: 2, seed: 7 } });

  test('is settled, and as the options say', ({ cluster }) => {
    expect([cluster.seed, cluster.now, cluster.nodeNames.length]).toEqual([7, 0, 2]);
    cluster.client.pods.create(POD);
  });

  test('is another one for each test, and can be looked at', async ({ cluster }) => {
    await expect(expect(cluster).toHaveObject(RUNNING)).rejects.toThrow(
      'there is no such Pod p: pods "p" not found',
    );
    cluster.client.pods.create(POD);
    await expect(expect(cluster).toHaveObject(RUNNING)).rejects.toThrow('it looks different');
    await expect(cluster).eventually.toHaveObject(RUNNING);
    await expect(cluster).toHaveObject(RUNNING);
    await expect(cluster).not.toHaveObject({ ...RUNNING, spec: { nodeName: 'nowhere' } });
  });

  test('comes to rest, also around a guest, or says who does not', async ({ cluster }) => {
    await expect(cluster).toConverge();
    cluster.guest('restless', async ({ client }) => {
      await client.configMaps.create({ metadata: { name: 'ticks' } });
      for (let tick = 0; tick < 60; tick++) {
        await new Promise((resolve) => void setTimeout(resolve, 1_000));
        await client.configMaps.patch('ticks', { type: 'merge', body: { data: { tick: String(tick) } } });
      }
    });
    await expect(expect(cluster).toConverge({ within: seconds(20) })).rejects.toThrow(
      /still writing after 20\.0+s: put of configmaps\/default\/ticks, [5-7] writes in the last 6\.0+s/,
    );
    await expect(cluster).toConverge({ within: seconds(90) });
  });

  test('gives up in time', async ({ cluster }) => {
    const expected = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    await expect(expect(cluster).eventually.toHaveObject(expected, { within: seconds(2) })).rejects.toThrow(
      /not within 2\.0+s: there is no such Secret s/,
    );
    expect(cluster.now).toBeLessThan(milliseconds(2_200));
  });
});

const seen: number[] = [];
test.seeds(3, { seed: 4 })('seeds go up from the first', ({ seed, cluster }) => {
  expect(cluster.seed).toBe(seed);
  expect(TestRunner.getCurrentTest()?.timeout).toBe(5_000);
  seen.push(seed);
});
test('each of them once, the first twice in CI', () => {
  expect(seen).toEqual(process.env['CI'] ? [4, 4, 5, 6] : [4, 5, 6]);
});

const drawn = new Set<number>();
test.property(
  'draws values and seeds',
  [fc.nat(9)],
  ({ cluster }, count) => {
    drawn.add(cluster.seed);
    // A second each, where vitest grants five to all of them.
    expect(TestRunner.getCurrentTest()?.timeout).toBe(8_000);
    for (let serial = 0; serial < count; serial++) {
      cluster.client.configMaps.create({ metadata: { generateName: 'n-' } });
    }
    expect(cluster.client.configMaps.list({ namespace: 'default' }).items).toHaveLength(count + 1);
  },
  { numRuns: 8 },
);
test('which differ', () => expect(drawn.size).toBeGreaterThan(4));

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
`;
const OBJECTS = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: first, namespace: default }
---
apiVersion: v1
kind: ConfigMapList
items: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }]
`;

describe('manifests from files', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubesim-manifests-'));
    // Objects come first by name.
    mkdirSync(join(folder, 'crd'));
    writeFileSync(join(folder, 'a.yaml'), OBJECTS);
    writeFileSync(join(folder, 'crd', 'widgets.yaml'), WIDGETS);
    writeFileSync(join(folder, 'bad.txt'), 'kind: X');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('are there, definitions first', async ({ cluster }) => {
    const applied = await applyFiles(cluster, folder, join(folder, 'crd', '*.yaml'));
    expect(applied.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Widget', 'ConfigMap']);
    await expect(cluster).toHaveObject({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'first' },
    });
  });

  test('that are none are told by name', async ({ cluster }) => {
    await expect(applyFiles(cluster, join(folder, '*.json'))).rejects.toThrow('*.json');
    await expect(applyFiles(cluster, join(folder, 'bad.txt'))).rejects.toThrow(
      /bad\.txt: a manifest has an apiVersion/,
    );
    await expect(applyFiles(cluster, join(folder, 'none.yaml'))).rejects.toThrow(/ENOENT/);
  });
});

/** Runs the tests that fail. */
const failing = (folder: string, environment: Record<string, string> = {}, name = ''): Promise<string> =>
  new Promise((resolve) => {
    const words = ['--root', '.', '--no-color', '--config', join(folder, 'vitest.config.mjs'), '-t', name];
    words.push(
      `--outputFile.junit=${join(folder, 'junit.xml')}`,
      `--outputFile.json=${join(folder, 'out.json')}`,
    );
    const { CI: _ci, ...own } = process.env;
    execFile(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...words],
      { env: { ...own, KUBESIM_REPORT_DIR: join(folder, 'out'), ...environment } },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });

describe('a test that fails', () => {
  let folder = '';
  let said = '';
  const out = (start: string): string =>
    join(folder, 'out', readdirSync(join(folder, 'out')).find((name) => name.includes(start)) ?? 'none');
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubesim-failing-'));
    const include = ['scenarios/testing/failing.fixture.ts'];
    const config = {
      test: {
        include,
        experimental: { fsModuleCache: true, fsModuleCachePath: join(folder, 'transformed') },
        attachmentsDir: join(folder, 'attached'),
        reporters: ['default', 'junit', 'json'],
      },
    };
    writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};\n`);
    said = await failing(folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('tells its story and how to see it again', () => {
    expect(said).toContain('there is no such ConfigMap missing: configmaps "missing" not found');
    expect(said).toMatch(/in a cluster with seed 1; the last records:\n\s+#[0-9]+ /);
    expect(said).toMatch(
      /reproduce: KUBESIM_REPLAY=\S+recording\.json npx vitest run scenarios\/testing\/failing\.fixture\.ts -t "a suite finds no such thing"/,
    );
    expect(said).toMatch(/in a cluster with seed 3;/);
    expect(said).toMatch(/with \[3\] \(run [0-9]+, shrunk [1-9][0-9]* times\)/);
  });

  test('leaves a report with its story, its time line and what has changed', () => {
    const report = readFileSync(join(out('finds-no-such-thing'), 'report.html'), 'utf8');
    expect(report).toContain('<svg');
    expect(report).toContain('guest/writer');
    expect(report).toContain('ConfigMap default/written');
    expect(report).toMatch(/failing\.fixture\.ts:1[0-9]:[0-9]+/);
  });

  test('has its report and its recording linked by the reporters, and attached', () => {
    expect(said.match(/❯ kubesim\n\s+↳ report: \S+report\.html/g)).toHaveLength(3);
    const junit = readFileSync(join(folder, 'junit.xml'), 'utf8');
    for (const file of ['report.html', 'recording.json'])
      expect(
        junit.match(new RegExp(`<property name="kubesim" value="[a-z]+: \\S+${file}"`, 'g')),
      ).toHaveLength(3);
    const attached = readdirSync(join(folder, 'attached')).map((name) =>
      readFileSync(join(folder, 'attached', name), 'utf8'),
    );
    expect(attached.filter((text) => text.includes('<svg'))).toHaveLength(3);
    expect(attached.filter((text) => text.includes('"kind":"TestRecording"'))).toHaveLength(3);
    expect(said).toContain('3 failed (3)');
  });

  test('is the same when it is run again from its recording', async () => {
    const recording = join(out('fails-from-three-on'), 'recording.json');
    const again = await failing(folder, { KUBESIM_REPLAY: recording }, 'fails from three on');
    expect(again).toMatch(/with \[3\] \(run 1, shrunk 0 times\)/);
    const ofSeed = await failing(folder, { KUBESIM_SEED: '4' }, 'fails with one seed');
    expect(ofSeed).toMatch(/1 passed/);
  }, 120_000);
});
