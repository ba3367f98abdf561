import { expect, it } from 'vitest';
import { FieldPath } from '../../api/validation/field-path.ts';
import type { JSONSchemaProps } from './json-schema.ts';
import { structuralErrors, unreadable } from './structural-schema.ts';

it('a schema for further elements cannot be read even if it says nothing', () => {
  const problem = "OpenAPIV3Schema 'additionalItems' is not supported";
  expect(unreadable({ properties: { a: { type: 'string', additionalItems: {} } } })).toBe(problem);
  expect(unreadable({ type: 'string', patternProperties: {} })).toBeUndefined();
});

it('what is said outside of alternatives alone has to be empty, false or not there inside', () => {
  const inside = (part: JSONSchemaProps): string[] =>
    structuralErrors(
      { type: 'object', properties: { a: { type: 'string', anyOf: [part] } } },
      FieldPath.of('schema'),
    ).map(({ field, message }) => `${field.replace('schema.properties[a].anyOf[0].', '')}: ${message}`);
  const all: JSONSchemaProps = {
    type: 'string',
    additionalProperties: true,
    default: false,
    title: 't',
    nullable: true,
    'x-kubernetes-list-map-keys': ['a'],
    'x-kubernetes-list-type': 'map',
  };
  expect(inside(all)).toEqual([
    'additionalProperties: Forbidden: must be undefined to be structural',
    'default: Forbidden: must be undefined to be structural',
    'nullable: Forbidden: must be false to be structural',
    'title: Forbidden: must be empty to be structural',
    'type: Forbidden: must be empty to be structural',
    'x-kubernetes-list-map-keys: Forbidden: must be empty to be structural',
    'x-kubernetes-list-type: Forbidden: must be undefined to be structural',
  ]);
  expect(inside({ additionalProperties: false, title: '', nullable: false })).toEqual([]);
});
