/**
 * Messages that every environment knows, and that may be written out: `google.protobuf.Int64Value{value: 1}`. Few of them
 * stay messages (`Any`, `Empty`): wrappers are what they wrap (and may be compared with null), durations and timestamps are
 * times, and the rest is what JSON knows. Fields that are not set are zero.
 */
import { goQuote } from '../../go-text.ts';
import type { Library } from '../types/declarations.ts';
import {
  ANY,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  typeOfType,
  UINT,
  wrapperOf,
  DURATION,
  TIMESTAMP,
} from '../types/type.ts';
import { itemsOf, ValueList, ValueMap } from '../values/containers.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isError,
  isInt,
  isList,
  type OpaqueValue,
  type Result,
  Timestamp,
  Uint,
} from '../values/value.ts';

export interface MessageType {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelType>;
  /** `given`: the fields that are set, in their order; a field that is set twice is what it is last. */
  readonly make: (given: ReadonlyMap<string, CelValue>) => Result;
}

const PREFIX = 'google.protobuf.';
const same = (value: CelValue): Result => value;

interface Wrapper {
  readonly type: CelType;
  readonly zero: CelValue;
  readonly convert?: (value: CelValue) => Result;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  BoolValue: { type: BOOL, zero: false },
  BytesValue: { type: BYTES, zero: new Uint8Array() },
  DoubleValue: { type: DOUBLE, zero: new Double(0) },
  FloatValue: { type: DOUBLE, zero: new Double(0), convert: inFloat },
  Int32Value: { type: INT, zero: 0, convert: inInt32 },
  Int64Value: { type: INT, zero: 0 },
  StringValue: { type: STRING, zero: '' },
  UInt32Value: { type: UINT, zero: new Uint(0n), convert: inUint32 },
  UInt64Value: { type: UINT, zero: new Uint(0n) },
};

function inFloat(value: CelValue): Result {
  return value instanceof Double ? new Double(Math.fround(value.value)) : value;
}

const MOST_INT32 = 2 ** 31 - 1;

function inInt32(value: CelValue): Result {
  if (!isInt(value) || (value >= -MOST_INT32 - 1 && value <= MOST_INT32)) return value;
  return new CelError('integer overflow');
}

function inUint32(value: CelValue): Result {
  if (!(value instanceof Uint) || value.value <= 0xffff_ffffn) return value;
  return new CelError('unsigned integer overflow');
}

function wrapper(name: string, { type, zero, convert = same }: Wrapper): MessageType {
  return {
    type: wrapperOf(type),
    fields: new Map([['value', type]]),
    make(given) {
      const value = given.get('value');
      if (value === undefined) return zero;
      const made = convert(value);
      return isError(made)
        ? new CelError(`field type conversion error for ${PREFIX}${name}.value value type: ${made.message}`)
        : made;
    },
  };
}

const numberIn = (value: CelValue | undefined): bigint =>
  value !== undefined && isInt(value) ? BigInt(value) : 0n;
const NANOS_PER_SECOND = 1_000_000_000n;

const TIME_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['seconds', INT],
  ['nanos', INT],
]);

/** The message without fields is the only one that stays one. */
export class EmptyMessage implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = EMPTY;

  equals(other: Result): Result {
    return other instanceof EmptyMessage;
  }
}

