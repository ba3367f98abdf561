import { beforeAll, describe, expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const FOOS = '/apis/e.io/v1/namespaces/default/foos';

describe('a body nested deeper than any object is', () => {
  const server = new VirtualServer();
  const ask = (method: string, path: string, contentType: string, body: string) => {
    const { status, bytes } = server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'content-type': contentType,
      },
      body: new TextEncoder().encode(body),
    });
    return { status, text: new TextDecoder().decode(bytes) };
  };
  const post = (path: string, body: object, type = 'application/json') =>
    ask('POST', path, type, JSON.stringify(body));
  beforeAll(() => {
    post(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' } });
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.e.io' },
      spec: {
        group: 'e.io',
        scope: 'Namespaced',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    server.sleep(3_000);
    post(FOOS, { apiVersion: 'e.io/v1', kind: 'Foo', metadata: { name: 'foo' } });
  });

  const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const withMember = (member: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"},${member}}`;

  test.each([
    [4_000, 201],
    [9_900, 201],
    [10_001, 400],
    [200_000, 400],
  ])('an unknown field of %i levels is dropped or refused as the real server does', (depth, status) => {
    for (const value of [objects(depth), lists(depth)])
      expect(ask('POST', CONFIG_MAPS, 'application/json', withMember(`"x":${value}`)).status).toBe(status);
  });

  test.each([
    ['application/merge-patch+json', (value: string) => `{"x":${value}}`, 200],
    ['application/merge-patch+json', (value: string) => `{"data":{"x":${value}}}`, 422],
    ['application/strategic-merge-patch+json', (value: string) => `{"x":${value}}`, 200],
    ['application/strategic-merge-patch+json', (value: string) => `{"data":{"x":${value}}}`, 422],
    ['application/json-patch+json', (value: string) => `[{"op":"add","path":"/x","value":${value}}]`, 200],
    [
      'application/json-patch+json',
      (value: string) =>
        `[{"op":"add","path":"/x","value":${value}},{"op":"test","path":"/x","value":${value}}]`,
      200,
    ],
  ])('a patch of 9,000 levels is answered as one of few (%s)', (type, patch, status) => {
    expect(ask('PATCH', `${CONFIG_MAPS}/cm`, type, patch(objects(5))).status).toBe(status);
    expect(ask('PATCH', `${CONFIG_MAPS}/cm`, type, patch(objects(9_000))).status).toBe(status);
  });

  test('operations that nest what their texts do not are answered', () => {
    const wrap = [
      { op: 'add', path: '/b', value: {} },
      { op: 'move', from: '/data', path: '/b/a' },
      { op: 'move', from: '/b', path: '/data' },
    ];
    const patch = [
      { op: 'add', path: '/data', value: {} },
      ...Array.from({ length: 3_000 }, () => wrap).flat(),
    ];
    const { status } = ask(
      'PATCH',
      `${CONFIG_MAPS}/cm`,
      'application/json-patch+json',
      JSON.stringify(patch),
    );
    expect(status).toBe(422);
  });

  test('where it would be kept it is refused, by every way', () => {
    const spec = `"spec":${objects(2_000)}`;
    const foo = `{"apiVersion":"e.io/v1","kind":"Foo","metadata":{"name":"foo"},${spec}}`;
    const answers = [
      ask('POST', FOOS, 'application/json', foo),
      ask('PATCH', `${FOOS}/foo`, 'application/merge-patch+json', `{${spec}}`),
      ask('PATCH', `${FOOS}/foo?fieldManager=f`, 'application/apply-patch+yaml', foo),
      ask(
        'POST',
        '/apis/apps/v1/namespaces/default/controllerrevisions',
        'application/json',
        `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},"revision":1,"data":${objects(2_000)}}`,
      ),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(400);
      expect(text).toContain('nested deeper than 1200 levels');
    }
  });

  test.each([
    ['lists that are not closed', (depth: number) => `x: ${'['.repeat(depth)}`],
    ['maps that are not closed', (depth: number) => `x: ${'{a: '.repeat(depth)}`],
    ['lists that only seem to be closed', (depth: number) => `x: ${'["]]]]", '.repeat(depth)}`],
    ['lists in lists', (depth: number) => `x:\n${'- '.repeat(depth)}1`],
    ['keys in keys', (depth: number) => `${'? '.repeat(depth)}1`],
    [
      'stairs',
      (depth: number) =>
        Array.from({ length: Math.min(depth, 2_000) }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    ],
    [
      'lists in anchors',
      (depth: number) =>
        Array.from({ length: 40 }, (_, at) => {
          const levels = Math.min(depth, 150);
          return `a${at}: &a${at} ${'['.repeat(levels)}${at === 0 ? '1' : `*a${at - 1}`}${']'.repeat(levels)}`;
        }).join('\n'),
    ],
  ])('YAML: %s, again and again', (_what, yaml) => {
    for (const depth of [1_300, 1_300, 5_000, 5_000, 200_000]) {
      for (const answer of [
        ask('POST', CONFIG_MAPS, 'application/yaml', yaml(depth)),
        ask('PATCH', `${CONFIG_MAPS}/cm?fieldManager=f`, 'application/apply-patch+yaml', yaml(depth)),
      ])
        expect(answer.status).toBe(400);
    }
  });
});
