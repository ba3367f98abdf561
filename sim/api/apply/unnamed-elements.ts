/**
 * Whether a value has an element of an associative list that its keys do not name: nobody can say who set which field
 * of such an object. Few types have a list whose keys may be left out; only those are looked at.
 */
import type { Json } from '../object.ts';
import type { ListSchema, Schema, StructSchema } from '../schema.ts';
import { defaultOfKey, elementOfItem } from './path-element.ts';
import { hasElements, isList, isMap } from './shape.ts';

/** The value is canonical: members that are always written are there. */
export const hasUnnamedElements = (schema: Schema, value: Json | undefined): boolean => {
  if (schema.kind === 'list') return isList(value) && ofItems(schema, value);
  if (schema.kind !== 'struct' || !isMap(value)) return false;
  return suspectsOf(schema).some((name) => {
    const field = schema.fieldsByName.get(name);
    return field !== undefined && hasUnnamedElements(field.schema, value[name]);
  });
};

const ofItems = (schema: ListSchema, items: readonly Json[]): boolean =>
  (mayOmitKeys(schema) && items.some((item) => typeof elementOfItem(schema, item) !== 'string')) ||
  items.some((item) => hasUnnamedElements(schema.items, item));

/** A key that is neither always written nor has a default. */
const mayOmitKeys = (schema: ListSchema): boolean => {
  const { items } = schema;
  if (!hasElements(schema) || schema.listType !== 'map' || items.kind !== 'struct') return false;
  return schema.listMapKeys.some((key) => {
    const field = items.fieldsByName.get(key);
    return field !== undefined && !field.required && defaultOfKey(field) === undefined;
  });
};

const SUSPECTS = new WeakMap<StructSchema, readonly string[]>();

/** Members in or below which keys may be left out. */
const suspectsOf = (schema: StructSchema): readonly string[] => {
  const known = SUSPECTS.get(schema);
  if (known) return known;
  // A type that holds itself is not asked again on the way.
  SUSPECTS.set(schema, []);
  const names = schema.fields.filter((field) => isSuspect(field.schema)).map(({ name }) => name);
  SUSPECTS.set(schema, names);
  return names;
};

const isSuspect = (schema: Schema): boolean => {
  if (schema.kind === 'struct') return suspectsOf(schema).length > 0;
  return schema.kind === 'list' && (mayOmitKeys(schema) || isSuspect(schema.items));
};
