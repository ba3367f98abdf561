/** The places of an object: every member that its type knows, whether the object has it or not. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { FieldSchema, Schema } from '../../../api/schema.ts';

export interface Place {
  /** Names and indexes from the object on. */
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  /** Values that the type knows, if it has such. */
  readonly words: readonly string[];
}

/** The server writes them, or the path says them. */
const SYSTEM: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'status', 'managedFields']);

export function placesOf(value: Json, schema: Schema, path: Place['path'] = []): readonly Place[] {
  switch (schema.kind) {
    case 'struct':
      return isObject(value) ? schema.fields.flatMap((field) => fieldPlaces(value, field, path)) : [];
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item: Json, at) => itemPlaces(item, schema.items, [...path, at]))
        : [];
    case 'map':
      return isObject(value)
        ? Object.keys(value).map((key) => ({ path: [...path, key], schema: schema.values, words: [] }))
        : [];
    default:
      return [];
  }
}

function fieldPlaces(
  owner: JsonObject,
  { name, schema, enum: words = [] }: FieldSchema,
  path: Place['path'],
): readonly Place[] {
  if (SYSTEM.has(name)) return [];
  const own = [...path, name];
  const inner = owner[name];
  return [
    { path: own, schema, words },
    ...(inner === undefined ? innerOfAbsent(schema, own) : placesOf(inner, schema, own)),
  ];
}

const itemPlaces = (item: Json, schema: Schema, path: Place['path']): readonly Place[] => [
  { path, schema, words: [] },
  ...placesOf(item, schema, path),
];

/** One level of what is not there: each member alone. */
const innerOfAbsent = (schema: Schema, path: Place['path']): readonly Place[] =>
  schema.kind === 'struct' && path.length > 1
    ? schema.fields.map((field) => ({
        path: [...path, field.name],
        schema: field.schema,
        words: field.enum ?? [],
      }))
    : [];

/** A copy of the object with the value at the place; undefined takes it away. */
export function withValue(object: JsonObject, path: Place['path'], value: Json | undefined): JsonObject {
  const copy = structuredClone(object);
  let owner: Record<string | number, unknown> = copy;
  for (const step of path.slice(0, -1)) {
    if (typeof owner[step] !== 'object' || owner[step] === null) owner[step] = {};
    owner = owner[step] as Record<string | number, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value !== undefined) owner[last] = value;
  else if (Array.isArray(owner)) owner.splice(Number(last), 1);
  else Reflect.deleteProperty(owner, last);
  return copy;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
