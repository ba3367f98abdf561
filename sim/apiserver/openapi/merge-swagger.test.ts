import { expect, it } from 'vitest';
import { mergedSwagger } from './merge-swagger.ts';

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const PREFIX = '/apis/x.io/v1/';
const OWN = {
  swagger: '2.0',
  paths: { '/apis/apps/v1/': { get: {} } },
  definitions: { Meta: { type: 'object', description: 'own' }, Time: { type: 'string' } },
};

it('takes the paths below the prefix of the other, and what these lead to', () => {
  const document = {
    paths: {
      '/apis/x.io/v1/foos': { get: { schema: ref('Foo') } },
      '/apis/x.io/v12/foos': { get: { schema: ref('Bar') } },
      '/apis/apps/v1/': { get: { schema: ref('Bar') } },
    },
    definitions: { Foo: { properties: { next: ref('Foo') } }, Bar: {}, Time: { type: 'string' } },
  };
  expect(mergedSwagger(OWN, [{ prefix: PREFIX, document }])).toEqual({
    swagger: '2.0',
    paths: { '/apis/apps/v1/': { get: {} }, '/apis/x.io/v1/foos': { get: { schema: ref('Foo') } } },
    definitions: { ...OWN.definitions, Foo: { properties: { next: ref('Foo') } } },
  });
});

it('gives what says something else under a known name a name of its own', () => {
  const document = {
    paths: { '/apis/x.io/v1/foos': { get: { schema: ref('Foo') } } },
    definitions: {
      Foo: { properties: { meta: ref('Meta'), time: ref('Time') } },
      Meta: { type: 'object', description: 'other' },
      // In whatever order, and of whatever kinds.
      Time: { 'x-kubernetes-group-version-kind': [], type: 'string' },
    },
  };
  const others = [
    { prefix: PREFIX, document },
    { prefix: '/apis/x.io/', document },
  ];
  expect(mergedSwagger(OWN, others)['definitions']).toEqual({
    ...OWN.definitions,
    Foo: { properties: { meta: ref('Meta_v2'), time: ref('Time') } },
    Meta_v2: { type: 'object', description: 'other' },
    // The same words of another server lead to the name that they have got; its own have a schema that leads elsewhere.
    Foo_v2: { properties: { meta: ref('Meta_v2'), time: ref('Time') } },
  });
});

it('has no trouble with what is no document', () => {
  expect(mergedSwagger(OWN, [{ prefix: PREFIX, document: { paths: [], definitions: null } }])).toEqual(OWN);
});
