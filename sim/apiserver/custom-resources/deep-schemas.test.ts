/** Schemas, and objects, that are deeper than 500: a real 1.31 server takes them in each of these ways. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const DEPTH = 590;
const CARDS = '/apis/example.com/v1/cards';
const HEAD = '"apiVersion":"example.com/v1","kind":"Card","metadata":{"name":"one"}';

const nested = (open: string, leaf: string, close: string): string =>
  open.repeat(DEPTH) + leaf + close.repeat(DEPTH);

const SCHEMA = nested('{"type":"object","properties":{"a":', '{"type":"string","maxLength":5}', '}}');
const DEFINITION = `{"metadata":{"name":"cards.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"cards","kind":"Card"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${SCHEMA}}}]}}`;
const objectWith = (leaf: string): string =>
  `{${HEAD},${nested('"a":{', `"a":"${leaf}"`, '}')}}`.replace('"a":{', '').replace(/}$/, '');

it('they are stored, validated, patched, applied and shown', () => {
  const ask = askedServer();
  expect(ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION).status).toBe(201);
  ask.sleep(10_000);
  expect(ask('POST', CARDS, objectWith('q')).status).toBe(201);
  expect(ask('POST', `${CARDS}?dryRun=All`, objectWith('longer'))).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('Too long: may not be longer than 5') },
  });
  expect(ask('GET', CARDS).status).toBe(200);
  const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }];
  expect(ask('PATCH', `${CARDS}/one`, patch, 'application/json-patch+json').status).toBe(200);
  expect(ask('PATCH', `${CARDS}/one`, { metadata: { labels: { c: 'd' } } }).status).toBe(200);
  const applied = ask(
    'PATCH',
    `${CARDS}/one?fieldManager=f&force=true`,
    objectWith('r'),
    'application/apply-patch+yaml',
  );
  expect(applied.status).toBe(200);
  expect(ask('GET', '/openapi/v3/apis/example.com/v1').status).toBe(200);
  expect(ask('DELETE', `${CARDS}/one`).status).toBe(200);
});
