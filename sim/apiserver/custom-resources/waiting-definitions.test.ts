/** Definitions on their way out whose objects are held by finalizers keep no other waiting. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Longer than a server needs, and much less than it waits before it looks at held objects again. */
const SOON_MS = 100;

const definitionOf = (group: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `cards.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural: 'cards', kind: 'Card' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

it('serves a new definition at once while another one waits for its objects', () => {
  const ask = askedServer();
  ask('POST', DEFINITIONS, definitionOf('a.example.com'));
  ask.sleep(SOON_MS);
  const held = {
    apiVersion: 'a.example.com/v1',
    kind: 'Card',
    metadata: { name: 'held', finalizers: ['b.c/d'] },
  };
  expect(ask('POST', '/apis/a.example.com/v1/cards', held).status).toBe(201);
  ask('DELETE', `${DEFINITIONS}/cards.a.example.com`);
  ask.sleep(SOON_MS);
  ask('POST', DEFINITIONS, definitionOf('b.example.com'));
  ask.sleep(SOON_MS);
  expect(ask('GET', '/apis/b.example.com/v1/cards').status).toBe(200);
  ask('PATCH', '/apis/a.example.com/v1/cards/held', { metadata: { finalizers: null } });
  ask.sleep(1_000 + SOON_MS);
  expect(ask('GET', `${DEFINITIONS}/cards.a.example.com`).status).toBe(404);
});
