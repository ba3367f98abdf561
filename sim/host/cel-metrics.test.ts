/** The numbers are those by which the metrics of a real 1.31 server rose after the same requests. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { serve, type Serving } from './serve.ts';

let serving: Serving;
let url: string;

beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 1,
    nodes: 0,
    onDefect: (error) => {
      throw error;
    },
  });
  url = serving.urls.find((each) => each.startsWith('http:')) ?? '';
});

afterAll(() => serving.stop());

async function send(method: string, path: string, body: object, type = 'application/json'): Promise<number> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  });
  return answer.status;
}

async function countOf(metric: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${metric}_count(?:{})? (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

const number = (rule: string) => ({ type: 'integer', 'x-kubernetes-validations': [{ rule }] });
const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'self.a > 0' }, { rule: 'self.a > 1' }],
      properties: {
        a: number('self < 9'),
        b: { type: 'string' },
        l: { type: 'array', maxItems: 5, items: number('self > 0') },
      },
    },
  },
};
const OBJECTS = '/apis/example.com/v1/boxes';
const box = (name: string, spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name },
  spec,
});

const COMPILATIONS = 'apiserver_cel_compilation_duration_seconds';
const EVALUATIONS = 'apiserver_cel_evaluation_duration_seconds';
const COMPARISONS = 'apiextensions_apiserver_validation_ratcheting_seconds';

test('rules are counted when they are compiled, values when they are judged, updates when they are compared', async () => {
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'boxes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'boxes', kind: 'Box' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
    },
  });
  expect(await countOf(COMPILATIONS)).toBe(3);
  await vi.waitFor(async () => expect(await send('POST', OBJECTS, box('one', { a: 3 }))).toBe(201), 10_000);
  expect(await countOf(EVALUATIONS)).toBe(3);
  await send('POST', OBJECTS, box('two', { a: 3, l: [1, 2, 3] }));
  expect(await countOf(EVALUATIONS)).toBe(10);
  expect(await send('POST', OBJECTS, box('none', {}))).toBe(422);
  expect(await countOf(EVALUATIONS)).toBe(12);
  expect(await countOf(COMPARISONS)).toBe(0);
  await send('PATCH', `${OBJECTS}/two`, { spec: { l: [1, 2] } }, 'application/merge-patch+json');
  expect(await countOf(EVALUATIONS)).toBe(18);
  expect(await countOf(COMPARISONS)).toBe(1);
});
