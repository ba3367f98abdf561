import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { unpackTar } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBuilt } from '../../.ci/built.mjs';

const ROOT = join(import.meta.dirname, '../..');
const TIME_TO_PACK = 120_000;

const CONSUMER = `
import { createCluster, type Cluster, GuestFailure, seconds } from 'kubesim';
import * as core from 'kubesim/core';
import { withGuests } from 'kubesim/guests';

const cluster: Cluster = createCluster({ nodes: 1, seed: 3 });
cluster.advance(seconds(5));
const alone: core.Cluster = core.createCluster({ nodes: 1, seed: 3 });
alone.advance(core.seconds(5));
const guests = withGuests(core.createCluster({ seed: 3 }));
guests.guest('one', async ({ client }) => {
  await client.configMaps.create({ metadata: { name: 'one' }, data: { one: 'a' } });
  throw new Error('done');
});
try {
  await guests.guests.advance(seconds(5));
} catch (error) {
  console.log(error instanceof GuestFailure, cluster.digest === alone.digest);
}
`;

const SUITE = `
import { fc } from './arbitraries.js';
import { createCluster, seconds } from 'kubesim';
import { expect, test } from 'kubesim/vitest';

test('a fresh cluster', async ({ cluster }) => {
  expect(cluster).toBeInstanceOf(createCluster().constructor);
  cluster.client.configMaps.create({ metadata: { name: 'one' } });
  await expect(cluster).toHaveObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } });
  await expect(cluster).toConverge({ within: seconds(60) });
});
test.property('of any size', [fc.nat(3)], ({ cluster }, size) => {
  expect(cluster.now).toBeLessThan(size + 1);
}, { numRuns: 3 });
`;

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  const names: string[] = [];

  beforeAll(async () => {
    // As `prepack`, but what is built stays where it is: others run it meanwhile.
    if (!isBuilt()) execFileSync('npm', ['run', 'build'], { cwd: ROOT });
    execFileSync(process.execPath, ['.ci/declarations.mjs'], { cwd: ROOT });
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const file = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
    const entries = await unpackTar(gunzipSync(readFileSync(join(folder, file))));
    names.push(...entries.map(({ header }) => header.name.replace(/^package\//, '')));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // What it depends on is at hand here already: nothing has to be fetched.
    const others = ['fast-check', 'pure-rand'].map((name) => join(ROOT, 'node_modules', name));
    const install = [
      'install',
      '--offline',
      '--install-links',
      '--omit=peer',
      '--silent',
      join(folder, file),
    ];
    execFileSync('npm', [...install, ...others], { cwd: folder, encoding: 'utf8' });
  }, TIME_TO_PACK);

  afterAll(() => rmSync(folder, { recursive: true }));

  it('has what its users need, and nothing of the workshop', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/index.d.ts',
        'dist/core.d.ts',
        'dist/guests.d.ts',
        'dist/vitest.d.ts',
        'scenarios/README.md',
        'scenarios/scenario.schema.json',
        'scenarios/api/watch-resume.yaml',
      ]),
    );
    expect(names.filter((name) => /\.test\.|\.contract\.|^(sim|model|\.ci)\//.test(name))).toEqual([]);
    const declarations = names.filter((name) => name.endsWith('.ts'));
    expect(declarations.filter((name) => !name.includes('/chunks/')).toSorted()).toEqual([
      'dist/core.d.ts',
      'dist/guests.d.ts',
      'dist/index.d.ts',
      'dist/vitest.d.ts',
    ]);
    expect(declarations.length).toBeLessThan(8);
  });

  it(
    'is usable from its three entries, with types that hold under strict checks',
    () => {
      writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
      const options = {
        compilerOptions: {
          strict: true,
          skipLibCheck: false,
          module: 'nodenext',
          target: 'es2023',
          lib: ['es2023'],
          types: ['node'],
          exactOptionalPropertyTypes: true,
        },
        include: ['consumer.ts'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
      for (const name of ['@types', 'undici-types'])
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
      // The newest library declares more of iterators, and the browser's declares names that we have too.
      for (const flags of [[], ['--noEmit', '--target', 'esnext', '--lib', 'esnext,dom']])
        execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags], {
          cwd: folder,
          encoding: 'utf8',
        });
      const output = execFileSync(process.execPath, ['consumer.js'], { cwd: folder, encoding: 'utf8' });
      expect(output).toBe('true true\n');
      // Node 20.19 and later hand modules to CommonJS.
      writeFileSync(join(folder, 'consumer.cjs'), "console.log(require('kubesim').createCluster().now)");
      const common = execFileSync(process.execPath, ['consumer.cjs'], { cwd: folder, encoding: 'utf8' });
      expect(common).toBe('0\n');
    },
    TIME_TO_PACK,
  );

  it(
    'has a command that runs scenarios, the second time with the machine code of the first',
    () => {
      const scenario = join(folder, 'node_modules/kubesim/scenarios/api/watch-resume.yaml');
      const command = join(folder, 'node_modules/.bin/kubesim');
      const passes = (): void =>
        expect(execFileSync(command, ['run', scenario], { cwd: folder, encoding: 'utf8' })).toMatch(
          /runs? passed/,
        );
      passes();
      passes();
      const compiled = join(folder, 'node_modules/kubesim/dist/cli');
      const kept = readdirSync(compiled).filter((name) => name.endsWith('.code'));
      expect(kept.length).toBeGreaterThan(5);
      // Half a file of a machine that lost its power, and one of somebody's pencil: compiled anew and replaced.
      const [first = '', second = ''] = kept.map((name) => join(compiled, name));
      const before = readFileSync(first);
      writeFileSync(first, before.subarray(0, before.length / 2));
      writeFileSync(second, 'not machine code');
      passes();
      expect(readFileSync(first).length).toBeGreaterThan(before.length / 2);
      expect(readFileSync(second).length).toBeGreaterThan(100);
      // Kept code knows no way to import: what it asks for is required.
      for (const name of readdirSync(join(ROOT, 'dist/cli')).filter((each) => each.endsWith('.cjs')))
        expect(readFileSync(join(ROOT, 'dist/cli', name), 'utf8')).not.toMatch(/(?<![.\w#])import\(["'`]/);
    },
    TIME_TO_PACK,
  );

  it(
    'has a door for vitest',
    () => {
      symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
      writeFileSync(join(folder, 'arbitraries.js'), "export { default as fc } from 'fast-check';\n");
      writeFileSync(join(folder, 'suite.test.ts'), SUITE);
      const suite = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', '--reporter=tap-flat'];
      const output = execFileSync(process.execPath, suite, { cwd: folder, encoding: 'utf8' });
      expect(output).toMatch(/1\.\.2\nok 1 .*a fresh cluster.*\nok 2 .*of any size/);
    },
    TIME_TO_PACK,
  );
});
