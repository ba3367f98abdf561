/** As what Go holds a value of a custom resource. */
import { typeOfJson } from './json-schema.ts';

const GO_TYPES = {
  null: '<nil>',
  boolean: 'bool',
  integer: 'int64',
  number: 'float64',
  string: 'string',
  array: '[]interface {}',
  object: 'map[string]interface {}',
} as const;

export const goType = (value: unknown): string => GO_TYPES[typeOfJson(value)];
