/**
 * Whether untyped JSON fits a type, judged as the server judges the result of a strategic merge patch or an
 * apply: it is moved into the type value by value, and the first misfit is told without its path.
 * Types with a JSON form of their own (quantities, durations, …) are left to decoding; times are not.
 */

import { decodeBase64 } from '../codec/base64.ts';
import { parseMicroTime, parseTime, TimeFormatError } from '../time-format.ts';
import { DecodeError } from '../codec/decode-error.ts';
import type { Json, JsonObject } from '../object.ts';
import type { ScalarSchema, Schema, StructSchema } from '../schema.ts';

/**
 * Why the value cannot be of the type, in the server's words; undefined if it can. Parts that `base`, a value of the
 * type, has at the same place need no look.
 */
export const misfitOf = (schema: Schema, value: Json | undefined, base?: Json): string | undefined => {
  if (value === null || value === undefined || value === base) return undefined;
  switch (schema.kind) {
    case 'scalar':
      return misfitOfScalar(schema, value);
    case 'opaque':
      return undefined;
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
      return misfitOfList(schema.items, value, Array.isArray(base) ? base : NOTHING);
    case 'map':
      if (!isMap(value)) return `cannot restore map from ${goKind(value)}`;
      return misfitOfMap(schema.values, value, membersOf(base));
    case 'struct':
      return misfitOfStruct(schema, value, membersOf(base));
  }
};

const NOTHING: readonly Json[] = [];
const NO_MEMBERS: JsonObject = {};

const membersOf = (base: Json | undefined): JsonObject =>
  base !== undefined && base !== null && isMap(base) ? base : NO_MEMBERS;

const misfitOfList = (items: Schema, value: readonly Json[], base: readonly Json[]): string | undefined => {
  for (const [index, item] of value.entries()) {
    const misfit = misfitOf(items, item, base[index]);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
};

const misfitOfMap = (values: Schema, value: JsonObject, base: JsonObject): string | undefined => {
  for (const name of Object.keys(value)) {
    const misfit = misfitOf(values, value[name], base[name]);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
};

const misfitOfStruct = (schema: StructSchema, value: Json, base: JsonObject): string | undefined => {
  if (schema.customJson !== undefined) return undefined;
  if (!isMap(value)) return `cannot restore struct from: ${goKind(value)}`;
  for (const { name, schema: member } of schema.fields) {
    const given = value[name];
    if (given === undefined || given === base[name]) continue;
    const misfit = misfitOf(member, given, base[name]);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
};

const isMap = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const goKind = (value: Json): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? 'slice' : 'map';
};

const misfitOfScalar = ({ scalar, goType = scalar }: ScalarSchema, value: Json): string | undefined => {
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return goKind(value) === 'int64' ? `cannot convert int64 to ${goType}` : 'unrecognized type: string';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool';
    case 'int32':
    case 'int64':
      // More than 53 bits: the decoder says whether they fit.
      if (typeof value === 'bigint') return undefined;
      if (typeof value !== 'number') return `unrecognized type: ${scalar}`;
      return Number.isInteger(value) ? undefined : `cannot convert float64 to ${scalar}`;
    case 'float64':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : 'unrecognized type: float64';
    case 'bytes':
      if (typeof value === 'string') return misfitOfBytes(value);
      return Array.isArray(value) ? undefined : `cannot restore slice from ${goKind(value)}`;
    case 'timestamp':
      return misfitOfTime(value, parseTime);
    case 'microtime':
      return misfitOfTime(value, parseMicroTime);
    case 'intOrString':
      if (typeof value === 'string' || isInt32(value)) return undefined;
      return `json: cannot unmarshal ${numberKind(value)} into Go value of type int32`;
    default:
      return undefined;
  }
};

function misfitOfTime(value: Json, parse: (text: string) => unknown): string | undefined {
  if (typeof value !== 'string')
    return `json: cannot unmarshal ${jsonKind(value)} into Go value of type string`;
  try {
    parse(value);
    return undefined;
  } catch (error) {
    if (error instanceof TimeFormatError) return error.message;
    throw error;
  }
}

function misfitOfBytes(text: string): string | undefined {
  try {
    decodeBase64(text);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return `error decoding from json: ${error.message}`;
    throw error;
  }
}

const isInt32 = (value: Json): boolean => typeof value === 'number' && value === (value | 0);

const numberKind = (value: Json): string =>
  typeof value === 'number' || typeof value === 'bigint' ? `number ${String(value)}` : jsonKind(value);

const jsonKind = (value: Json): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : isMap(value) ? 'object' : 'number';
};
