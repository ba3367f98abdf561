/** Filling in declared defaults. A null that is not allowed counts as absent. */
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
} from './json-schema.ts';

/** What becomes of a null that is not allowed, where no default takes its place. */
export type OnNull = 'drop' | 'keep';

/** The value with its defaults, sharing what needs none. */
export function defaulted<T>(value: T, schema: JSONSchemaProps, onNull: OnNull = 'drop'): T {
  return defaultValue(value, schema, onNull) as T;
}

function defaultValue(value: unknown, schema: JSONSchemaProps, onNull: OnNull): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return value;
    let isChanged = false;
    const filled = value.map((item: unknown) => {
      const start = item === null && !items.nullable && items.default !== undefined ? items.default : item;
      const after = defaultValue(start, items, onNull);
      isChanged ||= after !== item;
      return after;
    });
    return isChanged ? filled : value;
  }
  return isMap(value) ? defaultMembers(value, schema, onNull) : value;
}

function defaultMembers(value: JsonMap, schema: JSONSchemaProps, onNull: OnNull): JsonMap {
  let filled: JsonMap | undefined;
  const set = (name: string, member: unknown): void => {
    filled ??= { ...value };
    if (member === undefined) delete filled[name];
    else filled[name] = member;
  };
  const additional = additionalOf(schema);
  for (const name of Object.keys(value)) {
    const member = value[name];
    const declared = propertyOf(schema, name) ?? (additional === true ? undefined : additional);
    if (!declared) continue;
    if (member === null && !declared.nullable) {
      if (declared.default !== undefined) set(name, defaultValue(declared.default, declared, onNull));
      else if (onNull === 'drop') set(name, undefined);
      continue;
    }
    const after = defaultValue(member, declared, onNull);
    if (after !== member) set(name, after);
  }
  for (const [name, declared] of Object.entries(schema.properties ?? {})) {
    if (declared.default === undefined || Object.hasOwn(value, name)) continue;
    set(name, defaultValue(declared.default, declared, onNull));
  }
  return filled ?? value;
}
