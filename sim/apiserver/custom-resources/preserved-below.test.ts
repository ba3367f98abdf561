/** Where a schema takes members of any name, apply takes them everywhere below, and decoding drops them: as a real 1.31 server. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true };
const number = { type: 'integer' };
const SPEC = {
  type: 'object',
  ...PRESERVE,
  properties: {
    n: { type: 'object', properties: { q: number } },
    l: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
    },
    m: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { z: number } },
    },
  },
};

it.each([
  [{ n: { r: 1 } }, { 'f:n': { 'f:r': {} } }, { n: {} }],
  [
    { l: [{ k: 'a', w: 1 }] },
    { 'f:l': { 'k:{"k":"a"}': { '.': {}, 'f:k': {}, 'f:w': {} } } },
    { l: [{ k: 'a' }] },
  ],
  [{ m: { y: { u: 1 } } }, { 'f:m': { 'f:y': { '.': {}, 'f:u': {} } } }, { m: { y: {} } }],
])('%j', (applied, owned, spec) => {
  const ask = askedServer();
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  ask.sleep(10_000);
  const object = { apiVersion: 'example.com/v1', kind: 'Card', metadata: { name: 'one' }, spec: applied };
  const path = '/apis/example.com/v1/cards/one?fieldManager=f';
  expect(ask('PATCH', path, object, 'application/apply-patch+yaml')).toMatchObject({
    status: 201,
    body: { spec, metadata: { managedFields: [{ fieldsV1: { 'f:spec': owned } }] } },
  });
});
