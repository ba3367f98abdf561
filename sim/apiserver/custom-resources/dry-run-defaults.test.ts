import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const KINDS = '/apis/dry.example.com/v1/kinds';

const definition = {
  metadata: { name: 'kinds.dry.example.com' },
  spec: {
    group: 'dry.example.com',
    scope: 'Cluster',
    names: { plural: 'kinds', kind: 'Kind' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { a: { type: 'integer' } } },
              status: {
                type: 'object',
                default: { phase: 'Waiting' },
                properties: { phase: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};

test('a dry run shows the status that reading would give what it does not store', () => {
  const ask = askedServer();
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  ask.sleep(10_000);
  const body = { apiVersion: 'dry.example.com/v1', kind: 'Kind', metadata: { name: 'a' }, spec: { a: 1 } };
  const status = { phase: 'Waiting' };
  expect(ask('POST', `${KINDS}?dryRun=All`, body)).toMatchObject({ status: 201, body: { status } });
  expect(ask('GET', `${KINDS}/a`).status).toBe(404);
  expect(ask('POST', KINDS, body)).toMatchObject({ status: 201, body: { status } });
  ask('PATCH', `${KINDS}/a/status`, { status: { phase: 'Done' } });
  expect(ask('PATCH', `${KINDS}/a/status?dryRun=All`, { status: null })).toMatchObject({ body: { status } });
  expect(ask('GET', `${KINDS}/a`)).toMatchObject({ body: { status: { phase: 'Done' } } });
});
