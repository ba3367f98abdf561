/**
 * A value of a built-in type as releases since 1.34 print it in messages: JSON of the shape that the server keeps it in,
 * whose members have Go's names and are all there; shared types (`LabelSelector`) have the names of the wire.
 */
import { compareStrings, jsonMembers } from '../go-text.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import type { FieldSchema, ScalarSchema, Schema, StructSchema } from '../schema.ts';
import { membersInOrder, packageOf } from './go-value.ts';
import { goMemberName } from './go-dump.ts';
import { INTERNAL_SHAPES } from './internal-shapes.ts';

export function goValueJson(schema: Schema, value: unknown): string {
  switch (schema.kind) {
    case 'struct':
      return structJson(schema, isObject(value) ? value : {});
    case 'list':
      return Array.isArray(value)
        ? `[${value.map((item) => goValueJson(schema.items, item)).join(',')}]`
        : 'null';
    case 'map':
      return isObject(value) ? mapJson(schema.values, value) : 'null';
    case 'scalar':
      return scalarJson(schema, value);
    case 'opaque':
      return JSON.stringify(value ?? null);
  }
}

function structJson(schema: StructSchema, members: Readonly<Record<string, unknown>>): string {
  const isShared = packageOf(schema) === 'v1';
  const { order, without = [], lends, later = {} } = INTERNAL_SHAPES[schema.key] ?? {};
  const named = (field: FieldSchema, json: string): string =>
    `${JSON.stringify(isShared ? field.name : goMemberName(schema, field))}:${json}`;
  const fields = membersInOrder(schema, order).filter(
    (field) => !without.includes(field.name) && !(isShared && isLeftOut(field, members[field.name])),
  );
  const texts = fields.flatMap((field) => {
    const json = memberJson(field, members[field.name]);
    // Go puts the members of an embedded struct among those of what embeds it.
    if (!isShared && field.name === EMBEDDED) return [json.slice(1, -1)];
    const added = (later[field.name] ?? []).map((name) => `${JSON.stringify(name)}:null`);
    if (lends?.to !== field.name || json === 'null') return [named(field, json), ...added];
    const lent = schema.fields
      .filter(({ name }) => lends.members.includes(name))
      .toSorted((a, b) => lends.members.indexOf(a.name) - lends.members.indexOf(b.name))
      .map((each) => named(each, memberJson(each, members[each.name])));
    return [named(field, `{${[...lent, json.slice(1, -1)].join(',')}}`), ...added];
  });
  return `{${texts.filter((text) => text !== '').join(',')}}`;
}

const EMBEDDED = 'metadata';

function isLeftOut({ omitEmpty }: FieldSchema, value: unknown): boolean {
  if (!omitEmpty) return false;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
}

const memberJson = ({ schema, pointer }: FieldSchema, value: unknown): string =>
  pointer && (value === undefined || value === null) ? 'null' : goValueJson(schema, value);

const mapJson = (values: Schema, map: Readonly<Record<string, unknown>>): string =>
  jsonMembers(
    Object.entries(map)
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([key, item]) => [key, goValueJson(values, item)]),
  );

function scalarJson({ scalar }: ScalarSchema, value: unknown): string {
  switch (scalar) {
    case 'string':
      return JSON.stringify(typeof value === 'string' ? value : '');
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'quantity':
      return JSON.stringify(typeof value === 'string' ? formatQuantity(parseQuantity(value)) : '0');
    case 'intOrString':
      return JSON.stringify(value ?? 0);
    case 'bytes':
    case 'timestamp':
    case 'microtime':
      return JSON.stringify(value ?? null);
    default:
      return typeof value === 'number' ? String(value) : '0';
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
