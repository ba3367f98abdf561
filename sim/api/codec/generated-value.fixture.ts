/**
 * Generated JSON values of any schema, for tests: every member now and then, zero values, empty
 * collections, canonical leaf texts. Seeded, so that a failure can be had again.
 */
import type { OpaqueName, ScalarName, Schema, StructSchema } from '../schema.ts';

/** Numbers from 0 up to 1, a new one with each call. */
export type Draw = () => number;

/** A linear congruential generator. */
export const seededDraw = (seed: number): Draw => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

const LEAVES: Readonly<Record<ScalarName | OpaqueName, readonly unknown[]>> = {
  string: ['', 'a', 'b-c', 'x y', '<&>', 'é', '😀', '"'],
  boolean: [false, true],
  int32: [0, 1, -1, 80, 2147483647, -2147483648],
  int64: [0, 1, -5, 1700000000, Number.MAX_SAFE_INTEGER, 9223372036854775807n, -9223372036854775808n],
  float64: [0, 1, 1.5, -2.25, 1e21, 1e-7],
  bytes: ['YQ==', 'YWI=', 'YWJj', 'AAECAwQF'],
  timestamp: ['2024-01-02T03:04:05Z', '1969-01-01T00:00:00Z', '2024-02-29T23:59:59Z'],
  microtime: ['2024-01-02T03:04:05.000000Z', '2024-01-02T03:04:05.123456Z'],
  duration: ['0s', '1h0m0s', '1.5s'],
  quantity: ['0', '1', '500m', '1536Mi', '1e3'],
  intOrString: [0, 80, -3, '', 'http', '25%'],
  rawExtension: [{ a: 1 }, {}, { kind: 'X', apiVersion: 'v1', b: [1, 'x'] }],
  fieldsV1: [{}, { 'f:a': {}, 'f:b': { '.': {} } }],
  json: [1, 'x', true, { b: 1, a: [2] }, ['1', 2]],
  any: [1, 'x', { a: 1 }],
};

const MAX_DEPTH = 8;

const pick = <T>(draw: Draw, values: readonly T[]): T | undefined =>
  values[Math.floor(draw() * values.length)];

/** A value that fits the schema. */
export const generateValue = (schema: Schema, draw: Draw, depth = 0): unknown => {
  const length = depth >= MAX_DEPTH ? 0 : Math.floor(draw() * 3);
  switch (schema.kind) {
    case 'scalar':
      return pick(draw, LEAVES[schema.scalar]);
    case 'opaque':
      return pick(draw, LEAVES[schema.opaque]);
    case 'list':
      return Array.from({ length }, () => generateValue(schema.items, draw, depth + 1));
    case 'map':
      return Object.fromEntries(
        ['a', 'k.x/y', 'é']
          .slice(0, length)
          .map((name) => [name, generateValue(schema.values, draw, depth + 1)]),
      );
    case 'struct':
      return schema.customJson ? generateUnion(schema, draw, depth) : generateStruct(schema, draw, depth);
  }
};

const generateStruct = (schema: StructSchema, draw: Draw, depth: number): Record<string, unknown> => {
  const share = depth === 0 ? 0.95 : Math.max(0.1, 0.7 - depth * 0.12);
  const result: Record<string, unknown> = {};
  for (const field of schema.fields) {
    const isTypeMeta = field.name === 'kind' || field.name === 'apiVersion';
    if ((isTypeMeta && field.proto === 0) || draw() > share) continue;
    result[field.name] = generateValue(field.schema, draw, depth + 1);
  }
  return result;
};

const generateUnion = (schema: StructSchema, draw: Draw, depth: number): unknown => {
  const member = (name: string): unknown => {
    const found = schema.fieldsByName.get(name)?.schema;
    return found && generateValue(found, draw, depth + 2);
  };
  if (schema.customJson === 'schemaOrBool')
    return draw() < 0.5 || depth > 5 ? draw() < 0.5 : member('schema');
  if (draw() < 0.5 && depth < 5) return member('schema');
  return schema.customJson === 'schemaOrArray' ? [{}] : ['x', 'y'];
};
