/** Paths and methods of custom resources that are no usual ones, as a real 1.31 server takes them. */
import { expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const server = new VirtualServer();
const WIDGETS = '/apis/d.io/v1/namespaces/default/widgets';
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };

function ask(method: string, path: string, body?: object, type = 'application/json') {
  const { status, headers, bytes } = server.request({
    method,
    path,
    headers: { authorization: 'Bearer admin-token', 'content-type': type },
    body: new TextEncoder().encode(body ? JSON.stringify(body) : ''),
  });
  const { message = '' } = JSON.parse(new TextDecoder().decode(bytes)) as { message?: string };
  return { status, message, warnings: headers.filter(([name]) => name === 'warning').length };
}

const widget = (name: string): object => ({ apiVersion: 'd.io/v1', kind: 'Widget', metadata: { name } });

ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.d.io' },
  spec: {
    group: 'd.io',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ ...version, deprecated: true }],
  },
});
server.sleep(2_000);
ask('POST', WIDGETS, widget('x'));

test.each([
  ['GET', '/x', 200, undefined],
  ['GET', '/none', 404, 'widgets.d.io "none" not found'],
  ['GET', '/x/nothing', 404, 'widgets.d.io "x" not found'],
  ['DELETE', '/x/nothing', 404, 'widgets.d.io "x" not found'],
  ['DELETE', '/x/status', 405, 'delete is not supported on resources of kind "widgets.d.io"'],
  ['GET', '/x/status/of/what', 200, undefined],
])(
  '%s of %s warns that the version is deprecated, whatever comes of it',
  (method, path, status, message = '') => {
    expect(ask(method, WIDGETS + path)).toEqual({ status, message, warnings: 1 });
  },
);

test('an object may be created at the path of any other', () => {
  expect(ask('POST', `${WIDGETS}/x`, widget('y')).status).toBe(201);
  expect(ask('GET', `${WIDGETS}/y`).status).toBe(200);
});

test.each([
  ['PUT', 'application/json'],
  ['PATCH', 'application/merge-patch+json'],
  ['PATCH', 'application/apply-patch+yaml'],
])('%s of all, as %s, lacks a name', (method, type) => {
  const { status, message } = ask(method, `${WIDGETS}?fieldManager=a`, widget('x'), type);
  expect([status, message]).toEqual([400, 'name must be provided']);
});
