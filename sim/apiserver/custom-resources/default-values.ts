/** Filling in declared defaults. A null that is not allowed counts as absent. */
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
} from './json-schema.ts';

/** The value with its defaults, sharing what needs none. */
export function defaulted<T>(value: T, schema: JSONSchemaProps): T {
  return defaultValue(value, schema) as T;
}

function defaultValue(value: unknown, schema: JSONSchemaProps): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return value;
    let isChanged = false;
    const filled = value.map((item: unknown) => {
      const start = item === null && !items.nullable && items.default !== undefined ? items.default : item;
      const after = defaultValue(start, items);
      isChanged ||= after !== item;
      return after;
    });
    return isChanged ? filled : value;
  }
  return isMap(value) ? defaultMembers(value, schema) : value;
}

function defaultMembers(value: JsonMap, schema: JSONSchemaProps): JsonMap {
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
      set(name, declared.default === undefined ? undefined : defaultValue(declared.default, declared));
      continue;
    }
    const after = defaultValue(member, declared);
    if (after !== member) set(name, after);
  }
  for (const [name, declared] of Object.entries(schema.properties ?? {})) {
    if (declared.default === undefined || Object.hasOwn(value, name)) continue;
    set(name, defaultValue(declared.default, declared));
  }
  return filled ?? value;
}
