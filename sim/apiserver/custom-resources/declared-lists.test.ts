/** Of lists in the schemas of definitions, as a real server was asked. */
import { expect, test } from 'vitest';
import { askedServer, type Reply } from '../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LIST = 'spec.validation.openAPIV3Schema.properties[l]';
const GO = 'apiextensions.JSONSchemaProps';
const ask = askedServer();

const withList = (l: object) => ({
  metadata: { name: 'ps.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Cluster',
    names: { plural: 'ps', kind: 'P' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { l } } },
      },
    ],
  },
});

/** Fields, from the list on, and messages of what is wrong with it. */
function findings(list: object): readonly string[] {
  const { details } = ask('POST', `${DEFINITIONS}?dryRun=All`, withList(list)).body as {
    details?: { causes: readonly { field: string; message: string }[] };
  };
  return (details?.causes ?? []).map(({ field, message }) => `${field.replace(LIST, '')}: ${message}`);
}

const MAP = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };

const manyItems = (schemas: string): string =>
  `.items: Invalid value: apiextensions.JSONSchemaPropsOrArray{Schema:(*${GO})(nil), JSONSchemas:[]${GO}${schemas}}: must only have a single schema if x-kubernetes-list-type is map`;

const hasNoSchema = [[false], [true], ['x'], [7]] as const;

test.each(hasNoSchema)(
  'items that are %j have no single schema, which a list that is a map has to',
  (items) => {
    expect(findings({ ...MAP, items })).toContain(manyItems('(nil)'));
  },
);

test('items that are an empty list have no single schema either, and no items at all are another thing', () => {
  expect(findings({ ...MAP, items: [] })).toContain(manyItems('{}'));
  const missing = '.items: Required value: must have a schema if x-kubernetes-list-type is map';
  expect(findings({ ...MAP, items: null })).toContain(missing);
  expect(findings(MAP)).toContain(missing);
});

test('nothing is stored of items without a schema, wherever they stand', () => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const told = { items: { items: false } };
  const list = { type: 'object', items: false, properties: { items: { ...open, items: [] } }, default: told };
  const stored = { type: 'object', properties: { items: open }, default: told };
  const written = ask('POST', DEFINITIONS, withList(list));
  expect(written.status).toBe(201);
  const listOf = ({ body }: Reply): unknown => {
    const { spec } = body as unknown as ReturnType<typeof withList>;
    return spec.versions[0]?.schema.openAPIV3Schema.properties.l;
  };
  expect(listOf(written)).toEqual(stored);
  expect(listOf(ask('GET', `${DEFINITIONS}/ps.x.io`))).toEqual(stored);
});

test('elements of a set are atomic where the set is an array, and what is told of them is their list type', () => {
  const set = (items: object, more?: object) =>
    findings({ type: 'array', 'x-kubernetes-list-type': 'set', items, ...more });
  const atomic = (keyword: string, value: string) =>
    `.items.${keyword}: Invalid value: "${value}": must be atomic as item of a list with x-kubernetes-list-type=set`;
  expect(set({ type: 'object', 'x-kubernetes-map-type': 'granular' })).toEqual([
    atomic('x-kubernetes-map-type', 'null'),
  ]);
  expect(set({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' })).toEqual([
    atomic('x-kubernetes-list-type', 'set'),
  ]);
  expect(set({ type: 'object' }, { type: 'object' })).toEqual([
    '.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
  ]);
  expect(set({ type: 'object', nullable: true }, { 'x-kubernetes-list-map-keys': ['k'] })).toEqual([
    atomic('x-kubernetes-map-type', 'null'),
    '.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    '.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
  ]);
});

test('keys of a map are looked at as often as they are named, and whatever the type of its elements', () => {
  const because = 'this property is in x-kubernetes-list-map-keys, so it';
  const ofKey = [
    `.items.properties[k].default: Required value: ${because} must have a default or be a required property`,
    `.items.properties[k].nullable: Forbidden: ${because} cannot be nullable`,
  ];
  const properties = { k: { type: 'string', nullable: true } };
  expect(
    findings({
      ...MAP,
      'x-kubernetes-list-map-keys': ['k', 'k'],
      items: { type: 'string', nullable: true, properties },
    }),
  ).toEqual([
    '.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    '.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
    ...ofKey,
    ...ofKey,
  ]);
});
