/**
 * The form of custom resources: plain JSON with sorted members, their metadata in the form of every
 * object's. What is in that form already is returned as it is.
 */
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { compareStrings } from '../../api/go-text.ts';

/** `metaSchema`: that of ObjectMeta. */
export function customForm(object: object, metaSchema: StructSchema): ApiObject {
  const { metadata = {}, ...rest } = object as ApiObject;
  const { creationTimestamp, ...meta } = canonical(metaSchema, metadata);
  return sorted({
    ...rest,
    metadata: { ...meta, ...(creationTimestamp && { creationTimestamp }) },
  } as ApiObject);
}

/** Members in the order of their names, all the way down. */
export function sorted<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => sorted(item));
    return (items.every((item, index) => item === value[index]) ? value : items) as T;
  }
  const names = Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined);
  const isSorted =
    names.length === Object.keys(value).length &&
    names.every((name, index) => index === 0 || (names[index - 1] ?? '') <= name);
  const members = (isSorted ? names : names.sort(compareStrings)).map(
    (name) => [name, sorted(Reflect.get(value, name) as unknown)] as const,
  );
  if (isSorted && members.every(([name, member]) => member === Reflect.get(value, name))) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of members) {
    if (name === '__proto__')
      Object.defineProperty(result, name, {
        value: member,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else result[name] = member;
  }
  return result as T;
}
