/** Of a deprecated version is warned who comes to a handler of it, as a real 1.31 server does: no sooner. */
import { expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas';
const WARNING =
  '299 - "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; ' +
  'use flowcontrol.apiserver.k8s.io/v1 FlowSchema"';
const COUNTED =
  'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",' +
  'resource="flowschemas",subresource="",version="v1beta3"} 1';

const MERGE = { 'content-type': 'application/merge-patch+json' };

/** The status, what is warned of, and whether it is counted that somebody asked. */
function ask(method: string, path: string, headers: Readonly<Record<string, string>>, body: string) {
  const server = new VirtualServer();
  const request = (method: string, path: string, more: Readonly<Record<string, string>>, text: string) =>
    server.request({
      method,
      path,
      headers: { authorization: 'Bearer admin-token', ...more },
      body: new TextEncoder().encode(text),
    });
  const { status, headers: answered } = request(method, path, headers, body);
  const metrics = new TextDecoder().decode(request('GET', '/metrics', {}, '').bytes);
  const warning = answered.find(([name]) => name.toLowerCase() === 'warning')?.[1];
  return { status, warning, isCounted: metrics.split('\n').includes(COUNTED) };
}

test.each([
  ['a list', 200, 'GET', SCHEMAS, {}, ''],
  ['an object that is not there', 404, 'GET', `${SCHEMAS}/missing`, {}, ''],
  ['a patch of what is not there', 404, 'PATCH', `${SCHEMAS}/missing`, MERGE, '{}'],
  ['a body that cannot be read', 400, 'POST', SCHEMAS, { 'content-type': 'application/json' }, '{'],
  ['a body in a form that nobody reads', 415, 'POST', SCHEMAS, { 'content-type': 'text/html' }, '{}'],
])('%s is answered %d and warned of', (_, status, method, path, headers, body) => {
  expect(ask(method, path, headers, body)).toEqual({ status, warning: WARNING, isCounted: true });
});

test.each([
  ['a list in a form that there is not', 406, 'GET', SCHEMAS, { accept: 'text/html' }, ''],
  [
    'a patch of a kind that there is not',
    415,
    'PATCH',
    `${SCHEMAS}/exempt`,
    { 'content-type': 'text/html' },
    '{}',
  ],
  [
    'a patch whose answer would be in a form that there is not',
    406,
    'PATCH',
    `${SCHEMAS}/exempt`,
    { ...MERGE, accept: 'text/html' },
    '{}',
  ],
  ['a removal', 406, 'DELETE', `${SCHEMAS}/missing`, { accept: 'text/html' }, ''],
])('%s is refused (%d) and warned of to nobody', (_, status, method, path, headers, body) => {
  expect(ask(method, path, headers, body)).toEqual({ status, warning: undefined, isCounted: false });
});
