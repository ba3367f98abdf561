/**
 * Whole numbers that are too large for their member, as Go's conversion of untyped values leaves them: of 64 bits only
 * the lowest 32 stay where there is room for no more, and what 64 bits do not hold is the least of them, as on amd64.
 * What fits is returned as it is, part by part.
 */
import type { Schema } from '../schema.ts';
import { fitsInt64 } from './int64.ts';

const LEAST = -(2n ** 63n);

export function wrappedIntegers(schema: Schema, value: unknown): unknown {
  switch (schema.kind) {
    case 'scalar':
      if (schema.scalar === 'int32' && isNoInt32(value)) return Number(BigInt.asIntN(32, int64Of(value)));
      return schema.scalar === 'int64' && isUnsafe(value) ? int64Of(value) : value;
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

type Whole = number | bigint;

const isNoInt32 = (value: unknown): value is Whole =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value) && (value | 0) !== value);

/** A number that was read as a fraction, for no integer can hold it or it was written as none. */
const isUnsafe = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);

function int64Of(value: Whole): bigint {
  if (typeof value === 'bigint') return value;
  return fitsInt64(value) ? BigInt(value) : LEAST;
}

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
