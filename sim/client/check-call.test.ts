import { expect, it, test } from 'vitest';
import { createCluster } from '../index.ts';
import { problemOfCall } from './check-call.ts';

type Call = Parameters<typeof problemOfCall>[1];

it.each<[call: Call, args: readonly unknown[], problem: string]>([
  ['get', [undefined], 'pods.get takes a name or { namespace, name }, not undefined'],
  ['get', [''], 'pods.get takes a name or { namespace, name }, not ""'],
  ['delete', [{ namespace: 'a' }], 'pods.delete takes a name or { namespace, name }, not {"namespace":"a"}'],
  [
    'get',
    [{ name: 'a', namespace: 7 }],
    'pods.get takes a name or { namespace, name }, not {"name":"a","namespace":7}',
  ],
  ['create', [undefined], 'pods.create takes an object with metadata, not undefined'],
  ['create', [{ spec: {} }], 'pods.create takes an object with metadata, not {"spec":{}}'],
  ['update', [{ metadata: {} }], 'pods.update takes an object with metadata.name'],
  ['apply', [{ metadata: { name: '' } }], 'pods.apply takes an object with metadata.name'],
  [
    'patch',
    ['a', { type: 'apply', body: {} }],
    'pods.patch takes a patch { type, body } of one of the types merge, strategic, json, not {"type":"apply","body":{}}',
  ],
  ['list', ['default'], 'pods.list takes options, not "default"'],
  [
    'get',
    ['a', { namespace: 'b' }],
    'pods.get has no option "namespace": it has resourceVersion, subresource, timeout',
  ],
  [
    'deleteCollection',
    [{ labelSelektor: 'a=b' }],
    'pods.deleteCollection has no option "labelSelektor": it has fieldSelector, gracePeriodSeconds, isDryRun, ' +
      'labelSelector, namespace, preconditions, propagationPolicy, timeout',
  ],
])('%s %j cannot be meant', (call, args, problem) => {
  expect(problemOfCall('pods', call, args)).toBe(problem);
});

it.each<[call: Call, args: readonly unknown[]]>([
  ['get', ['a', { resourceVersion: '0', timeout: 5 }]],
  ['get', [{ namespace: '', name: 'a' }]],
  ['list', []],
  ['watch', [{ allowWatchBookmarks: true, labelSelector: 'a' }]],
  ['create', [{ metadata: { generateName: 'a-' } }, { isDryRun: true }]],
  ['patch', ['a', { type: 'json', body: [] }, { fieldManager: 'me' }]],
  ['apply', [{ metadata: { name: 'a' } }, { fieldManager: 'me', force: true }]],
  ['delete', ['a', { gracePeriodSeconds: 0, preconditions: { uid: 'u' } }]],
])('%s %j can', (call, args) => {
  expect(problemOfCall('pods', call, args)).toBeUndefined();
});

test('nobody but the caller hears of a call that cannot be meant, and the next one is made as ever', () => {
  const cluster = createCluster({ controllers: [] });
  const { pods } = cluster.client;
  expect(() => pods.list({ labelSelektor: 'a' } as object)).toThrow(
    new RangeError(problemOfCall('pods', 'list', [{ labelSelektor: 'a' }])),
  );
  expect(() => pods.watch({ labelSelektor: 'a' } as object)).toThrow(RangeError);
  expect(pods.list().items).toEqual([]);
});

test('a promise of such a call is broken', async () => {
  const cluster = createCluster({ controllers: [] });
  const heard: unknown[] = [];
  cluster.guest('careless', async ({ client }) => {
    await client.pods.get('').catch((error: unknown) => heard.push(error));
    await client.pods.watch({ labelSelektor: 'a' } as object).catch((error: unknown) => heard.push(error));
  });
  await cluster.guests.advance(1_000_000 as Parameters<typeof cluster.advance>[0]);
  expect(heard.map(String)).toEqual([
    'RangeError: pods.get takes a name or { namespace, name }, not ""',
    expect.stringContaining('RangeError: pods.watch has no option "labelSelektor"'),
  ]);
});
