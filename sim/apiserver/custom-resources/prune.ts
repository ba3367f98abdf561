/** Dropping what a declared schema does not know of. */
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
} from './json-schema.ts';

const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The value without unknown members, sharing what has none; `unknown` hears of each, as `spec.a[0].b`. */
export function pruned<T>(
  value: T,
  schema: JSONSchemaProps,
  isResource: boolean,
  unknown?: (path: string) => void,
): T {
  return pruneValue(value, schema, isResource, '', unknown) as T;
}

/** Elements that nothing is declared of. */
const NOTHING: JSONSchemaProps = {};

type Unknown = ((path: string) => void) | undefined;

function pruneValue(
  value: unknown,
  schema: JSONSchemaProps,
  isRoot: boolean,
  path: string,
  unknown: Unknown,
): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema) ?? (schema['x-kubernetes-preserve-unknown-fields'] ? undefined : NOTHING);
    if (!items) return value;
    let isChanged = false;
    const kept = value.map((item: unknown, index) => {
      const after = pruneValue(item, items, false, `${path}[${index}]`, unknown);
      isChanged ||= after !== item;
      return after;
    });
    return isChanged ? kept : value;
  }
  return isMap(value) ? pruneMembers(value, schema, isRoot, path, unknown) : value;
}

function pruneMembers(
  value: JsonMap,
  schema: JSONSchemaProps,
  isRoot: boolean,
  path: string,
  unknown: Unknown,
): JsonMap {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const additional = additionalOf(schema);
  const kept: JsonMap = {};
  let isChanged = false;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const inner = path === '' ? name : `${path}.${name}`;
    let after: unknown = member;
    const declared = propertyOf(schema, name);
    if (isResource && RESOURCE_MEMBERS.has(name)) after = member;
    else if (declared) after = pruneValue(member, declared, false, inner, unknown);
    else if (additional)
      after = pruneValue(member, additional === true ? {} : additional, false, inner, unknown);
    else if (!preserves) {
      unknown?.(inner);
      isChanged = true;
      continue;
    }
    isChanged ||= after !== member;
    kept[name] = after;
  }
  return isChanged ? kept : value;
}
