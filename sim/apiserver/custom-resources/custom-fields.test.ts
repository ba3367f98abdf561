/** Whose fields are whose in custom resources, as a real 1.31 server has it. */
import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const withStatus = (a: object): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object' },
      status: { type: 'object', properties: { a, b: { type: 'string' } } },
    },
  },
});

const definition = {
  metadata: { name: 'things.fields.example.com' },
  spec: {
    group: 'fields.example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: withStatus({ type: 'string' }) },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: withStatus({ type: 'string' }),
        subresources: { status: {} },
      },
    ],
  },
};

const things = (version: string): string => `/apis/fields.example.com/${version}/things`;
const thing = (version: string, members: object): object => ({
  apiVersion: `fields.example.com/${version}`,
  kind: 'Thing',
  metadata: { name: 'x' },
  ...members,
});

test('a version without a status of its own owns the status that it writes, whatever other versions have', () => {
  const ask = askedServer();
  ask('POST', DEFINITIONS, definition);
  ask.sleep(1000);
  const { body } = ask('POST', things('v1'), thing('v1', { status: { a: 'x' } }));
  expect(JSON.stringify(body)).toContain('"f:status"');
  const later = ask('PATCH', `${things('v2')}/x`, { status: { a: 'y' }, spec: {} }).body;
  expect(later['status']).toEqual({ a: 'x' });
});

test('nobody applies to what is stored and does not fit its schema any more', () => {
  const ask = askedServer();
  ask('POST', DEFINITIONS, definition);
  ask.sleep(1000);
  const path = `${things('v1')}/x?fieldManager=m`;
  const apply = 'application/apply-patch+yaml';
  expect(ask('PATCH', path, thing('v1', { status: { a: 'x' } }), apply).status).toBe(201);
  const changed = { op: 'replace', path: '/spec/versions/0/schema', value: withStatus({ type: 'integer' }) };
  ask('PATCH', `${DEFINITIONS}/things.fields.example.com`, [changed], 'application/json-patch+json');
  ask.sleep(1000);
  expect(ask('PATCH', path, thing('v1', { status: { b: 'y' } }), apply)).toMatchObject({
    status: 500,
    body: {
      message:
        'failed to create typed live object (/x; fields.example.com/v1, Kind=Thing): .status.a: expected numeric (int or float), got string',
    },
  });
});

const boxes = '/apis/fields.example.com/v1/boxes';
const withBare = (bare: object): object => ({
  metadata: { name: 'boxes.fields.example.com' },
  spec: {
    group: 'fields.example.com',
    scope: 'Cluster',
    names: { plural: 'boxes', kind: 'Box' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { bare } } },
      },
    ],
  },
});
const box = (bare: object): object => ({
  apiVersion: 'fields.example.com/v1',
  kind: 'Box',
  metadata: { name: 'x' },
  bare,
});

test('what declares no members is applied with any: they are owned, and dropped', () => {
  const ask = askedServer();
  ask('POST', DEFINITIONS, withBare({ type: 'object' }));
  ask.sleep(1000);
  const path = `${boxes}/x?fieldManager=m`;
  expect(ask('PATCH', path, box({ a: 1 }), 'application/apply-patch+yaml')).toMatchObject({
    status: 201,
    body: { bare: {}, metadata: { managedFields: [{ fieldsV1: { 'f:bare': { 'f:a': {} } } }] } },
  });
});

test('a default may be a whole number of more than 53 bits', () => {
  const ask = askedServer();
  const text = JSON.stringify(
    withBare({ type: 'object', properties: { n: { type: 'integer', default: 7 } } }),
  ).replace('"default":7', '"default":9007199254740993');
  ask('POST', DEFINITIONS, text);
  ask.sleep(1000);
  expect(ask('POST', boxes, box({}))).toMatchObject({ status: 201 });
});
