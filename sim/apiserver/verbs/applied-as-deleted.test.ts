import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const MAP = '/api/v1/namespaces/default/configmaps/a';
const APPLY = 'application/apply-patch+yaml';
const applied = (metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', deletionTimestamp: '2024-01-02T03:04:05Z', ...metadata },
});

test('what is applied as deleted is there, and goes with the next change, even one that changes nothing', () => {
  const ask = askedServer();
  expect(ask('PATCH', `${MAP}?fieldManager=m`, applied({}), APPLY).status).toBe(201);
  expect(ask('GET', MAP).body['metadata']).toHaveProperty('deletionTimestamp', '2024-01-02T03:04:05Z');
  expect(ask('PATCH', MAP, {}).status).toBe(200);
  expect(ask('GET', MAP).status).toBe(404);
});

test('a finalizer keeps it until it is taken away', () => {
  const ask = askedServer();
  ask('PATCH', `${MAP}?fieldManager=m`, applied({ finalizers: ['a.b/c'] }), APPLY);
  ask('PATCH', MAP, { data: { n: '1' } });
  expect(ask('GET', MAP).status).toBe(200);
  ask('PATCH', MAP, { metadata: { finalizers: null } });
  expect(ask('GET', MAP).status).toBe(404);
});
