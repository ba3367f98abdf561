import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { loadScenario } from '../language/load-scenario.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import type { JsonMap } from '../language/shape.ts';
import { executeRun } from '../runner/execute-run.ts';
import { writtenScenario } from '../properties/written-scenario.ts';
import { explore, type Found } from './explore.ts';
import { STRATEGIES, strategyOf, type Subject } from './strategies.ts';

const scenario = {
  apiVersion: 'kubesim.dev/v1',
  kind: 'Scenario',
  metadata: { name: 'x' },
  spec: { steps: [{ advance: '1s' }] },
};
const subject: Subject = { isProperty: false, scenarioOf: () => scenario };
const record = (subjectText: string, by: string) => ({
  at: 1,
  actor: 'apiserver/0',
  kind: 'PUT',
  subject: subjectText,
  text: `{"by":"${by}","status":200}`,
  event: 1,
  cause: 0,
  touches: [],
});

describe('a strategy', () => {
  test.each(STRATEGIES)('%s makes the same attempt of a number every time', (name) => {
    const [one, other] = [strategyOf(name, subject), strategyOf(name, subject)];
    for (const index of [0, 1, 2]) {
      const attempt = one.attempt(index);
      expect(attempt).toEqual(other.attempt(index));
      if (attempt) for (const each of [one, other]) each.learn(attempt, { records: [], decisions: [] });
    }
  });

  test.each([
    ['system:kube-scheduler', ['crashBefore', 'crashAfter']],
    ['guest:operator', ['crashBefore', 'crashAfter', 'lagWatchCache']],
    ['kubernetes-admin', []],
  ])('that perturbs strikes at every write that it has seen, in every way: of %s', (user, crashes) => {
    const strategy = strategyOf('perturb', subject);
    const first = strategy.attempt(0);
    if (!first) throw new Error('there is a first run');
    const sent = { ...record('scheduler/0>apiserver/0:api#1', user), kind: 'message' };
    const written = record('/api/v1/namespaces/default/pods/a', user);
    strategy.learn(first, { records: [sent, written], decisions: [] });
    const faults = [1, 2, 3, 4, 5, 6].flatMap((index) => {
      const { steps } = (strategy.attempt(index)?.scenario['spec'] ?? { steps: [] }) as {
        steps: readonly object[];
      };
      return Object.keys(Reflect.get(steps[0] ?? {}, 'fault') ?? {}).slice(0, 1);
    });
    expect(faults.toSorted()).toEqual([...crashes, 'failRequests', 'failRequests', 'loseAnswers'].toSorted());
  });

  test('that perturbs lets programs travel in time, where there is another server', () => {
    const spec = { ...scenario.spec, cluster: { apiServers: 2 } };
    const strategy = strategyOf('perturb', { isProperty: false, scenarioOf: () => ({ ...scenario, spec }) });
    const first = strategy.attempt(0);
    if (!first) throw new Error('there is a first run');
    const written = (at: number) => ({
      ...record('/api/v1/namespaces/default/pods/a', 'guest:operator'),
      at,
    });
    strategy.learn(first, { records: [written(1_000), written(5_000_000)], decisions: [] });
    const all = Array.from({ length: 20 }, (_, index) => strategy.attempt(index + 1));
    const stories = all.map(
      (each) => ((each?.scenario['spec'] ?? {}) as { steps?: readonly object[] }).steps,
    );
    expect(stories).toContainEqual([
      {
        fault: { lagWatchCache: { by: '1h', server: 'apiserver/1' } },
        delay: '1.001ms',
        for: '34.999s',
      },
      { fault: { crash: { actor: 'guest/operator' } }, delay: '5.000001s', for: '1s' },
      { advance: '1s' },
    ]);
  });
});

