import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { loadScenario, type LoadedScenario } from '../language/load-scenario.ts';
import type { Json } from '../language/shape.ts';
import { executeRun } from '../runner/execute-run.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import { arbitraryOf } from './template.ts';

const head = (kind: string): string =>
  `apiVersion: kubesim.dev/v1\nkind: ${kind}\nmetadata: { name: sample }\nspec:\n`;

function load(kind: string, spec: string): LoadedScenario {
  const result = loadScenario('sample.yaml', head(kind) + spec);
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.loaded;
}

const run = (kind: string, spec: string, seed = 1): Promise<RunRecord> =>
  executeRun(load(kind, spec), { seed, makeWorld: createClusterWorld, shrinkAttempts: 120 });

const BARE = '  cluster: { controllers: [], scheduler: false }\n';
const MAP = '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default } }';

const drawnFrom = (template: Json): readonly unknown[] =>
  fc.sample(arbitraryOf(template), { seed: 1, numRuns: 60 });

describe('templates', () => {
  test('draw every hole', () => {
    for (const drawn of drawnFrom({
      n: { $between: [2, 4] },
      t: { $between: ['1s', '1m'] },
      x: { $oneOf: ['a', 'b'] },
    }))
      expect(drawn).toEqual({
        n: expect.toSatisfy((n: number) => n >= 2 && n <= 4),
        t: expect.stringMatching(/^[0-9.]+m?s$|^1m$/),
        x: expect.stringMatching(/^[ab]$/),
      });
  });

  test('leave out what may be left out', () => {
    const drawn = drawnFrom({ a: { $maybe: 1 }, list: { $some: [1, 2] } });
    expect(drawn).toContainEqual({ list: expect.anything() });
    expect(drawn).toContainEqual({ a: 1, list: [1, 2] });
  });

  test('with a hole that there is not are refused where the file is read', () => {
    const spec = '  generate: { operations: [{ get: { kind: Pod, name: { $oneof: [a] } } }] }\n';
    const result = loadScenario('sample.yaml', head('Property') + spec);
    expect(result.kind === 'invalid' && result.problems[0]?.message).toMatch(
      /no hole `\$oneof`; did you mean `\$oneOf`/,
    );
  });
});

describe('a property', () => {
  const spec = `${BARE}  generate:\n    clients: [alice, bob]\n    operations:\n      - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: { $oneOf: [a, b] }, namespace: default } }\n      - delete: { kind: ConfigMap, name: { $oneOf: [a, b] } }\n    faults: { families: [requests, watches] }\n`;

  test('draws with one seed always the same, and with others something else', () => {
    const texts = [1, 1, 2].map((seed) => load('Property', spec).draw?.(seed).text);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  test('draws scenarios that run, and run again from their text', async () => {
    for (const seed of [1, 2, 3]) {
      const record = await run('Property', spec, seed);
      expect(record.failure?.details ?? []).toEqual([]);
      const text = load('Property', spec).draw?.(seed).text ?? '';
      const again = loadScenario('again.yaml', text);
      expect(again.kind).toBe('loaded');
      if (again.kind === 'loaded')
        expect((await executeRun(again.loaded, { seed, makeWorld: createClusterWorld })).verdict).toBe(
          'passed',
        );
    }
  });

  test('that does not hold leaves the smallest scenario that breaks it, which replays', async () => {
    const broken = `${spec}  always:\n    - { name: nothing is called b, get: { kind: ConfigMap, name: b }, expect: { status: 404 } }\n`;
    const seed = 3;
    const { failure } = await run('Property', broken, seed);
    expect(failure).toMatchObject({ kind: 'always', property: 'nothing is called b' });
    expect(failure?.smallest).toMatchObject({ steps: 1, faults: 0 });
    const small = loadScenario('small.yaml', failure?.smallest?.text ?? '');
    if (small.kind === 'invalid') throw new Error(small.problems[0]?.message);
    const again = await executeRun(small.loaded, { seed: 1, makeWorld: createClusterWorld });
    expect(again.failure).toMatchObject({ kind: 'always', property: 'nothing is called b' });
  });
});

describe('steps of clients', () => {
  test('who edits what he has seen long ago, meets a conflict, and tries again where he is told to', async () => {
    const spec = `${BARE}  steps:
    - { create: ${MAP}, as: alice }
    - edit: { kind: ConfigMap, name: a, change: { data: { n: one } } }
    - edit: { kind: ConfigMap, name: a, from: memory, change: { data: { m: two } } }
      as: alice
      expect: { status: 409 }
    - edit: { kind: ConfigMap, name: a, from: memory, retries: 1, change: { data: { m: two } } }
      as: alice
      expect: { body: { data: { n: one, m: two } } }
`;
    expect((await run('Scenario', spec)).failure?.details).toBeUndefined();
  });

  test('one of two creations that are sent together is refused', async () => {
    const spec = `${BARE}  steps:
    - together: { steps: [{ create: ${MAP} }, { create: ${MAP}, expect: { status: 409 } }] }
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: b, namespace: default } }
    - pages: { kind: ConfigMap, namespace: default, limit: 1, between: [{ delete: { kind: ConfigMap, name: a } }] }
    - { get: { kind: ConfigMap, name: a }, expect: { status: 404 } }
`;
    expect((await run('Scenario', spec)).failure?.details).toBeUndefined();
  });
});

describe('faults with a length', () => {
  test('end by themselves, whoever has undone them before', async () => {
    const spec = `  cluster: { nodes: 1 }
  steps:
    - { fault: { crash: { actor: worker-1 } }, for: 5s }
    - { fault: { pause: { actor: scheduler/0 } }, for: 5s }
    - { fault: { failRequests: { verb: get, status: 503 } }, for: 5s }
    - { get: { kind: Node, name: worker-1 }, expect: { status: 503 } }
    - { fault: { restart: { actor: worker-1 } } }
    - advance: 6s
    - { get: { kind: Node, name: worker-1 } }
    - settle: { within: 2m }
`;
    expect((await run('Scenario', spec)).failure?.details).toBeUndefined();
  });
});

describe('a cluster that should be at rest', () => {
  test('is not while something is broken', async () => {
    const record = await run(
      'Scenario',
      '  cluster: { nodes: 1 }\n  steps:\n    - { fault: { crash: { actor: worker-1 } } }\n    - settle: { within: 2m }\n',
    );
    expect(record.failure).toMatchObject({ kind: 'rest', property: 'nodes-rest' });
    expect(record.failure?.details).toContain('node worker-1 is Ready: Unknown');
  });
});

describe('a property that shows how something is found', () => {
  const claim = `${BARE}  expected: failure\n  generate:\n    operations: [{ create: ${MAP} }]\n`;

  test('passes with what it has found', async () => {
    const record = await run(
      'Property',
      `${claim}  always: [{ name: nothing is called a, get: { kind: ConfigMap, name: a }, expect: { status: 404 } }]\n`,
    );
    expect(record.verdict).toBe('passed');
    expect(record.found).toMatchObject({ property: 'nothing is called a', smallest: { steps: 1 } });
  });

  test('fails where there is nothing to be found', async () => {
    const record = await run('Property', claim);
    expect(record.failure?.details).toEqual(['nothing was found']);
  });
});
