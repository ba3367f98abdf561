import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { StoodStill } from '../../sim/index.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import { clusterOfRun, clusterOptions } from '../world/cluster-options.ts';
import type { ClusterSpec } from '../language/scenario-shape.ts';
import { executeRun } from './execute-run.ts';
import { loadScenario, type LoadedScenario } from '../language/load-scenario.ts';
import { shrinkChoices } from './shrink-choices.ts';
import type { MakeWorld } from '../world/world.ts';

const HEAD = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n';

function load(text: string, file = 'sample.yaml'): LoadedScenario {
  const result = loadScenario(file, text);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return result.loaded;
}

const run = (
  spec: string,
  options: {
    readonly seed?: number;
    readonly makeWorld?: MakeWorld;
    readonly checksDeterminism?: boolean;
    readonly shrinkAttempts?: number;
  } = {},
): Promise<RunRecord> =>
  executeRun(load(HEAD + spec), { seed: 1, makeWorld: createClusterWorld, ...options });

const LIBRARY = join(import.meta.dirname, '..');

// Of all others accounts are kept: they hold, and are run twice, beside those (`sim/cli/accounts`).
describe('what is there to show how something is found', () => {
  const texts = readdirSync(LIBRARY, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(LIBRARY, name), 'utf8')] as const)
    .filter(([, text]) => /^  expected: failure$/m.test(text));

  test.each(texts)('%s finds it, and two runs of it are the same', async (name, text) => {
    const seed = Number(/^  seed: (\d+)$/m.exec(text)?.[1] ?? 1);
    const record = await executeRun(load(text, join(LIBRARY, name)), {
      seed,
      makeWorld: createClusterWorld,
      checksDeterminism: true,
    });
    expect(record.failure?.details ?? []).toEqual([]);
    expect(record.verdict).toBe('passed');
  });
});

describe('a run during which the machine stands still', () => {
  const standingStill = (times: number): { readonly makeWorld: MakeWorld; readonly made: () => number } => {
    let worlds = 0;
    const makeWorld: MakeWorld = (options) => {
      const world = createClusterWorld(options);
      if (worlds++ < times) world.advance = () => Promise.reject(new StoodStill('guest/a', 5_100, 3));
      return world;
    };
    return { makeWorld, made: () => worlds };
  };
  const spec = '  steps:\n    - advance: 1s\n';

  test.each([0, 1, 2])('is made again, be it %i times, and is the same', async (times) => {
    const { makeWorld, made } = standingStill(times);
    const { verdict, digest } = await run(spec, { makeWorld });
    expect([verdict, digest]).toEqual(['passed', (await run(spec)).digest]);
    expect(made()).toBe(times + 1);
  });

  test('is given up when the machine does so each time', async () => {
    const { makeWorld, made } = standingStill(3);
    await expect(run(spec, { makeWorld })).rejects.toThrow(StoodStill);
    expect(made()).toBe(3);
  });
});

const CREATE =
  '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default }, data: { n: one } }';

test('what fails only because something was broken leaves a smallest scenario that needs that', async () => {
  const spec = `  steps:
    - create: ${CREATE}
    - fault: { crash: { actor: controller-manager/0 } }
    - create: { apiVersion: v1, kind: Namespace, metadata: { name: x } }
    - advance: 30s
    - get: { kind: ServiceAccount, namespace: x, name: default }
`;
  const { failure } = await run(spec, { shrinkAttempts: 60 });
  // Without the namespace it would fail alike, and tell nothing.
  expect(failure?.smallest).toMatchObject({ steps: 4, allSteps: 5, faults: 1 });
  const without = (failure?.smallest?.text ?? '').replace(/ +- fault:(\n {8,}.*)+/, '');
  expect(without).toContain('kind: Namespace');
  const record = await executeRun(load(without), { seed: 1, makeWorld: createClusterWorld });
  expect(record.verdict).toBe('passed');
});

describe('a step that does not hold', () => {
  test('is a failure at its place in file and time, with the state before and after', async () => {
    const record = await run(
      `  steps:\n    - advance: 3s\n    - create: ${CREATE}\n      expect: { body: { data: { n: two } } }\n`,
    );
    expect(record.verdict).toBe('failed');
    expect(record.failure).toMatchObject({
      kind: 'expectation',
      line: 8,
      property: 'create ConfigMap default/a',
      details: ['body.data.n should be "two", but is "one"'],
    });
    expect(record.failure?.at).toBeGreaterThan(3_000_000);
    expect(record.failure?.before).not.toHaveProperty(['ConfigMap default/a']);
    expect(record.failure?.after).toHaveProperty(['ConfigMap default/a', 'data', 'n'], 'one');
    expect(record.failure?.trace.length).toBeGreaterThan(0);
    expect(record.timeline?.lanes.map(({ actor }) => actor)).toContain('apiserver/0');
    expect(record.steps.map(({ outcome }) => outcome)).toEqual(['passed', 'failed']);
  });

  test('without an expectation is one whose request is refused', async () => {
    const { failure } = await run('  steps:\n    - get: { kind: Pod, name: none }\n');
    expect(failure?.details).toEqual([
      'status should be a success, but is 404',
      'body says "pods \\"none\\" not found"',
    ]);
  });

  test('eventually fails when its time is up, not before', async () => {
    const { failure } = await run(
      '  steps:\n    - eventually: { within: 10s, get: { kind: Pod, name: none } }\n',
    );
    expect(failure?.kind).toBe('eventually');
    expect(failure?.at).toBeGreaterThanOrEqual(10_000_000);
    expect(failure?.at).toBeLessThan(10_100_000);
  });

  test('always fails at the first look that it does not survive', async () => {
    const spec = `  always:\n    - name: nothing is called a\n      get: { kind: ConfigMap, name: a }\n      expect: { status: 404 }\n  steps:\n    - advance: 1s\n    - create: ${CREATE}\n    - advance: 1h\n`;
    const { failure } = await run(spec);
    expect(failure).toMatchObject({ kind: 'always', property: 'nothing is called a' });
    expect(failure?.at).toBeLessThan(3_000_000);
  });

  test("is the author's mistake when there is no such actor", async () => {
    const record = await run('  steps:\n    - fault: { crash: { actor: apiserver/O } }\n');
    expect(record.verdict).toBe('invalid');
    expect(record.failure?.details).toEqual(['there is no actor `apiserver/O`; did you mean `apiserver/0`?']);
  });
});

