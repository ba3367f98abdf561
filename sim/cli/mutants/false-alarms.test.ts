/** A campaign counts what it runs, tells what it finds, and goes on where it ended. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, 'false-alarms.ts');
const folder = mkdtempSync(join(tmpdir(), 'kubesim-false-alarms-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Counted {
  readonly name: string;
  readonly runs: number;
  readonly nextSeed: number;
  readonly alarms: readonly { readonly seed: number; readonly property: string }[];
}

function campaign(file: string, out: string): { status: number | null; told: string; counted: Counted[] } {
  const words = ['--import', 'tsx', ENTRY, file, '--for', '1s', '--from', '50', '--out', out];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  const { campaign: counted } = JSON.parse(readFileSync(out, 'utf8')) as { campaign: Counted[] };
  return { status, told: stdout, counted };
}

const scenario = (name: string, status: number): string => {
  const file = join(folder, `${name}.yaml`);
  const step = `get: { kind: ConfigMap, name: none }\n      expect: { status: ${status} }`;
  const spec = `  cluster: { controllers: [], scheduler: false }\n  steps:\n    - ${step}\n`;
  writeFileSync(
    file,
    `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: ${name} }\nspec:\n${spec}`,
  );
  return file;
};

test('what is right is run with ever more seeds, from one campaign to the next', () => {
  const [file, out] = [scenario('right', 404), join(folder, 'right.json')];
  const first = campaign(file, out);
  const [{ runs, nextSeed } = { runs: 0, nextSeed: 0 }] = first.counted;
  expect([first.status, nextSeed]).toEqual([0, 50 + runs]);
  expect(first.told).toBe(`${runs} runs of 1 scenarios and properties, at least ${runs} of each: 0 alarms\n`);
  const [later] = campaign(file, out).counted;
  expect(later?.runs).toBeGreaterThan(runs);
  expect(later?.nextSeed).toBe(50 + (later?.runs ?? 0));
});

test('what does not hold is told with its seed, and counts as a failure', () => {
  const { status, told, counted } = campaign(scenario('wrong', 200), join(folder, 'wrong.json'));
  expect(status).toBe(1);
  expect(told).toContain('wrong --seed 50: ');
  expect(counted[0]?.alarms[0]).toMatchObject({ seed: 50 });
  expect(counted[0]?.alarms).toHaveLength(counted[0]?.runs ?? 0);
});
