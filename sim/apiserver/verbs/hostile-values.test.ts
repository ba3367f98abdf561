import { expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const JSON_TYPE = 'application/json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const template = (spec: object): object => ({
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec },
});

const server = new VirtualServer();
function ask(method: string, path: string, body?: object | string, type = JSON_TYPE, accept = JSON_TYPE) {
  const { status, headers, bytes } = server.request({
    method,
    path,
    headers: { authorization: 'Bearer admin-token', accept, 'content-type': type },
    ...(body !== undefined && {
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    }),
  });
  return { status, headers, text: new TextDecoder().decode(bytes) };
}

test('a StatefulSet needs no containers, and its scale can be shown as a Table', () => {
  const set = (name: string, spec: object): object => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: { ...template(spec), serviceName: 'x' },
  });
  expect(ask('POST', SETS, set('none', {})).status).toBe(201);
  expect(ask('POST', SETS, set('null', { containers: null })).status).toBe(201);
  const { status, text } = ask('GET', `${SETS}/none/scale`, undefined, JSON_TYPE, TABLE);
  expect(status).toBe(200);
  const table = JSON.parse(text) as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
  expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Desired', 'Available', 'Age']);
  expect(table.rows[0]?.cells.slice(0, 3)).toEqual(['none', 1, 0]);
});

test.each(['toString', '__proto__', 'constructor', 'hasOwnProperty'])(
  'an API version called %s is one that nobody knows',
  (name) => {
    const body = `{"apiVersion":"${name}","kind":"ConfigMap","metadata":{"name":"q"}}`;
    const { status, text } = ask('POST', CONFIG_MAPS, body);
    expect(status).toBe(400);
    expect(text).toContain('no kind \\"ConfigMap\\" is registered for version');
  },
);

test('the index is JSON whatever is asked for, and the version nothing else', () => {
  const protobuf = 'application/vnd.kubernetes.protobuf';
  const index = ask('GET', '/', undefined, JSON_TYPE, protobuf);
  expect(index.status).toBe(200);
  expect(JSON.parse(index.text)).toHaveProperty('paths');
  expect(ask('GET', '/version', undefined, JSON_TYPE, protobuf).status).toBe(406);
  expect(ask('GET', `${CONFIG_MAPS}?pretty=true`, undefined, JSON_TYPE, protobuf).status).toBe(200);
});

test('numbers beyond doubles are answered in every kind of patch', () => {
  const spec = template({ containers: [{ name: 'c', image: 'i' }] });
  ask('POST', DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const label = '{"metadata":{"labels":{"x":9007199254740993}}}';
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json'])
    expect(ask('PATCH', `${DEPLOYMENTS}/d`, label, type).status, type).toBe(422);
  const applied =
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{"x":9007199254740993}}}';
  const { status, text } = ask(
    'PATCH',
    `${DEPLOYMENTS}/d?fieldManager=z`,
    applied,
    'application/apply-patch+yaml',
  );
  expect(status).toBe(500);
  expect(text).toContain(
    '.metadata.labels.x: expected string, got \\u0026value.valueUnstructured{Value:9007199254740993}',
  );
});

test.each([
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MS41LCJzdGFydCI6ImEifQ',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Miwic3RhcnQiOjV9',
])('a continue token of other types is refused (%s)', (token) => {
  const { status, text } = ask('GET', `${CONFIG_MAPS}?limit=1&continue=${token}`);
  expect(status).toBe(400);
  expect(text).toContain('invalid continue token: continue key is not valid: json: cannot unmarshal number');
});

test('a number beyond doubles is written into what was applied last', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const spec = template({ containers: [{ name: 'c', image: 'i', securityContext: { runAsUser: 1 } }] });
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'large', annotations } };
  expect(ask('POST', SETS, { ...set, spec: { ...spec, serviceName: 'x' } }).status).toBe(201);
  const applied = JSON.stringify({ ...set, spec: { ...spec, serviceName: 'x' } }).replace(
    '"runAsUser":1',
    '"runAsUser":9007199254740993',
  );
  const path = `${SETS}/large?fieldManager=kubectl&force=true`;
  const { status, text } = ask('PATCH', path, applied, 'application/apply-patch+yaml');
  expect(status).toBe(200);
  expect(text).toContain('"runAsUser":9007199254740993');
  expect(text).toContain('runAsUser\\":9007199254740993');
});
