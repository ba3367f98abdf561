/** Paths with empty segments, and bodies of which nobody says how long they are, as a real 1.31 server takes them. */
import { expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const server = new VirtualServer();
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function ask(method: string, path: string, headers: Readonly<Record<string, string>>, body = '') {
  const { status, bytes } = server.request({ method, path, headers, body: new TextEncoder().encode(body) });
  const answer = JSON.parse(new TextDecoder().decode(bytes)) as { message?: string; details?: object };
  return { status, message: answer.message, details: answer.details };
}

test.each([
  [
    'GET',
    '/api/v1//nodes',
    'forbidden: User "bob" cannot get resource "" in API group "" at the cluster scope',
    { name: 'nodes' },
  ],
  [
    'DELETE',
    '/api/v1/namespaces/default//configmaps',
    'forbidden: User "bob" cannot delete resource "" in API group "" in the namespace "default"',
    { name: 'configmaps' },
  ],
  [
    'GET',
    `${CONFIG_MAPS}//x`,
    'configmaps is forbidden: User "bob" cannot list resource "configmaps/x" in API group "" in the namespace "default"',
    { kind: 'configmaps' },
  ],
  [
    'DELETE',
    `${CONFIG_MAPS}//x`,
    'configmaps is forbidden: User "bob" cannot deletecollection resource "configmaps/x" in API group "" in the namespace "default"',
    { kind: 'configmaps' },
  ],
])('%s %s is forbidden by what is read from it', (method, path, message, details) => {
  expect(ask(method, path, { authorization: 'Bearer bob-token' })).toEqual({ status: 403, message, details });
});

test.each([
  [{}, '{}', 415, '415: Unsupported Media Type'],
  [{}, '', 406, '406: Not Acceptable\n\nAvailable representations: '],
  [
    { 'transfer-encoding': 'chunked' },
    '{}',
    415,
    '415: Unsupported Media Type\n\nAvailable representations: ',
  ],
  [{ 'transfer-encoding': 'chunked' }, '', 415, '415: Unsupported Media Type\n\nAvailable representations: '],
])('a patch of no known type, with %j, of %j', (more, body, status, message) => {
  const headers = { authorization: 'Bearer admin-token', 'content-type': 'application/json', ...more };
  expect(ask('PATCH', `${CONFIG_MAPS}/x`, headers, body)).toEqual({ status, message, details: {} });
});
