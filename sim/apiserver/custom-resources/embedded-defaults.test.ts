/** Defaults of, and within, embedded objects; the answers are those of a real 1.31 server. */
import { describe, expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const ask = askedServer();
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
} as const;

interface Answer {
  readonly message?: string;
  readonly spec?: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: unknown } }[];
  };
}

/** What it is refused for without the part that all have in common, or the schema that is left of it. */
function declared(box: object): unknown {
  const { body } = ask('POST', `${DEFINITIONS}?dryRun=All`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'boxes', kind: 'Box' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { box } } },
        },
      ],
    },
  });
  const { message, spec } = body as Answer;
  if (message !== undefined) return message.split('properties[box].').slice(1).join('');
  const schema = spec?.versions[0]?.schema.openAPIV3Schema as { properties: { box: unknown } };
  return schema.properties.box;
}

const pod = (metadata: unknown) => ({ apiVersion: 'v1', kind: 'Pod', metadata });

describe('the metadata of an object that is a default', () => {
  it.each([
    [{ name: 'a', q: 1 }, { name: 'a' }],
    [{ name: 'a', creationTimestamp: null, labels: {} }, { name: 'a' }],
    [{ creationTimestamp: '2020-01-01T00:00:00.5Z' }, { creationTimestamp: '2020-01-01T00:00:00Z' }],
    [null, {}],
  ])('%j is stored as %j', (metadata, cut) => {
    expect(declared({ ...EMBEDDED, default: pod(metadata) })).toEqual({ ...EMBEDDED, default: pod(cut) });
    const map = { type: 'object', additionalProperties: EMBEDDED };
    const around = (value: unknown) => ({
      type: 'object',
      properties: { map },
      default: { map: { k: value } },
    });
    expect(declared(around(pod(metadata)))).toEqual(around(pod(cut)));
  });

  it('is refused where it is of another type', () => {
    expect(declared({ ...EMBEDDED, default: pod({ name: 5 }) })).toBe(
      'default.metadata: Invalid value: map[string]interface {}{"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    );
  });
});

it('objects that are elements of a default are named right behind it, and other elements behind a dot', () => {
  const missing = (at: string) =>
    `${at}.apiVersion: Required value: must not be empty, spec.validation.openAPIV3Schema.${at}.kind: Required value: must not be empty]`;
  expect(declared({ type: 'array', items: EMBEDDED, default: [{ a: 1 }] })).toBe(missing('default[0]'));
  const map = { type: 'object', additionalProperties: EMBEDDED, default: { k: { a: 1 } } };
  expect(declared(map)).toBe(missing('default[k]'));
  expect(declared({ type: 'array', items: { type: 'string' }, default: [1] })).toBe(
    'default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer"',
  );
});

describe('a default within an embedded object', () => {
  const text = (value: unknown) => ({ type: 'string', default: value });
  const inMetadata = (properties: object) => ({
    ...EMBEDDED,
    properties: { metadata: { type: 'object', properties } },
  });

  it.each([
    [
      { ...EMBEDDED, properties: { apiVersion: text('a/b/c') } },
      'properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      inMetadata({ name: { type: 'integer', default: 3 } }),
      'properties[metadata].properties[name].default: Invalid value: 3: must result in valid metadata: metadata: Invalid value: map[string]interface {}{"name":3}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      inMetadata({
        ownerReferences: { type: 'array', items: { type: 'object', properties: { uid: text('') } } },
      }),
      'properties[metadata].properties[ownerReferences].items.properties[uid].default: Invalid value: "": must result in valid metadata: [metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty, metadata.ownerReferences.kind: Invalid value: "": kind must not be empty, metadata.ownerReferences.name: Invalid value: "": name must not be empty, metadata.ownerReferences.uid: Invalid value: "": uid must not be empty]',
    ],
  ])('%# has to make sense there', (box, why) => {
    expect(declared(box)).toBe(why);
  });

  it.each([
    ['a name that names', inMetadata({ name: text('A_') })],
    ['what nobody knows', inMetadata({ other: { type: 'integer', default: 3 } })],
    [
      'members that its own schema does not know',
      { ...EMBEDDED, properties: { metadata: { type: 'object', default: { name: 'a', q: 1 } } } },
    ],
    [
      'metadata that is nobody’s',
      {
        ...EMBEDDED,
        properties: {
          spec: {
            type: 'object',
            properties: { metadata: { type: 'object', properties: { name: text('A_') } } },
          },
        },
      },
    ],
  ])('may be %s', (_what, box) => {
    expect(declared(box)).toEqual(box);
  });
});
it('rules speak of a default that has members beyond its schema too', () => {
  const box = {
    'x-kubernetes-int-or-string': true,
    default: [{ a: 1 }],
    'x-kubernetes-validations': [{ rule: '1' }],
  };
  expect(declared(box)).toContain('rule compile error: cel expression must evaluate to a bool');
});
