import { expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { createClusterWorld } from '../world/cluster-world.ts';
import { executeRun } from '../runner/execute-run.ts';
import { loadScenario } from '../language/load-scenario.ts';
import type { Answer, MakeWorld, World, WorldRequest } from '../world/world.ts';

const STEPS = `    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default }, data: { n: '1' } }
    - get: { kind: ConfigMap, name: a }
    - patch: { kind: ConfigMap, name: a, patch: { data: { n: '2' } } }
    - name: a patch that changes nothing is no write
      patch: { kind: ConfigMap, name: a, patch: { data: { n: '2' } } }
    - get: { kind: ConfigMap, name: a }
      expect: { body: { $present: true } }
    - delete: { kind: ConfigMap, name: a }
    - get: { kind: ConfigMap, name: a }
      expect: { status: 404 }
`;

function run(
  makeWorld: MakeWorld = createClusterWorld,
  cluster = '{ watchCacheLag: 2s }',
): Promise<RunRecord> {
  const result = loadScenario(
    'sample.yaml',
    `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\nspec:\n  cluster: ${cluster}\n  checkers: [writes-durable, reads-linearizable]\n  steps:\n${STEPS}`,
  );
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return executeRun(result.loaded, { seed: 1, makeWorld });
}

/** A world in which somebody between client and server answers other things. */
const withAnswers =
  (change: (answer: Answer, request: WorldRequest, earlier: readonly Answer[]) => Answer): MakeWorld =>
  (options) => {
    const world: World = createClusterWorld(options);
    const ask = world.request.bind(world);
    const earlier: Answer[] = [];
    return Object.assign(world, {
      async request(request: WorldRequest): Promise<Answer> {
        const answer = await ask(request);
        earlier.push(answer);
        return change(answer, request, earlier);
      },
    });
  };

test('reads are linearizable and writes durable, also where watch caches are late', async () => {
  expect((await run()).failure?.details).toBeUndefined();
});

test('a read that shows what was there before the last write is found', async () => {
  const stale = withAnswers((answer, { method }, earlier) =>
    method === 'GET' && answer.status === 200 ? (earlier[0] ?? answer) : answer,
  );
  const { failure } = await run(stale);
  expect(failure).toMatchObject({ kind: 'checker', property: 'reads-linearizable' });
  expect(failure?.details[0]).toMatch(
    /^a read of ConfigMap default\/a showed version \d+, not its state at \d+ or later$/,
  );
});

test('a write that was answered and never done is found', async () => {
  const dreamt = withAnswers((answer, { method }) => {
    if (method !== 'PATCH') return answer;
    const body = answer.body as { readonly metadata: object };
    return { ...answer, body: { ...body, metadata: { ...body.metadata, resourceVersion: '90000' } } };
  });
  const { failure } = await run(dreamt);
  expect(failure).toMatchObject({
    kind: 'checker',
    property: 'writes-durable',
    details: expect.arrayContaining(['the write of ConfigMap default/a at 90000 is lost']) as unknown,
  });
});
