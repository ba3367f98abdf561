import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { createClusterWorld } from './cluster-world.ts';
import { executeRun } from '../runner/execute-run.ts';
import { loadScenario, type LoadResult } from '../language/load-scenario.ts';

const load = (steps: string, cluster = '{ nodes: { count: 2, zones: [a, b] } }'): LoadResult =>
  loadScenario(
    'sample.yaml',
    `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n  cluster: ${cluster}\n  steps:\n${steps}`,
  );

function run(steps: string, cluster?: string): Promise<RunRecord> {
  const result = load(steps, cluster);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld: createClusterWorld });
}

describe('a fault that cannot be is the mistake of the scenario', () => {
  test.each([
    ['{ partition: { from: zone/c } }', 'there is no zone "c"; there are a, b'],
    ['{ crash: { actor: node/worker-9 } }', 'there is no actor `node/worker-9`'],
    ['{ reboot: { node: apiserver/0 } }', 'apiserver/0 is no node'],
    ['{ restart: { actor: zone/a } }', 'node/worker-1 is running: only a crashed actor restarts'],
    ['{ failWrites: { status: 451 } }', 'writes fail with status 429, 500, 503 or 504, not with 451'],
    ['{ allowWrites: { resource: pods } }', 'no `failWrites` before has chosen the same writes'],
    ['{ removeTwin: { node: worker-1 } }', 'worker-1 has no twin'],
    ['{ flap: { from: worker-1, down: 0, up: 1s } }', 'what flaps is down for a while and up for a while'],
    ['{ latency: { from: worker-1, min: 2s, typical: 1s, max: 3s } }', 'a latency needs min ≤ typical ≤ max'],
  ])('%s', async (fault, message) => {
    const { verdict, failure } = await run(`    - fault: ${fault}\n`);
    expect(verdict).toBe('invalid');
    expect(failure?.details.join()).toContain(message);
  });
});

describe('a delayed fault', () => {
  const unready = '{ body: { status: { conditions: { $contains: [{ type: Ready, status: Unknown }] } } } }';

  test('strikes later, while the steps go on', async () => {
    const { failure } = await run(`    - advance: 20s
    - fault: { loseRoutes: { node: worker-1 } }
      delay: 10s
    - get: { kind: Node, name: worker-1 }
      expect: { body: { spec: { taints: { $absent: true } } } }
    - advance: 9s
    - get: { kind: Node, name: worker-1 }
      expect: { body: { spec: { taints: { $absent: true } } } }
    - advance: 2s
    - get: { kind: Node, name: worker-1 }
      expect: { body: { spec: { taints: [{ key: node.kubernetes.io/network-unavailable }] } } }
`);
    expect(failure?.details).toBeUndefined();
  });

  test('that makes no sense is refused at its own step', async () => {
    const misspelt = await run('    - fault: { crash: { actor: node/worker-7 } }\n      delay: 10s\n');
    expect(misspelt.failure).toMatchObject({ kind: 'invalid', line: 7 });
    const cordon = await run('    - fault: { cordon: { node: worker-1 } }\n      delay: 10s\n');
    expect(cordon.failure?.details).toEqual(['a node is cordoned by a request, which cannot be delayed']);
  });

  test('needs a fault', () => {
    const result = load('    - advance: 1s\n      delay: 10s\n');
    expect(result.kind === 'invalid' && result.problems[0]?.message).toBe(
      'spec.steps[0] has nothing to delay',
    );
  });

  test('may hit a whole zone', async () => {
    const { failure } = await run(
      `    - advance: 20s\n    - fault: { crash: { actor: zone/b, silent: true } }\n      delay: 1s\n    - advance: 1m\n    - get: { kind: Node, name: worker-2 }\n      expect: ${unready}\n`,
    );
    expect(failure?.details).toBeUndefined();
  });
});

describe('a step asks', () => {
  test('the API server that it names', async () => {
    const { failure } = await run(
      `    - fault: { crash: { actor: apiserver/0 } }
    - list: { kind: Namespace }
      expect: { status: 0, body: { $present: true } }
    - list: { kind: Namespace }
      server: apiserver/1
`,
      '{ apiServers: 2 }',
    );
    expect(failure?.details).toBeUndefined();
  });

  test('no API server that there is not', async () => {
    const { verdict, failure } = await run('    - list: { kind: Namespace }\n      server: apiserver/1\n');
    expect(verdict).toBe('invalid');
    expect(failure?.details).toEqual(['there is no API server `apiserver/1`; there are apiserver/0']);
  });
});
