/** What one version reads of what another one has written; the answers are those of a real 1.31 server. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cards.example.com';

const schemaOf = (properties: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});
const text = (value?: string) => ({ type: 'string', ...(value !== undefined && { default: value }) });

function serverOf(v1: object, v2: object) {
  const ask = askedServer();
  const version = (name: string, properties: object) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: schemaOf(properties),
  });
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [version('v1', v1), version('v2', v2)],
    },
  });
  ask.sleep(10_000);
  const create = (of: string, spec: object) =>
    ask('POST', `/apis/example.com/${of}/cards`, {
      apiVersion: `example.com/${of}`,
      kind: 'Card',
      metadata: { name: `of-${of}` },
      spec,
    }).body['spec'];
  const read = (of: string, name: string) => ask('GET', `/apis/example.com/${of}/cards/${name}`).body['spec'];
  return { ask, create, read };
}

it('fills in the defaults of the version in which it was written, not its own, and leaves out what it does not know', () => {
  const { create, read } = serverOf({ a: text('one'), b: text() }, { a: text(), b: text('two'), c: text() });
  expect(create('v1', {})).toEqual({ a: 'one' });
  expect(read('v2', 'of-v1')).toEqual({ a: 'one' });
  expect(create('v2', { c: 'x' })).toEqual({ a: 'one', b: 'two' });
  expect(read('v1', 'of-v2')).toEqual({ a: 'one', b: 'two' });
});

it('finds defaults of the written version that came later', () => {
  const { ask, create, read } = serverOf({ b: text() }, { b: text(), n: text('never') });
  create('v1', {});
  const path = '/spec/versions/0/schema';
  const value = schemaOf({ n: text('late'), m: text('unknown') });
  ask('PATCH', DEFINITION, [{ op: 'replace', path, value }], 'application/json-patch+json');
  ask.sleep(10_000);
  expect(read('v1', 'of-v1')).toEqual({ n: 'late', m: 'unknown' });
  expect(read('v2', 'of-v1')).toEqual({ n: 'late' });
});
