/** Protobuf into the members of objects, driven by schemas; unknown fields are skipped. */
import type { FieldSchema, ScalarName, Schema, StructSchema } from '../schema.ts';
import { tooManyValues } from './value-bound.ts';
import { encodeBase64 } from './base64.ts';
import { DecodeError } from './decode-error.ts';
import { setMember } from './json-nodes.ts';
import { isLeaf, readLeaf } from './protobuf-leaves.ts';
import { readInteger, type Reader } from './protobuf-wire.ts';

type Members = Record<string, unknown>;

/** Reads one value behind its tag into the members of its message. */
type ReadField = (reader: Reader, members: Members, depth: number) => void;

/** Schemas of schemas may be nested as deep as a client likes. */
const MAX_DEPTH = 1000;

const compiled = new Map<StructSchema, ReadonlyMap<number, ReadField>>();

const fieldReadersOf = (schema: StructSchema): ReadonlyMap<number, ReadField> => {
  const known = compiled.get(schema);
  if (known) return known;
  const readers = new Map<number, ReadField>();
  compiled.set(schema, readers);
  for (const field of schema.fields) if (field.proto > 0) readers.set(field.proto, fieldReader(field));
  for (const { proto, schema: inner } of schema.inlined)
    readers.set(proto, (reader, members, depth) => readInto(reader, inner, members, endOf(reader), depth));
  return readers;
};

/** Values that may still be read of the body under way. */
let left = Infinity;

const spend = (): void => {
  if (left-- <= 0) throw tooManyValues();
};

const endOf = (reader: Reader): number => {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new DecodeError('unexpected EOF');
  return end;
};

const readInto = (
  reader: Reader,
  schema: StructSchema,
  members: Members,
  end: number,
  depth: number,
): void => {
  if (depth > MAX_DEPTH) throw new DecodeError('proto: exceeded max depth');
  const readers = fieldReadersOf(schema);
  while (reader.pos < end) {
    spend();
    const tag = reader.uint32();
    if (tag >>> 3 === 0)
      throw new DecodeError(`proto: ${schema.goName}: illegal tag 0 (wire type ${tag & 7})`);
    const read = readers.get(tag >>> 3);
    if (read) read(reader, members, depth + 1);
    else reader.skipType(tag & 7);
  }
};

/** The members of an object in the order of the bytes. @throws ApiError RequestEntityTooLarge beyond so many values */
export const readBody = (reader: Reader, schema: StructSchema, mostValues: number): Members => {
  left = mostValues;
  return readMessage(reader, schema, reader.len, 0);
};

/** Reads a message that ends at `end`. */
const readMessage = (reader: Reader, schema: StructSchema, end: number, depth: number): Members => {
  const members: Members = {};
  readInto(reader, schema, members, end, depth);
  return members;
};

const fieldReader = ({ name, schema }: FieldSchema): ReadField => {
  if (schema.kind === 'list') {
    const read = elementReader(schema.items);
    if (schema.protoWrapped)
      return (reader, members, depth) => setMember(members, name, readWrapped(reader, read, depth));
    return (reader, members, depth) => {
      const list = members[name];
      const item = read(reader, depth);
      if (Array.isArray(list)) list.push(item);
      else members[name] = [item];
    };
  }
  if (schema.kind === 'map') {
    const { values } = schema;
    const readItem = elementReader(values.kind === 'list' ? values.items : values);
    const read: ElementReader =
      values.kind === 'list' ? (reader, depth) => readWrapped(reader, readItem, depth) : readItem;
    return (reader, members, depth) => {
      const map = (members[name] ??= {}) as Members;
      readEntry(reader, map, read, values, depth);
    };
  }
  const read = elementReader(schema);
  return (reader, members, depth) => setMember(members, name, read(reader, depth));
};

type ElementReader = (reader: Reader, depth: number) => unknown;

/** A message whose only field is a list. */
const readWrapped = (reader: Reader, read: ElementReader, depth: number): unknown[] => {
  const end = endOf(reader);
  const items: unknown[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    spend();
    if (tag >>> 3 === 1) items.push(read(reader, depth));
    else reader.skipType(tag & 7);
  }
  return items;
};

/** Of a value that its entry leaves out: bytes are there, and empty. */
const zeroOf = (values: Schema): unknown => {
  if (values.kind === 'struct') return {};
  return values.kind === 'scalar' && values.scalar === 'bytes' ? '' : null;
};

const readEntry = (
  reader: Reader,
  map: Members,
  read: ElementReader,
  values: Schema,
  depth: number,
): void => {
  const end = endOf(reader);
  let key = '';
  let value = zeroOf(values);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) key = reader.string();
    else if (tag >>> 3 === 2) value = read(reader, depth);
    else reader.skipType(tag & 7);
  }
  setMember(map, key, value);
};

const elementReader = (schema: Schema): ElementReader => {
  switch (schema.kind) {
    case 'struct': {
      const { customJson } = schema;
      if (!customJson) return (reader, depth) => readMessage(reader, schema, endOf(reader), depth);
      return (reader, depth) => customJsonOf(customJson, readMessage(reader, schema, endOf(reader), depth));
    }
    case 'opaque':
      return (reader) => readLeaf(reader, schema.opaque, endOf(reader));
    case 'scalar': {
      const { scalar } = schema;
      return isLeaf(scalar) ? (reader) => readLeaf(reader, scalar, endOf(reader)) : scalarReader(scalar);
    }
    default:
      throw new DecodeError('proto: a list of lists has no message');
  }
};

const scalarReader = (scalar: ScalarName): ElementReader => {
  switch (scalar) {
    case 'string':
      return (reader) => reader.string();
    case 'bytes':
      return (reader) => encodeBase64(reader.bytes());
    case 'boolean':
      return (reader) => reader.bool();
    case 'float64':
      return (reader) => reader.double();
    case 'int32':
      return (reader) => reader.int32();
    default:
      return (reader) => readInteger(reader);
  }
};

const customJsonOf = (form: NonNullable<StructSchema['customJson']>, members: Members): unknown => {
  if (form === 'raw') return members;
  const many = members['jSONSchemas'] ?? members['property'];
  if (Array.isArray(many) && many.length > 0) return many;
  if (members['schema'] !== undefined) return members['schema'];
  return form === 'schemaOrBool' ? members['allows'] === true : null;
};
