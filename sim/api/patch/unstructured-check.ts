/**
 * Whether untyped JSON fits a type, judged as the server judges the result of a strategic merge patch or an
 * apply: it is moved into the type value by value, and the first misfit is told without its path.
 * Types with a JSON form of their own (times, quantities, …) are left to decoding.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ScalarName, Schema, StructSchema } from '../schema.ts';

/** Why the value cannot be of the type, in the server's words; undefined if it can. */
export const misfitOf = (schema: Schema, value: Json | undefined): string | undefined => {
  if (value === null || value === undefined) return undefined;
  switch (schema.kind) {
    case 'scalar':
      return misfitOfScalar(schema.scalar, value);
    case 'opaque':
      return undefined;
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
      return firstMisfit(value, (item) => misfitOf(schema.items, item));
    case 'map':
      if (!isMap(value)) return `cannot restore map from ${goKind(value)}`;
      return firstMisfit(Object.values(value), (item) => misfitOf(schema.values, item));
    case 'struct':
      return misfitOfStruct(schema, value);
  }
};

const misfitOfStruct = (schema: StructSchema, value: Json): string | undefined => {
  if (schema.customJson !== undefined) return undefined;
  if (!isMap(value)) return `cannot restore struct from: ${goKind(value)}`;
  return firstMisfit(schema.fields, (field) => misfitOf(field.schema, value[field.name]));
};

const isMap = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstMisfit = <T>(items: readonly T[], check: (item: T) => string | undefined): string | undefined => {
  for (const item of items) {
    const misfit = check(item);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
};

const goKind = (value: Json): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? 'slice' : 'map';
};

const misfitOfScalar = (scalar: ScalarName, value: Json): string | undefined => {
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return goKind(value) === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool';
    case 'int32':
    case 'int64':
      if (typeof value !== 'number') return `unrecognized type: ${scalar}`;
      return Number.isInteger(value) ? undefined : `cannot convert float64 to ${scalar}`;
    case 'float64':
      return typeof value === 'number' ? undefined : 'unrecognized type: float64';
    case 'bytes':
      return typeof value === 'string' || Array.isArray(value)
        ? undefined
        : `cannot restore slice from ${goKind(value)}`;
    default:
      return undefined;
  }
};
