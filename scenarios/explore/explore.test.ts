import { describe, expect, test } from 'vitest';
import { loadScenario } from '../language/load-scenario.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
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
});

describe('a strategy', () => {
  test.each(STRATEGIES)('%s makes the same attempt of a number every time', (name) => {
    const [one, other] = [strategyOf(name, subject), strategyOf(name, subject)];
    for (const index of [0, 1, 2]) {
      const attempt = one.attempt(index);
      expect(attempt).toEqual(other.attempt(index));
      if (attempt) for (const each of [one, other]) each.learn(attempt, { records: [] });
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
    strategy.learn(first, { records: [record('/api/v1/namespaces/default/pods/a', user)] });
    const faults = [1, 2, 3, 4, 5, 6].flatMap((index) => {
      const { steps } = (strategy.attempt(index)?.scenario['spec'] ?? { steps: [] }) as {
        steps: readonly object[];
      };
      return Object.keys(Reflect.get(steps[0] ?? {}, 'fault') ?? {}).slice(0, 1);
    });
    expect(faults).toEqual(['failRequests', 'failRequests', 'loseAnswers', ...crashes]);
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
    strategy.learn(first, { records: [written(1_000), written(5_000_000)] });
    const all = Array.from({ length: 20 }, (_, index) => strategy.attempt(index + 1));
    const { steps } = (all.findLast((each) => each)?.scenario['spec'] ?? {}) as {
      readonly steps: readonly object[];
    };
    expect(steps).toEqual([
      {
        fault: { lagWatchCache: { by: '1h', server: 'apiserver/1' } },
        delay: '1.001ms',
        for: '34.999s',
      },
      { fault: { crash: { actor: 'guest/operator' } }, delay: '5.000001s', for: '1s' },
      { advance: '1s' },
    ]);
  });

  test('that is exhaustive comes to pairs of delays after all single ones', () => {
    const { spec } = (strategyOf('exhaustive', subject).attempt(2_002)?.scenario ?? {}) as {
      spec: { choices: readonly { answer: number }[] };
    };
    expect(spec.choices.map(({ answer }) => answer)).toEqual([1, 3]);
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
