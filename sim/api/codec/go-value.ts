/**
 * A value of a built-in type as Go's `%#v` prints it, in the shape that the server keeps it in: packages by group
 * instead of by version, members in another order here and there. Validation messages show such values. What a pointer
 * points to is not printed but its address, on which no client can rely: always the same one.
 */
import { compareStrings, goBytes, goQuote } from '../go-text.ts';
import { decodeBase64 } from './base64.ts';
import { parseTime } from '../time-format.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import type { FieldSchema, ScalarSchema, Schema, StructSchema } from '../schema.ts';
import { goMemberName } from './go-dump.ts';
import { INTERNAL_SHAPES } from './internal-shapes.ts';

export const GO_ADDRESS = '0xc000000000';

/** `%#v`. */
export const goValueText = (schema: Schema, value: unknown): string => valueText(schema, value, 'core');

/** `storage.k8s.io/v1.VolumeError` is of `storage`, the core group of `core`, shared types of `v1`. */
export function packageOf({ key }: StructSchema): string {
  const slash = key.indexOf('/');
  if (slash === -1) return 'core';
  const [first = ''] = key.slice(0, slash).split('.', 1);
  return first === 'meta' ? 'v1' : first;
}

function typeText(schema: Schema, inside: string): string {
  switch (schema.kind) {
    case 'struct':
      return `${packageOf(schema)}.${schema.goName}`;
    case 'list':
      return schema.goType ? renamed(schema.goType, inside) : `[]${typeText(schema.items, inside)}`;
    case 'map':
      return schema.goType ? renamed(schema.goType, inside) : `map[string]${typeText(schema.values, inside)}`;
    case 'scalar':
      return schema.goType ? renamed(schema.goType, inside) : SCALAR_TYPES[schema.scalar];
    case 'opaque':
      return schema.opaque === 'any' ? 'interface {}' : 'runtime.RawExtension';
  }
}

const SCALAR_TYPES: Readonly<Record<ScalarSchema['scalar'], string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  bytes: '[]uint8',
  timestamp: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

/** Types that other packages than the group's own have. */
const SHARED_TYPE = /^(?:types|resource|intstr|runtime)\./;
const CORE_TYPES: ReadonlySet<string> = new Set([
  'ResourceList',
  'ResourceName',
  'Protocol',
  'ConditionStatus',
]);

function renamed(goType: string, inside: string): string {
  if (SHARED_TYPE.test(goType)) return goType;
  const name = goType.slice(goType.indexOf('.') + 1);
  return `${CORE_TYPES.has(name) ? 'core' : inside}.${name}`;
}

function valueText(schema: Schema, value: unknown, inside: string): string {
  switch (schema.kind) {
    case 'struct':
      return structText(schema, value);
    case 'list':
      return listText(schema.items, value, typeText(schema, inside), inside);
    case 'map':
      return mapText(schema.values, value, typeText(schema, inside), inside);
    case 'scalar':
      return scalarText(schema, value);
    case 'opaque':
      return 'runtime.RawExtension{Raw:[]uint8(nil), Object:runtime.Object(nil)}';
  }
}

function structText(schema: StructSchema, value: unknown): string {
  const members = isObject(value) ? value : {};
  const own = packageOf(schema);
  const { order, without = [], inline } = INTERNAL_SHAPES[schema.key] ?? {};
  const texts = membersInOrder(schema, order)
    .filter(({ name }) => !without.includes(name))
    .map((field) => `${goMemberName(schema, field)}:${memberText(field, members[field.name], own)}`);
  if (!inline) return `${own}.${schema.goName}{${texts.join(', ')}}`;
  const { at, count, type } = inline;
  const inner = `${type.slice(type.indexOf('.') + 1)}:${type}{${texts.slice(at, at + count).join(', ')}}`;
  const all = [...texts.slice(0, at), inner, ...texts.slice(at + count)];
  return `${own}.${schema.goName}{${all.join(', ')}}`;
}

/** In the order in which the server keeps them; members that the list does not name come last. */
export function membersInOrder(
  { fields }: StructSchema,
  order: readonly string[] | undefined,
): readonly FieldSchema[] {
  if (!order) return fields;
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return fields.toSorted((left, right) => rank(left.name) - rank(right.name));
}

function memberText({ name, schema, pointer }: FieldSchema, value: unknown, inside: string): string {
  const isNone = value === undefined || value === null;
  if (!pointer || schema.kind === 'list' || schema.kind === 'map') return valueText(schema, value, inside);
  if (schema.kind === 'scalar' && (schema.scalar === 'timestamp' || schema.scalar === 'microtime'))
    return isNone ? '<nil>' : scalarText(schema, value);
  // The one type of its own among those that may hold anything.
  const type = name === 'fieldsV1' ? 'v1.FieldsV1' : typeText(schema, inside);
  return `(*${type})(${isNone ? 'nil' : GO_ADDRESS})`;
}

function listText(items: Schema, value: unknown, type: string, inside: string): string {
  if (!Array.isArray(value)) return `${type}(nil)`;
  return `${type}{${value.map((item) => valueText(items, item, inside)).join(', ')}}`;
}

function mapText(values: Schema, value: unknown, type: string, inside: string): string {
  if (!isObject(value)) return `${type}(nil)`;
  const entries = Object.entries(value).sort(([a], [b]) => compareStrings(a, b));
  return `${type}{${entries.map(([key, item]) => `${goQuote(key)}:${valueText(values, item, inside)}`).join(', ')}}`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];

/** As `%#v` prints a time that was read from JSON. */
export function goTime(text: string): string {
  if (text === '') return 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)';
  const { epochSeconds, micros = 0 } = parseTime(text);
  const date = new Date(epochSeconds * 1_000);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), micros * 1_000].join(', ');
  return `time.Date(${date.getUTCFullYear()}, time.${MONTHS[date.getUTCMonth()] ?? ''}, ${date.getUTCDate()}, ${clock}, time.Local)`;
}

function scalarText({ scalar }: ScalarSchema, value: unknown): string {
  switch (scalar) {
    case 'string':
      return goQuote(typeof value === 'string' ? value : '');
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'bytes':
      return bytesText(value);
    case 'quantity':
      return quantityText(typeof value === 'string' ? value : undefined);
    case 'intOrString':
      return typeof value === 'string'
        ? `intstr.IntOrString{Type:1, IntVal:0, StrVal:${goQuote(value)}}`
        : `intstr.IntOrString{Type:0, IntVal:${Number(value ?? 0)}, StrVal:""}`;
    case 'timestamp':
    case 'microtime':
      return goTime(typeof value === 'string' ? value : '');
    default:
      return typeof value === 'number' ? String(value) : '0';
  }
}

function bytesText(value: unknown): string {
  if (typeof value !== 'string') return '[]uint8(nil)';
  return `[]uint8{${goBytes(decodeBase64(value))}}`;
}

function quantityText(given: string | undefined): string {
  const none = 'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}';
  if (given === undefined)
    return `resource.Quantity{i:resource.int64Amount{value:0, scale:0}, ${none}, s:"", Format:""}`;
  const quantity = parseQuantity(given);
  const { unscaled, scale, format } = quantity;
  const amount = `i:resource.int64Amount{value:${unscaled}, scale:${scale}}`;
  return `resource.Quantity{${amount}, ${none}, s:${goQuote(formatQuantity(quantity))}, Format:"${format}"}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
