import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScenario } from '../language/load-scenario.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import { executeRun } from './execute-run.ts';

const SCENARIO = `apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: thrower }
spec:
  cluster: { nodes: 0, programs: [{ name: bad, file: FILE }] }
  steps:
    - advance: 1s
    - advance: 10s
`;

describe('a program of the user that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["throw new Error('out of ideas');", 'out of ideas', 'throws.mjs'],
    ['process.exit(3);', 'process.exit(3)', 'exits.mjs'],
  ])('fails the run, and is no defect of the simulator: %s', async (act, text, file) => {
    writeFileSync(
      join(folder, file),
      `export default async function run() {\n  await new Promise((resolve) => setTimeout(resolve, 2_000));\n  ${act}\n}\n`,
    );
    const scenario = loadScenario(join(folder, 'thrower.yaml'), SCENARIO.replace('FILE', file));
    if (scenario.kind !== 'loaded') throw new Error('expected a scenario');
    const { verdict, failure } = await executeRun(scenario.loaded, {
      seed: 1,
      makeWorld: createClusterWorld,
    });
    expect(verdict).toBe('failed');
    expect(failure).toMatchObject({ kind: 'checker', property: 'guest/bad lives on', line: 8 });
    expect(failure?.details[0]).toContain(text);
    expect(failure?.details[0]).toContain('at 2.000000s of virtual time');
    expect(failure?.details.join('\n')).toContain(file);
  });

  it('is begun anew where the scenario says so', async () => {
    writeFileSync(
      join(folder, 'once.mjs'),
      `export async function main({ client, name }) {
  const lives = await client.configMaps.list();
  await client.configMaps.create({ metadata: { name: 'life-' + lives.items.length, namespace: 'default' } });
  if (lives.items.length < 3) process.exit(1);
}
`,
    );
    const text = SCENARIO.replace('FILE }', 'once.mjs, restartPolicy: OnFailure }').replace('10s', '60s');
    const scenario = loadScenario(join(folder, 'once.yaml'), text);
    if (scenario.kind !== 'loaded') throw new Error('expected a scenario');
    const { verdict } = await executeRun(scenario.loaded, { seed: 1, makeWorld: createClusterWorld });
    expect(verdict).toBe('passed');
  });
});
