import { describe, expect, it } from 'vitest';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { decodeEmbedded, embeddedErrors } from './embedded-resource.ts';
import type { JSONSchemaProps } from './json-schema.ts';
import { validateValue } from './validate-value.ts';

const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const SCHEMA: JSONSchemaProps = {
  type: 'object',
  properties: {
    one: EMBEDDED,
    list: { type: 'array', items: EMBEDDED },
    map: { type: 'object', additionalProperties: EMBEDDED },
    choice: { type: 'string', nullable: true, enum: ['a', null] },
  },
};

const decode = (value: object): unknown =>
  decodeEmbedded(value, SCHEMA, {
    metaSchema: RELEASE_1_31.catalog.types.structOf('meta.k8s.io/v1.ObjectMeta'),
    unknown: () => undefined,
  });

describe('an embedded object', () => {
  it.each([
    [{ one: { kind: 1, apiVersion: 'v1' } }, 'one.kind: Invalid value: 1: must be a string'],
    [{ one: { kind: null, apiVersion: 'v1' } }, 'one.kind: Invalid value: "null": must be a string'],
    [
      {
        list: [
          { kind: 'A', apiVersion: 'v1' },
          { kind: 'A', apiVersion: ['x'] },
        ],
      },
      'list[1].apiVersion: Invalid value: []interface {}{"x"}: must be a string',
    ],
    [{ map: { x: { kind: true } } }, 'map[x].kind: Invalid value: true: must be a string'],
    // Before anybody looks at its metadata.
    [{ one: { kind: 5, metadata: { name: 5 } } }, 'one.kind: Invalid value: 5: must be a string'],
  ])('whose type is no text cannot be handled: %j', (value, message) => {
    expect(() => decode(value)).toThrow(message);
  });

  it('tells a type that is missing from one that is empty', () => {
    const errors = embeddedErrors({ map: { a: { kind: '' } } }, SCHEMA);
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'map[a].apiVersion: Required value: must not be empty',
      'map[a].kind: Invalid value: "": must not be empty',
    ]);
  });
});

it('null is none of the values of an enumeration, though it may be there and is listed', () => {
  expect(validateValue({ choice: null }, SCHEMA, '').map(({ message }) => message)).toEqual([
    'Unsupported value: "null": supported values: "a", "null"',
  ]);
});
