/** What was stored under another schema is compared as the present one shows it; what patches make of types is refused. */
import { describe, expect, it } from 'vitest';
import { type Ask, askedServer } from '../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CARDS = '/apis/example.com/v1/cards';

const schemaOf = (status: object): object => ({
  type: 'object',
  properties: {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', properties: status },
  },
});

function serverOfCards(): Ask {
  const ask = askedServer();
  const schema = { openAPIV3Schema: schemaOf({ c: { type: 'string' } }) };
  ask('POST', DEFINITIONS, {
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
  ask('POST', CARDS, {
    apiVersion: 'example.com/v1',
    kind: 'Card',
    metadata: { name: 'one' },
    spec: { x: 1 },
    status: { c: 'A' },
  });
  return ask;
}

describe('an object that was stored under another schema', () => {
  const ask = serverOfCards();
  const path = '/spec/versions/0/schema/openAPIV3Schema';
  const changed = schemaOf({ e: { type: 'string', default: 'z' } });
  const type = 'application/json-patch+json';
  ask('PATCH', `${DEFINITIONS}/cards.example.com`, [{ op: 'replace', path, value: changed }], type);
  ask.sleep(10_000);

  it('is of no other generation because it is written anew', () => {
    const labels = { a: 'b' };
    expect(ask('PATCH', `${CARDS}/one`, { metadata: { labels } }).body).toMatchObject({
      metadata: { generation: 1, labels },
      status: { e: 'z' },
    });
    expect(ask('PATCH', `${CARDS}/one`, { spec: { x: 2 } }).body).toMatchObject({
      metadata: { generation: 2 },
    });
  });

  it('is shown under the present one by a deletion that is tried', () => {
    const tried = ask('DELETE', `${CARDS}/one?dryRun=All&propagationPolicy=Foreground`);
    expect(tried.body['status']).toEqual({ e: 'z' });
  });
});

describe('a patch of type', () => {
  const ask = serverOfCards();
  const refusalOf = (patch: object): string => ask('PATCH', `${CARDS}/one`, patch).body.message ?? '';

  it.each([
    [
      { kind: 5 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [{ kind: null }, "Object 'Kind' is missing in '{"],
    [{ apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
    [{ metadata: 5 }, 'json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
    [
      { apiVersion: null },
      "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
    [
      { apiVersion: 'v1', kind: 'Other' },
      'Other "one" is invalid: [kind: Invalid value: "Other": must be Card, apiVersion: Invalid value: "v1": must be example.com/v1]',
    ],
  ])('such as %j is refused as the real server does', (patch, message) => {
    expect(refusalOf(patch)).toContain(message);
  });
});
