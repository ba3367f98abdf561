import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../object.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { ApiError } from '../status.ts';
import { applyJsonPatch, applyJsonPatchText, readJsonPatch } from './json-patch.ts';
import { applyMergePatchText } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const strategicallyMerged = (...patching: Parameters<typeof applyStrategicMergePatch>): JsonObject =>
  applyStrategicMergePatch(...patching).patched;

const { types } = RELEASE_1_31.catalog;

const answerOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error instanceof ApiError ? `${error.code} ${error.message}` : error;
  }
};

const REJECTED = '422 the server rejected our request due to an error in our request';
const document = { data: { k: '1' }, list: [{ name: 'x' }, { name: 'y' }, { name: 'z' }], none: null };

describe('JSON patch', () => {
  it.each<[string, Json, unknown]>([
    [
      'adds or replaces a member',
      [{ op: 'add', path: '/data/k', value: '2' }],
      { ...document, data: { k: '2' } },
    ],
    [
      'replaces what is missing',
      [{ op: 'replace', path: '/data/n', value: '2' }],
      { ...document, data: { k: '1', n: '2' } },
    ],
    [
      'counts from the end',
      [{ op: 'remove', path: '/list/-2' }],
      { ...document, list: [{ name: 'x' }, { name: 'z' }] },
    ],
    [
      'appends',
      [
        { op: 'add', path: '/list/-1', value: 1 },
        { op: 'add', path: '/list/-', value: 2 },
      ],
      { ...document, list: [...document.list, 1, 2] },
    ],
    ['passes over text before the first slash', [{ op: 'add', path: 'data/l' }], { ...document, l: null }],
    ['moves', [{ op: 'move', from: '/data/k', path: '/data/a~1b' }], { ...document, data: { 'a/b': '1' } }],
    [
      'copies what is missing as null',
      [{ op: 'copy', from: '/data/x', path: '/data/y' }],
      { ...document, data: { k: '1', y: null } },
    ],
    ['reads indexes as numbers', [{ op: 'test', path: '/list/+01/name', value: 'y' }], document],
    ['takes a missing member for null in a test', [{ op: 'test', path: '/nothing', value: null }], document],
    [
      'leaves the document alone if told to make it a text',
      [{ op: 'replace', path: '', value: 'x' }],
      document,
    ],
    ['removes nothing that is missing', [{ op: 'remove', path: '/data/x' }], REJECTED],
    ['needs the parent', [{ op: 'add', path: '/none/x', value: 1 }], REJECTED],
    ['knows no index but numbers', [{ op: 'test', path: '/list/1.0/name', value: 'y' }], REJECTED],
    ['cannot add the whole document', [{ op: 'add', path: '', value: {} }], REJECTED],
    ['knows its operations', [{ op: 'ADD', path: '/x', value: 1 }], REJECTED],
    ['takes null for no operations', null, document],
  ])('%s', (_, patch, expected) => expect(answerOf(() => applyJsonPatch(document, patch))).toEqual(expected));

  const textAfter = (patch: string): unknown =>
    answerOf(() => applyJsonPatchText('{"port":80,"meta":{"z":1,"a":"\\u003c"}}', readJsonPatch(patch)));

  it.each([
    ['[{"op":"test","path":"/port","value":80.0}]', REJECTED],
    ['[{"op":"test","path":"/meta/a","value":"<"}]', REJECTED],
    [
      '[{"op":"test","path":"/meta","value":{ "a": "\\u003c", "z":1}}]',
      '{"meta":{"a":"\\u003c","z":1},"port":80}',
    ],
    ['[{"op":"replace","path":"/port","value":82.0}]', '{"meta":{"z":1,"a":"\\u003c"},"port":82.0}'],
    [
      '[{"op":"add","path":"/d","value":{"x":1, "x":"<"}}]',
      '{"d":{"x":1,"x":"\\u003c"},"meta":{"z":1,"a":"\\u003c"},"port":80}',
    ],
    [
      '{}',
      '400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      '["x"]',
      '400 error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    ],
    [
      '[{"op":1}]',
      '400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('keeps spelling: %s', (patch, expected) => expect(textAfter(patch)).toBe(expected));

  it('refuses more than 10000 operations and reports unknown members', () => {
    const many = `[${'{},'.repeat(10_000)}{}]`;
    expect(answerOf(() => readJsonPatch(many))).toBe(
      '413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    expect(readJsonPatch('[{"op":"add","note":1}]').unknownFields).toEqual(['[0].note']);
  });

  it('can be applied again after it was applied', () => {
    const patch = readJsonPatch('[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1}]');
    expect([applyJsonPatchText('{}', patch), applyJsonPatchText('{}', patch)]).toEqual([
      '{"a":{"b":1}}',
      '{"a":{"b":1}}',
    ]);
  });
});

const applyMergePatch = (document: Json, patch: Json): Json =>
  JSON.parse(applyMergePatchText(JSON.stringify(document), JSON.stringify(patch))) as Json;

describe('merge patch', () => {
  it.each<[Json, Json, unknown]>([
    [{ a: 'b' }, { a: 'c', d: { e: null, f: 1 } }, { a: 'c', d: { f: 1 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    [{ a: [1, 2] }, { a: [null, { b: null }] }, { a: [null, {}] }],
    [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    [{ a: 1 }, null, '400 Invalid JSON Patch'],
    [
      { a: 1 },
      [],
      '400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ])('%j with %j', (value, patch, expected) =>
    expect(answerOf(() => applyMergePatch(value, patch))).toEqual(expected),
  );

  it('keeps how numbers are written', () => {
    expect(applyMergePatchText('{"b":1,"a":2}', '{"b": 82.0}')).toBe('{"a":2,"b":82.0}');
  });
});

const deployment = (containers: readonly Json[], more: JsonObject = {}): JsonObject => ({
  spec: {
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    template: { spec: { containers, ...more } },
  },
});
const podOf = (object: unknown): JsonObject =>
  (object as { spec: { template: { spec: JsonObject } } }).spec.template.spec;
const patchPod = (
  pod: JsonObject,
  containers: readonly Json[] = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'j' },
  ],
): unknown =>
  answerOf(() =>
    podOf(
      strategicallyMerged(types.structOf('apps/v1.Deployment'), deployment(containers), {
        spec: { template: { spec: pod } },
      }),
    ),
  );

describe('strategic merge patch', () => {
  const a = { name: 'a', image: 'i' };
  const b = { name: 'b', image: 'j' };

  it.each<[string, JsonObject, unknown]>([
    [
      'merges elements by key',
      { containers: [{ name: 'b', image: 'new' }] },
      { containers: [a, { name: 'b', image: 'new' }] },
    ],
    ['puts new elements in front', { containers: [{ name: 'n' }] }, { containers: [{ name: 'n' }, a, b] }],
    [
      'keeps the order of the patch',
      { containers: [{ name: 'b' }, { name: 'n' }] },
      { containers: [a, b, { name: 'n' }] },
    ],
    ['deletes elements', { containers: [{ name: 'a', $patch: 'delete' }] }, { containers: [b] }],
    [
      'replaces lists',
      { containers: [{ name: 'n' }, { $patch: 'replace' }] },
      { containers: [{ name: 'n' }] },
    ],
    [
      'orders elements',
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      { containers: [b, a] },
    ],
    [
      'resolves directives in a new list',
      {
        volumes: [
          { $patch: 'delete', name: 'x' },
          { name: 'v', emptyDir: null },
        ],
      },
      { containers: [a, b], volumes: [{ name: 'v' }] },
    ],
    [
      'needs the merge key',
      { containers: [{ image: 'x' }] },
      '500 map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'needs a known directive',
      { containers: [{ name: 'a', $patch: 'remove' }] },
      '500 unknown patch type: remove in map: map[$patch:remove name:a]',
    ],
    [
      'needs a known field for an order',
      { '$setElementOrder/nothing': [] },
      '500 unable to find api field in struct PodSpec for the json field "nothing"',
    ],
    [
      'names what does not fit',
      { containers: 'c' },
      '422  "" is invalid: patch: Invalid value: "map[spec:map[template:map[spec:map[containers:c]]]]": cannot restore slice from string',
    ],
  ])('%s', (_, pod, expected) => expect(patchPod(pod)).toEqual(expected));

  const strategyAfter = (strategy: JsonObject): unknown =>
    answerOf(() => {
      const patched = strategicallyMerged(types.structOf('apps/v1.Deployment'), deployment([a]), {
        spec: { strategy },
      });
      return (patched as { spec: { strategy: unknown } }).spec.strategy;
    });

  it('retains the keys it is told to', () => {
    expect(strategyAfter({ $retainKeys: ['type'], type: 'Recreate' })).toEqual({ type: 'Recreate' });
    expect(strategyAfter({ $retainKeys: ['rollingUpdate'], type: 'x' })).toBe(
      '400 invalid patch format of retainKeys',
    );
    expect(strategyAfter({ $retainKeys: [1] })).toEqual({});
  });

  const finalizersAfter = (metadata: JsonObject): unknown =>
    answerOf(() => {
      const object = { metadata: { finalizers: ['x/a', 'x/b'] } };
      return (strategicallyMerged(types.structOf('v1.ConfigMap'), object, { metadata }) as typeof object)
        .metadata.finalizers;
    });

  it.each<[JsonObject, unknown]>([
    [{ finalizers: ['x/c', 'x/a'] }, ['x/c', 'x/a', 'x/b']],
    [{ '$deleteFromPrimitiveList/finalizers': ['x/a'] }, ['x/b']],
    [{ '$deleteFromPrimitiveList/finalizers': 'x/a' }, ['x/a', 'x/b']],
    [
      { finalizers: [{ $patch: 'replace' }] },
      '500 list element types are not identical: [[x/a x/b] [map[$patch:replace]]]',
    ],
    [
      { '$setElementOrder/finalizers': ['x/x'], finalizers: ['x/y'] },
      "500 The order in patch list:\n[x/y]\n doesn't match $setElementOrder list:\n[x/x]\n",
    ],
  ])('scalars: %j', (metadata, expected) => expect(finalizersAfter(metadata)).toEqual(expected));

  it('treats maps with directives', () => {
    const after = (data: JsonObject): unknown =>
      answerOf(() => strategicallyMerged(types.structOf('v1.ConfigMap'), { data: { k: '1' } }, { data }));
    expect(after({ $patch: 'replace', n: '3' })).toEqual({ data: { n: '3' } });
    expect(after({ $patch: 'delete', n: '3' })).toEqual({ data: {} });
    expect(after({ $patch: 1 })).toBe('500 unknown patch type: %!s(int64=1) in map: map[$patch:1]');
  });
});

it('merges more members than a call has room for', () => {
  const data = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, 'v']));
  const text = applyMergePatchText('{"a":1}', JSON.stringify({ data }));
  expect(Object.keys((JSON.parse(text) as { data: object }).data)).toHaveLength(150_000);
});