/** Nothing is known of what it may be, so that nobody can make one: the message is shown as text. */
function noAny(given: ReadonlyMap<string, CelValue>): CelError {
  const { type_url: url, value } = Object.fromEntries(given);
  const shown = [
    ...(typeof url === 'string' && url !== '' ? [`type_url:${goQuote(url)}`] : []),
    ...(value instanceof Uint8Array && value.length > 0
      ? [`value:${goQuote(String.fromCharCode(...value))}`]
      : []),
  ];
  return new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${shown.join('  ')}`);
}

export const EMPTY = struct(`${PREFIX}Empty`);

const OTHERS: readonly (readonly [string, MessageType])[] = [
  [
    'Duration',
    {
      type: DURATION,
      fields: TIME_FIELDS,
      make: (given) =>
        new Duration(numberIn(given.get('seconds')) * NANOS_PER_SECOND + numberIn(given.get('nanos'))),
    },
  ],
  [
    'Timestamp',
    {
      type: TIMESTAMP,
      fields: TIME_FIELDS,
      make: (given) =>
        new Timestamp(Number(numberIn(given.get('seconds'))), Number(numberIn(given.get('nanos')))),
    },
  ],
  [
    'Any',
    {
      type: ANY,
      fields: new Map([
        ['type_url', STRING],
        ['value', BYTES],
      ]),
      make: noAny,
    },
  ],
  ['Empty', { type: EMPTY, fields: new Map(), make: () => new EmptyMessage() }],
  [
    'Struct',
    {
      type: mapOf(STRING, DYN),
      fields: new Map([['fields', mapOf(STRING, DYN)]]),
      make: (given) => jsonOf(given.get('fields') ?? new ValueMap([])),
    },
  ],
  [
    'ListValue',
    {
      type: listOf(DYN),
      fields: new Map([['values', listOf(DYN)]]),
      make: (given) => jsonOf(given.get('values') ?? new ValueList([])),
    },
  ],
  [
    'Value',
    {
      type: DYN,
      fields: new Map([
        ['null_value', INT],
        ['number_value', DOUBLE],
        ['string_value', STRING],
        ['bool_value', BOOL],
        ['struct_value', mapOf(STRING, DYN)],
        ['list_value', listOf(DYN)],
      ]),
      make(given) {
        const [name, value = null] = [...given].at(-1) ?? [];
        return name === 'null_value' ? null : jsonOf(value);
      },
    },
  ],
];

/** By their whole names. */
export const MESSAGES: ReadonlyMap<string, MessageType> = new Map([
  ...Object.entries(WRAPPERS).map(([name, of]) => [`${PREFIX}${name}`, wrapper(name, of)] as const),
  ...OTHERS.map(([name, of]) => [`${PREFIX}${name}`, of] as const),
]);

export const MESSAGE_TYPES: Library = {
  functions: [],
  variables: new Map([
    ...[...MESSAGES].map(([name, { type }]) => [name, typeOfType(type)] as const),
    [`${PREFIX}NullValue.NULL_VALUE`, INT],
  ]),
};

/** Of enumerations that every environment knows. */
export const ENUM_VALUES: ReadonlyMap<string, CelValue> = new Map([[`${PREFIX}NullValue.NULL_VALUE`, 0]]);

/** Whole numbers beyond this are texts in JSON. */
const MOST_EXACT = Number.MAX_SAFE_INTEGER;

/** What JSON knows of a value: all its numbers are of one kind. */
function jsonOf(value: CelValue): Result {
  if (isInt(value))
    return value > MOST_EXACT || value < -MOST_EXACT ? String(value) : new Double(Number(value));
  if (value instanceof Uint)
    return value.value > BigInt(MOST_EXACT) ? String(value.value) : new Double(Number(value.value));
  if (value === null || typeof value !== 'object' || value instanceof Double) return value;
  if (isList(value)) {
    const items = itemsOf(value);
    return items instanceof CelError ? items : allOf(items, (made) => new ValueList(made));
  }
  if (value instanceof EmptyMessage) return new ValueMap([]);
  if (value instanceof Uint8Array || value.kind !== 'map')
    return new CelError('unsupported native conversion to JSON value');
  const keys = value.keys();
  const values: CelValue[] = [];
  for (const key of keys) {
    const found = value.find(key) ?? null;
    if (isError(found)) return found;
    values.push(found);
  }
  return allOf(values, (made) => new ValueMap(keys.map((key, index) => [key, made[index] ?? null] as const)));
}

function allOf(values: readonly CelValue[], build: (made: readonly CelValue[]) => CelValue): Result {
  const made: CelValue[] = [];
  for (const value of values) {
    const one = jsonOf(value);
    if (isError(one)) return one;
    made.push(one);
  }
  return build(made);
}
