/**
 * Filling in declared defaults. A null that is not allowed counts as absent. A small object can have defaults without
 * end in its lists: what they come to is bounded, far above what can be stored.
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { plainError } from '../../api/status.ts';
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

/** The value with its defaults, sharing what needs none. @throws ApiError if there is no room for them */
export function defaulted<T>(value: T, schema: JSONSchemaProps, onNull: OnNull = 'drop'): T {
  return defaultValue(value, schema, { onNull, left: MOST_CHARACTERS }) as T;
}

/** Of all defaults in one object, as JSON. */
const MOST_CHARACTERS = 16_000_000;

interface Filling {
  readonly onNull: OnNull;
  /** Characters that there is still room for. */
  left: number;
}

function defaultOf(declared: JSONSchemaProps, filling: Filling): unknown {
  filling.left -= sizeOf(declared);
  if (filling.left < 0)
    throw plainError(`the defaults of its schema make the object larger than ${MOST_CHARACTERS} characters`);
  return declared.default;
}

const sizes = new WeakMap<JSONSchemaProps, number>();

function sizeOf(declared: JSONSchemaProps): number {
  const known = sizes.get(declared);
  if (known !== undefined) return known;
  const size = encodeJson(declared.default).length;
  sizes.set(declared, size);
  return size;
}

function defaultValue(value: unknown, schema: JSONSchemaProps, filling: Filling): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return value;
    let isChanged = false;
    const filled = value.map((item: unknown) => {
      const isFilled = item === null && !items.nullable && items.default !== undefined;
      const after = defaultValue(isFilled ? defaultOf(items, filling) : item, items, filling);
      isChanged ||= after !== item;
      return after;
    });
    return isChanged ? filled : value;
  }
  return isMap(value) ? defaultMembers(value, schema, filling) : value;
}

function defaultMembers(value: JsonMap, schema: JSONSchemaProps, filling: Filling): JsonMap {
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
      if (declared.default !== undefined)
        set(name, defaultValue(defaultOf(declared, filling), declared, filling));
      else if (filling.onNull === 'drop') set(name, undefined);
      continue;
    }
    const after = defaultValue(member, declared, filling);
    if (after !== member) set(name, after);
  }
  for (const [name, declared] of Object.entries(schema.properties ?? {})) {
    if (declared.default === undefined || Object.hasOwn(value, name)) continue;
    set(name, defaultValue(defaultOf(declared, filling), declared, filling));
  }
  return filled ?? value;
}