describe('variables', () => {
  test('keep the type of what they stand for, and reach inside', async () => {
    const spec = `  variables: { labels: { app: web }, size: 3 }\n  steps:\n    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: 'cm-\${size}', namespace: default, labels: '\${labels}' }, data: { app: '\${labels.app}', seed: 's\${seed}' } }\n      expect: { body: { metadata: { name: cm-3, labels: { app: web } }, data: { app: web, seed: s5 } } }\n`;
    expect((await run(spec, { seed: 5 })).failure).toBeUndefined();
  });
});

describe('the check that equal seeds give equal runs', () => {
  test('names the first record in which two runs differ', async () => {
    let worlds = 0;
    const unsteady: MakeWorld = (options) => {
      const cluster = { ...options.cluster, settled: false, nodes: worlds++ === 1 ? 1 : 0 };
      return createClusterWorld({ ...options, cluster });
    };
    const record = await run('  steps:\n    - advance: 1s\n', {
      makeWorld: unsteady,
      checksDeterminism: true,
    });
    expect(record.verdict).toBe('defect');
    expect(record.failure?.kind).toBe('nondeterminism');
    expect(record.failure?.details[0]).toMatch(/two ways at record \d+/);
    expect(record.failure?.details[2]).toMatch(/second: #\d+ .*node\/worker-1/);
  });
});

describe('the check of writes by delta', () => {
  const both = (makeWorld: MakeWorld) =>
    executeRun(load(`${HEAD}  cluster: { nodes: 2 }\n  steps:\n    - advance: 2m\n`), {
      seed: 1,
      makeWorld,
      checksDelta: true,
    });

  test('compares a run with one that examines every write as a whole', async () => {
    const ways: (boolean | undefined)[] = [];
    const record = await both((options) => {
      ways.push(options.writesByDelta);
      return createClusterWorld(options);
    });
    expect(record.failure?.details ?? []).toEqual([]);
    expect(ways).toEqual([undefined, false]);
  });

  test('names the first record in which they differ', async () => {
    const record = await both((options) =>
      createClusterWorld(options.writesByDelta === false ? { ...options, seed: 2 } : options),
    );
    expect(record.verdict).toBe('defect');
    expect(record.failure?.details[0]).toMatch(/two ways at record \d+/);
  });
});

describe('decisions of chance', () => {
  const log = Array.from({ length: 20 }, (_, occurrence) => ({ site: 'x', occurrence, answer: 1 }));

  test('are dropped as long as the failure stays', async () => {
    const needed = await shrinkChoices(
      log,
      async (kept) => [3, 11].every((wanted) => kept.some(({ occurrence }) => occurrence === wanted)),
      200,
    );
    expect(needed.map(({ occurrence }) => occurrence)).toEqual([3, 11]);
  });

  test('are none of them needed when the defaults fail as well', async () => {
    expect(await shrinkChoices(log, async () => true, 200)).toEqual([]);
  });

  test('that a failure needs replay it', async () => {
    const record = await run('  steps:\n    - get: { kind: Pod, name: none }\n');
    const again = await executeRun(load(`${HEAD}  steps:\n    - get: { kind: Pod, name: none }\n`), {
      seed: 1,
      makeWorld: createClusterWorld,
      replay: record.failure?.choices,
    });
    expect(again.failure?.details).toEqual(record.failure?.details);
    expect(again.failure?.at).toBe(record.failure?.at);
  });
});

describe('the schedule of a run', () => {
  const clusterWith = (schedule?: ClusterSpec['schedule']) => ({
    steps: [],
    seed: 5,
    cluster: { nodes: 1, ...(schedule !== undefined && { schedule }) },
  });

  test('is first-come with the first seed and random with others', () => {
    expect(clusterOfRun(clusterWith(), 5)).toEqual({ nodes: 1 });
    expect(clusterOfRun(clusterWith(), 6)).toEqual({
      nodes: 1,
      schedule: { policy: 'random', window: 1_000 },
    });
    expect(clusterOfRun({ steps: [] }, 1)).toEqual({});
  });

  test('is what the scenario says, with every seed', () => {
    for (const seed of [5, 6])
      expect(clusterOfRun(clusterWith('priorities'), seed).schedule).toBe('priorities');
    const schedule = { policy: 'priorities', changePoints: 2, window: 2_000 } as const;
    expect(clusterOptions(clusterOfRun(clusterWith(schedule), 6)).schedule).toEqual(schedule);
    expect(clusterOptions(clusterOfRun(clusterWith('first-come'), 6)).schedule).toBe('first-come');
  });
});
