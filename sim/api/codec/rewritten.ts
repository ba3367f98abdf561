/** Objects that were taken apart as maps and put together again: what is kept as text is then in another order. */
import { compareStrings } from '../go-text.ts';
import type { Json, JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import { keepsRawText } from './decode.ts';

/** As Go writes a map: members in order of their names, on all levels. */
export const withSortedMembers = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as JsonObject;
  return Object.fromEntries(
    Object.keys(members)
      .sort(compareStrings)
      .map((name) => [name, withSortedMembers(members[name] ?? null)]),
  );
};

/** The object as it is read again; the same one unless its type keeps the text of something (`runtime.RawExtension`). */
export const rewritten = (schema: StructSchema, object: JsonObject): JsonObject =>
  keepsRawText(schema) ? (withSortedMembers(object) as JsonObject) : object;
