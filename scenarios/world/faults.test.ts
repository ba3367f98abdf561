import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { createClusterWorld } from './cluster-world.ts';
import { executeRun } from '../runner/execute-run.ts';
import { loadScenario, type LoadedScenario, type LoadResult } from '../language/load-scenario.ts';

const load = (steps: string, cluster = '{ nodes: { count: 2, zones: [a, b] } }'): LoadResult =>
  loadScenario(
    'sample.yaml',
    `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n  cluster: ${cluster}\n  steps:\n${steps}`,
  );

function run(steps: string, cluster?: string): Promise<RunRecord> {
  return executeRun(loadedOf(steps, cluster), { seed: 1, makeWorld: createClusterWorld });
}

function loadedOf(steps: string, cluster?: string): LoadedScenario {
  const result = load(steps, cluster);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return result.loaded;
}

describe('a fault that cannot be is the mistake of the scenario', () => {
  test.each([
    ['{ partition: { from: zone/c } }', 'there is no zone "c"; there are a, b'],
    ['{ crash: { actor: node/worker-9 } }', 'there is no actor `node/worker-9`'],
    ['{ reboot: { node: apiserver/0 } }', 'apiserver/0 is no node'],
    ['{ restart: { actor: zone/a } }', 'node/worker-1 is running: only a crashed actor restarts'],
    [
      '{ failWrites: { status: 451 } }',
      'requests fail with status 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504, not with 451',
    ],
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

describe('what a first hour asks for', () => {
  const POD = `    - create: { apiVersion: v1, kind: Pod, metadata: { name: first }, spec: { containers: [{ name: main, image: app }] } }\n`;
  const passes = async (steps: string, cluster?: string): Promise<void> => {
    const { failure } = await run(steps, cluster);
    expect(failure?.details).toBeUndefined();
  };

  test('a pod is created by the first step', () => passes(POD));

  test('and not in a cluster that is yet to come up', async () => {
    const { failure } = await run(POD, '{ nodes: 2, settled: false }');
    expect(failure?.details.join()).toContain('serviceaccount \\"default\\" not found');
    await passes(POD, '{ settled: false, admission: { disable: [ServiceAccount] } }');
  });

  test('clocks show the epoch at time 0, and the time line begins there', async () => {
    const record = await executeRun(
      loadedOf(
        `    - get: { kind: Node, name: worker-1 }
      expect: { body: { metadata: { creationTimestamp: '2030-05-31T23:59:59Z' } } }
`,
        "{ nodes: 1, epoch: '2030-06-01T00:00:00Z' }",
      ),
      { seed: 1, makeWorld: createClusterWorld, hasTimeline: true },
    );
    expect(record.failure?.details).toBeUndefined();
    expect(record.timeline?.lanes.flatMap(({ marks }) => marks).every(({ at }) => at >= 0)).toBe(true);
  });

  test('a number as text', () =>
    passes(`    - repeat:
        times: 2
        index: j
        steps:
          - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: 'm-\${j}' }, data: { round: '\${text(j)}' } }
    - get: { kind: ConfigMap, name: m-1 }
      expect: { body: { data: { round: '1' } } }
`));

  test('a misspelt field of a manifest is refused, unless it is to be ignored', async () => {
    const map = `    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a }, dta: { a: b } }\n`;
    expect((await run(map)).failure?.details.join()).toContain('unknown field \\"dta\\"');
    await passes(`${map}      query: { fieldValidation: Ignore }\n`);
  });

  test('a node that is cut off is still seen from outside, and an actor that is named is not', async () => {
    await passes(`    - fault: { partition: { from: worker-1 } }
    - request: { node: worker-1, path: /pods }
      expect: { status: 500, body: { $contains: Authorization error } }
    - fault: { partition: { from: apiserver/0 } }
    - get: { kind: Node, name: worker-1 }
    - fault: { partition: { from: apiserver/0, to: user/test } }
    - get: { kind: Node, name: worker-1 }
      expect: { answer: none }
    - fault: { heal: { from: apiserver/0 } }
    - get: { kind: Node, name: worker-1 }
`);
    const { failure } = await run(
      `    - get: { kind: Node, name: worker-1 }\n      expect: { answer: none }\n`,
    );
    expect(failure?.details[0]).toBe('answer should be none, but there is one, with status 200');
  });

  test('an actor without its first word is found', async () => {
    const { failure } = await run('    - fault: { crash: { actor: leader } }\n');
    expect(failure?.details.join()).toContain('there is no actor `leader`');
    const other = await run('    - fault: { crash: { actor: test } }\n');
    expect(other.failure?.details.join()).toContain('did you mean `user/test`?');
  });

  test('requests fail, are not answered and are the last, and all is well afterwards', () =>
    passes(
      `    - fault: { failRequests: { verb: create, resource: configmaps, nth: 2, status: 503 } }
    - repeat:
        times: 2
        index: j
        steps:
          - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: 'a\${j}' } }
            expect: { status: { $oneOf: [201, 503] } }
    - get: { kind: ConfigMap, name: a1 }
      expect: { status: 404 }
    - fault: { allowRequests: { verb: create, resource: configmaps } }
    - fault: { loseAnswers: { verb: create, resource: configmaps, count: 1, resets: true } }
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a1 } }
      expect: { answer: none }
    - get: { kind: ConfigMap, name: a1 }
    - fault: { crashAfter: { actor: node/worker-1, verb: update, resource: leases, nth: 2 } }
    - advance: 30s
    - fault: { restart: { actor: node/worker-1 } }
    - fault: { lagWatchCache: { by: 10s, server: apiserver/1 } }
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: late } }
    - get: { kind: ConfigMap, name: late }
      server: apiserver/1
      query: { resourceVersion: '0' }
      expect: { status: 404 }
    - fault: { lagWatchCache: { by: 0 } }
    - fault: { crash: { actor: apiserver/1 } }
    - fault: { restart: { actor: apiserver/1, runtimeConfig: { storage.k8s.io/v1alpha1: true } } }
    - advance: 1s
    - request: { path: /apis/storage.k8s.io/v1alpha1 }
      server: apiserver/1
    - fault: { endWatches: { resource: nodes, expired: true } }
    - fault: { changeStorageLeader: { takes: 2s } }
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: b } }
      expect: { status: 500, body: { message: { $contains: leader changed } } }
    - advance: 2s
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: b } }
    - fault: { lagStorageMember: { member: etcd/1, by: 1m } }
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: c } }
    - fault: { crash: { actor: apiserver/1 } }
    - fault: { restart: { actor: apiserver/1 } }
    - advance: 1s
    - get: { kind: ConfigMap, name: c }
      server: apiserver/1
      query: { resourceVersion: '0' }
      expect: { status: 404 }
    - fault: { lagStorageMember: { member: etcd/1, by: 0 } }
    - get: { kind: ConfigMap, name: c }
      server: apiserver/1
      query: { resourceVersion: '0' }
`,
      '{ nodes: 2, apiServers: 2, storageMembers: 3 }',
    ));
});
