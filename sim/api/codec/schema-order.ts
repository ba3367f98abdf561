/**
 * A value with its members in the order in which its type declares them: so the server walks over values that it has
 * parsed, and what it meets first it complains of. What the type does not know comes last.
 */
import { byKey } from '../go-text.ts';
import type { Schema } from '../schema.ts';

export function inSchemaOrder(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (schema.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => inSchemaOrder(schema.items, item)) : value;
    case 'map':
      return mapped(value, Object.keys(value), () => schema.values);
    case 'struct': {
      const known = schema.fields.map(({ name }) => name).filter((name) => Object.hasOwn(value, name));
      const others = Object.keys(value).filter((name) => !schema.fieldsByName.has(name));
      return mapped(value, [...known, ...others], (name) => schema.fieldsByName.get(name)?.schema);
    }
    default:
      return value;
  }
}

function mapped(
  value: object,
  names: readonly string[],
  schemaOf: (name: string) => Schema | undefined,
): unknown {
  if (Array.isArray(value)) return value;
  const member = (name: string): unknown => {
    const schema = schemaOf(name);
    const inner: unknown = Reflect.get(value, name);
    return schema ? inSchemaOrder(schema, inner) : inner;
  };
  return Object.fromEntries(names.map((name) => [name, member(name)]));
}

/** A value with all members in the order of their names, as Go writes maps. */
export function inNameOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inNameOrder);
  return Object.fromEntries(
    Object.entries(value)
      .sort(byKey)
      .map(([name, member]) => [name, inNameOrder(member)]),
  );
}
