/** Validation lets lists through where texts of a format are declared; whose fields they are, nobody can tell. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const CARDS = '/apis/example.com/v1/cards';
const card = (name: string, spec: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Card',
  metadata: { name },
  spec,
});

interface Shown {
  readonly metadata?: { readonly managedFields?: readonly object[] };
  readonly message?: string;
}

function serverOfCards(): ReturnType<typeof askedServer> {
  const ask = askedServer();
  const number = { type: 'string', format: 'creditcard' };
  const spec = { type: 'object', properties: { number, owner: { type: 'string' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  ask.sleep(10_000);
  return ask;
}

it('an object with such a list has no managed fields, until something is applied to what was mended', () => {
  const ask = serverOfCards();
  const made = ask('POST', CARDS, card('one', { number: [] }));
  expect(made.status).toBe(201);
  const mended = ask('PUT', `${CARDS}/one`, { ...made.body, spec: { number: '378282246310005' } });
  expect(mended.status).toBe(200);
  for (const { body } of [made, mended]) expect((body as Shown).metadata?.managedFields).toBeUndefined();
  const path = `${CARDS}/one?fieldManager=me`;
  const applied = ask('PATCH', path, card('one', { owner: 'me' }), 'application/apply-patch+yaml');
  expect((applied.body as Shown).metadata?.managedFields).toMatchObject([
    { manager: 'me', operation: 'Apply' },
    { manager: 'before-first-apply', operation: 'Update' },
  ]);
});

it('nothing can be applied to it', () => {
  const ask = serverOfCards();
  ask('POST', CARDS, card('one', { number: [] }));
  const applied = ask(
    'PATCH',
    `${CARDS}/one?fieldManager=me`,
    card('one', { owner: 'me' }),
    'application/apply-patch+yaml',
  );
  expect(applied.status).toBe(500);
  expect((applied.body as Shown).message).toBe(
    'failed to create manager for existing fields: failed to convert new object (/one; example.com/v1, Kind=Card) to smd typed: .spec.number: expected any scalar, got &{[]}',
  );
});