test('what is found is found once, made small, and kept with its strategy', async () => {
  const text = `apiVersion: kubesim.dev/v1
kind: Property
metadata: { name: sample }
spec:
  cluster: { controllers: [], scheduler: false }
  generate:
    operations:
      - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: { $oneOf: [a, b] }, namespace: default } }
  always:
    - { name: nothing is called b, get: { kind: ConfigMap, name: b }, expect: { status: 404 } }
`;
  const loaded = loadScenario('sample.yaml', text);
  if (loaded.kind === 'invalid') throw new Error(loaded.problems[0]?.message);
  const found: Found[] = [];
  let runs = 0;
  await explore([loaded.loaded], {
    strategy: 'coverage',
    makeWorld: createClusterWorld,
    done: new Map(),
    mayGoOn: () => runs < 5,
    onAttempt: () => void runs++,
    onFound: (each) => found.push(each),
    shrinkAttempts: 60,
  });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ strategy: 'coverage', failure: { property: 'nothing is called b' } });
  expect(found[0]?.smallest?.smallest.steps).toBe(1);
  expect(found[0]?.smallest?.explanation).toContain('it needs no fault: it fails where nothing goes wrong');
});

describe('an exhaustive search of a small scope', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orders-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const program = (file: string, body: string): void =>
    writeFileSync(
      join(folder, file),
      `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));\nexport async function main({ client }) {\n${body}\n}\n`,
    );
  const counting = (start: number): string => `await sleep(${start});
    const place = { namespace: 'default', name: 'counter' };
    const { data } = await client.configMaps.get(place);
    await client.configMaps.patch(place, { type: 'merge', body: { data: { n: String(Number(data.n) + 1) } } });`;
  const others = ['persistentVolumeClaims', 'podTemplates', 'replicationControllers'];
  for (const [index, kind] of others.entries())
    program(
      `${kind}.mjs`,
      `await sleep(${10 + index});\nfor (let n = 0; n < 5; n++) await client.${kind}.list({ namespace: 'default' });`,
    );
  program('first.mjs', counting(12));
  program('second.mjs', counting(14));
  const programs = ['first', 'second', ...others].map(
    (name) => `{ name: ${name.toLowerCase()}, file: ./${name}.mjs }`,
  );
  const text = `apiVersion: kubesim.dev/v1
kind: Property
metadata: { name: counter }
spec:
  cluster: { controllers: [], scheduler: false, programs: [${programs.join(', ')}] }
  before:
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: counter, namespace: default }, data: { n: '0' } }
  generate: { atLeast: 1, atMost: 1, operations: [{ advance: 1ms }] }
  finally:
    - advance: 1s
    - { name: both have counted, get: { kind: ConfigMap, name: counter }, expect: { body: { data: { n: '2' } } } }
`;
  const loaded = loadScenario(join(folder, 'counter.yaml'), text);
  if (loaded.kind === 'invalid') throw new Error(loaded.problems[0]?.message);

  test('finds an update that is lost in one order only, sooner than by delaying one event after the other', async () => {
    const scenarioOf = (): JsonMap => parse(loaded.loaded.draw?.(1).text ?? '') as JsonMap;
    const found: Found[] = [];
    let runs = 0;
    await explore([loaded.loaded], {
      strategy: 'exhaustive',
      makeWorld: createClusterWorld,
      done: new Map(),
      mayGoOn: () => found.length === 0 && runs < 200,
      onAttempt: () => void runs++,
      onFound: (each) => found.push(each),
      shrinkAttempts: 0,
    });
    expect(found[0]?.failure.property).toBe('both have counted');
    let delayed = 0;
    for (let hasFailed = false; !hasFailed && delayed < 30;) {
      const choices = [{ site: 'schedule:delay 1', occurrence: 0, answer: ++delayed }];
      const { cluster, ...spec } = scenarioOf()['spec'] as JsonMap;
      const schedule = { policy: 'delays', delays: 1, window: '1ms' };
      const value = {
        ...scenarioOf(),
        spec: { ...spec, cluster: { ...(cluster as JsonMap), schedule }, choices },
      };
      const run = { seed: 1, makeWorld: createClusterWorld, looksCloser: false };
      hasFailed =
        (await executeRun(writtenScenario(join(folder, 'delayed.yaml'), value), run)).failure !== undefined;
    }
    expect(runs * 2).toBeLessThan(delayed);
  });
});
