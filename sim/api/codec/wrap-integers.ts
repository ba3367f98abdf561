/**
 * Whole numbers that are too large for a member of 32 bits, as Go's conversion of untyped values leaves them: only their
 * lowest bits stay. What fits is returned as it is, part by part.
 */
import type { Schema } from '../schema.ts';

const BITS = 32;

export function wrappedIntegers(schema: Schema, value: unknown): unknown {
  switch (schema.kind) {
    case 'scalar':
      return schema.scalar === 'int32' && isTooLarge(value)
        ? Number(BigInt.asIntN(BITS, BigInt(value)))
        : value;
    case 'list':
      return Array.isArray(value) ? wrappedItems(schema.items, value) : value;
    case 'map':
      return isObject(value) ? wrappedMembers(value, () => schema.values) : value;
    case 'struct':
      return isObject(value) ? wrappedMembers(value, (name) => schema.fieldsByName.get(name)?.schema) : value;
    case 'opaque':
      return value;
  }
}

const isTooLarge = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value) && (value | 0) !== value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function wrappedItems(items: Schema, list: readonly unknown[]): readonly unknown[] {
  const wrapped = list.map((item) => wrappedIntegers(items, item));
  return wrapped.every((item, at) => item === list[at]) ? list : wrapped;
}

function wrappedMembers(
  object: Readonly<Record<string, unknown>>,
  schemaOf: (name: string) => Schema | undefined,
): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | undefined;
  for (const name in object) {
    const schema = schemaOf(name);
    const wrapped = schema ? wrappedIntegers(schema, object[name]) : object[name];
    if (wrapped !== object[name]) (changed ??= { ...object })[name] = wrapped;
  }
  return changed ?? object;
}
