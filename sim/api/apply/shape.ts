/**
 * How server-side apply takes a value apart: as one value, as members, or as a list of elements that can be told
 * apart. Values that no schema describes have the shape that they show.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, MapSchema, OpaqueSchema, Schema, StructSchema } from '../schema.ts';

/** What is below a preserved unknown member. */
export const ANY: OpaqueSchema = { kind: 'opaque', opaque: 'any' };

export const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Types whose members or elements are owned one by one. */
export type MemberSchema = StructSchema | MapSchema | OpaqueSchema;

export const hasMembers = (schema: Schema, value: Json | undefined): schema is MemberSchema => {
  switch (schema.kind) {
    case 'struct':
      return schema.mapType === 'granular' && schema.customJson === undefined;
    case 'map':
      return schema.mapType === 'granular';
    case 'opaque':
      return schema.opaque === 'any' && isMap(value);
    default:
      return false;
  }
};

export const hasElements = (schema: Schema): schema is ListSchema =>
  schema.kind === 'list' && schema.listType !== 'atomic';

/** Schema of a member; undefined if a struct does not declare it and keeps no unknown ones. */
export const memberSchema = (schema: MemberSchema, name: string): Schema | undefined => {
  if (schema.kind === 'struct')
    return schema.fieldsByName.get(name)?.schema ?? (schema.preservesUnknownFields ? ANY : undefined);
  return schema.kind === 'map' ? schema.values : ANY;
};

/** Whether the member has a name of its own in the schema; keys of maps have none. */
export const isDeclared = (schema: MemberSchema, name: string): boolean =>
  schema.kind === 'struct' && schema.fieldsByName.has(name);

/** Empty or null: such values are owned as a whole. */
export const isHollow = (value: Json | undefined): boolean => {
  if (value === null || value === undefined) return true;
  if (isList(value)) return value.length === 0;
  if (!isMap(value)) return false;
  for (const name in value) if (value[name] !== undefined) return false;
  return true;
};

/** Equality of JSON; the order of members does not matter, absent members are those that are undefined. */
export const equalJson = (left: Json | undefined, right: Json | undefined): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isList(left)) {
    return (
      isList(right) && left.length === right.length && left.every((item, at) => equalJson(item, right[at]))
    );
  }
  return isMap(left) && isMap(right) && equalMembers(left, right);
};

const equalMembers = (left: JsonObject, right: JsonObject): boolean => {
  let size = 0;
  for (const name of Object.keys(left)) {
    if (left[name] === undefined) continue;
    size++;
    if (!Object.hasOwn(right, name) || !equalJson(left[name], right[name])) return false;
  }
  for (const name of Object.keys(right)) if (right[name] !== undefined) size--;
  return size === 0;
};
