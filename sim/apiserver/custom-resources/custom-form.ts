/**
 * The form of custom resources: plain JSON with sorted members, their metadata in the form of every
 * object's. What is in that form already is returned as it is.
 */
import { canonical } from '../../api/codec/canonical.ts';
import { setMember } from '../../api/codec/json-nodes.ts';
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
  const names = Object.keys(value);
  const present = names.filter((name) => Reflect.get(value, name) !== undefined);
  const isSorted =
    present.length === names.length && names.every((name, at) => at === 0 || (names[at - 1] ?? '') <= name);
  if (!isSorted) present.sort(compareStrings);
  const members = present.map((name) => sorted(Reflect.get(value, name) as unknown));
  if (isSorted && members.every((member, at) => member === Reflect.get(value, names[at] ?? ''))) return value;
  const result: Record<string, unknown> = {};
  present.forEach((name, at) => setMember(result, name, members[at]));
  return result as T;
}
