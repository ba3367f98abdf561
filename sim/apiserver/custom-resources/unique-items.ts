/** Lists that are sets or have keys hold nothing twice. */
import { goUntyped } from '../../api/go-text.ts';
import { jsonKey } from '../../api/json-key.ts';
import type { Json } from '../../api/object.ts';
import { shown } from './scalar-errors.ts';
import type { FieldError } from '../../api/status.ts';
import { additionalOf, isMap, itemsOf, type JSONSchemaProps, propertyOf } from './json-schema.ts';

export function uniquenessErrors(value: unknown, schema: JSONSchemaProps, path: string): FieldError[] {
  if (Array.isArray(value)) return errorsOfList(value, schema, path);
  if (!isMap(value)) return [];
  const additional = additionalOf(schema);
  return Object.keys(value).flatMap((name) => {
    const declared = propertyOf(schema, name);
    if (declared) return uniquenessErrors(value[name], declared, path === '' ? name : `${path}.${name}`);
    return additional && additional !== true
      ? uniquenessErrors(value[name], additional, `${path}[${name}]`)
      : [];
  });
}

function errorsOfList(value: readonly unknown[], schema: JSONSchemaProps, path: string): FieldError[] {
  const items = itemsOf(schema);
  const errors = misfitsOfMap(value, schema, path);
  const identity = identityOf(schema);
  if (identity && errors.length === 0) {
    const seen = new Set<string>();
    const told = new Set<string>();
    for (const [index, item] of value.entries()) {
      const own = identity(item);
      const key = jsonKey(own);
      if (!seen.has(key)) seen.add(key);
      else if (!told.has(key)) {
        errors.push({
          reason: 'FieldValueDuplicate',
          field: `${path}[${index}]`,
          message: `Duplicate value: ${own === null ? '"null"' : goUntyped(own as Json)}`,
        });
        told.add(key);
      }
    }
  }
  const inner = items
    ? value.flatMap((item, index) => uniquenessErrors(item, items, `${path}[${index}]`))
    : [];
  return [...errors, ...inner];
}

/** The first element of which no keys can be read; null is an object without any. */
function misfitsOfMap(value: readonly unknown[], schema: JSONSchemaProps, path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] !== 'map') return [];
  const index = value.findIndex((item) => item !== null && !isMap(item));
  if (index === -1) return [];
  const message = `Invalid value: ${shown(value[index])}: must be an object for an array of list-type map`;
  return [{ reason: 'FieldValueInvalid', field: `${path}[${index}]`, message }];
}

function identityOf(schema: JSONSchemaProps): ((item: unknown) => unknown) | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (item) => item;
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return (item) =>
        isMap(item)
          ? Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]))
          : {};
    }
    default:
      return undefined;
  }
}
