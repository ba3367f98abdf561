/**
 * Objects into protobuf, byte for byte as the server does: fields by ascending number, values that
 * are no pointers always written, map entries in the order of their keys. One function is compiled
 * for each schema. The object has to be canonical.
 */
import type { FieldSchema, ListSchema, MapSchema, ScalarName, Schema, StructSchema } from '../schema.ts';
import { decodeBase64 } from './base64.ts';
import { isLeaf, writeLeaf } from './protobuf-leaves.ts';
import { FIXED64, LENGTH_DELIMITED, tagOf, VARINT, writeInteger, type Writer } from './protobuf-wire.ts';

type Members = Readonly<Record<string, unknown>>;

/** Writes the members of a message, without its length. */
type WriteMessage = (writer: Writer, value: Members) => void;

/** Writes a field with its tag, or nothing. */
type WriteField = (writer: Writer, value: unknown) => void;

interface MessagePart {
  readonly proto: number;
  readonly write: WriteMessage;
}

const compiled = new Map<StructSchema, WriteMessage>();

/** The function that writes messages of a struct. */
export const messageWriterOf = (schema: StructSchema): WriteMessage => {
  const known = compiled.get(schema);
  if (known) return known;
  let parts: readonly MessagePart[] | undefined;
  const write: WriteMessage = (writer, value) => {
    parts ??= partsOf(schema);
    for (const part of parts) part.write(writer, value);
  };
  compiled.set(schema, write);
  return write;
};

const partsOf = (schema: StructSchema): readonly MessagePart[] => {
  const own = schema.fields.filter(({ proto }) => proto > 0).map(fieldPart);
  const inlined = schema.inlined.map(({ proto, schema: inner }): MessagePart => {
    const tag = tagOf(proto, LENGTH_DELIMITED);
    const write = messageWriterOf(inner);
    return { proto, write: (writer, value) => writeNested(writer, tag, () => write(writer, value)) };
  });
  return [...own, ...inlined].sort((left, right) => left.proto - right.proto);
};

const writeNested = (writer: Writer, tag: number, write: () => void): void => {
  writer.uint32(tag).fork();
  write();
  writer.ldelim();
};

const fieldPart = (field: FieldSchema): MessagePart => {
  const { name, proto } = field;
  const write = fieldWriter(field);
  return { proto, write: (writer, value) => write(writer, value[name]) };
};

const fieldWriter = ({ schema, proto, pointer }: FieldSchema): WriteField => {
  if (schema.kind === 'list') return listWriter(schema, proto);
  if (schema.kind === 'map') return mapWriter(schema, proto);
  const write = elementWriter(schema, proto);
  const isOptional = pointer || (schema.kind === 'scalar' && schema.scalar === 'bytes');
  if (!isOptional) return write;
  return (writer, value) => {
    if (value !== undefined && value !== null) write(writer, value);
  };
};

const listWriter = (schema: ListSchema, proto: number): WriteField => {
  const write = elementWriter(schema.items, schema.protoWrapped ? 1 : proto);
  const writeItems: WriteField = (writer, value) => {
    if (Array.isArray(value)) for (const item of value) write(writer, item);
  };
  if (!schema.protoWrapped) return writeItems;
  const tag = tagOf(proto, LENGTH_DELIMITED);
  return (writer, value) => {
    if (Array.isArray(value)) writeNested(writer, tag, () => writeItems(writer, value));
  };
};

const KEY_TAG = tagOf(1, LENGTH_DELIMITED);

const mapWriter = (schema: MapSchema, proto: number): WriteField => {
  const tag = tagOf(proto, LENGTH_DELIMITED);
  const { values } = schema;
  const write = values.kind === 'list' ? listWriter(values, 2) : elementWriter(values, 2);
  const isNilLeftOut = values.kind === 'scalar' && values.scalar === 'bytes';
  return (writer, value) => {
    if (typeof value !== 'object' || value === null) return;
    const members = value as Members;
    for (const name of Object.keys(members).sort()) {
      writer.uint32(tag).fork().uint32(KEY_TAG).string(name);
      const member = members[name];
      if (!isNilLeftOut || member !== null) write(writer, member);
      writer.ldelim();
    }
  };
};

const NO_MEMBERS: Members = {};

const elementWriter = (schema: Schema, proto: number): WriteField => {
  const tag = tagOf(proto, LENGTH_DELIMITED);
  switch (schema.kind) {
    case 'struct': {
      const write = messageWriterOf(schema);
      const { customJson } = schema;
      return (writer, value) => {
        const members = customJson ? customMembers(customJson, value) : ((value ?? NO_MEMBERS) as Members);
        writer.uint32(tag).fork();
        write(writer, members);
        writer.ldelim();
      };
    }
    case 'opaque':
      return leafWriter(schema.opaque, tag);
    case 'scalar':
      return isLeaf(schema.scalar) ? leafWriter(schema.scalar, tag) : scalarWriter(schema.scalar, proto);
    case 'list':
      return listWriter(schema, proto);
    case 'map':
      return mapWriter(schema, proto);
  }
};

const leafWriter =
  (leaf: Parameters<typeof writeLeaf>[1], tag: number): WriteField =>
  (writer, value) => {
    writer.uint32(tag).fork();
    writeLeaf(writer, leaf, value);
    writer.ldelim();
  };

const scalarWriter = (scalar: ScalarName, proto: number): WriteField => {
  const bytesTag = tagOf(proto, LENGTH_DELIMITED);
  const varintTag = tagOf(proto, VARINT);
  const fixedTag = tagOf(proto, FIXED64);
  switch (scalar) {
    case 'string':
      return (writer, value) => void writer.uint32(bytesTag).string(typeof value === 'string' ? value : '');
    case 'bytes':
      return (writer, value) =>
        void writer.uint32(bytesTag).bytes(decodeBase64(typeof value === 'string' ? value : ''));
    case 'boolean':
      return (writer, value) => void writer.uint32(varintTag).bool(value === true);
    case 'float64':
      return (writer, value) => void writer.uint32(fixedTag).double(typeof value === 'number' ? value : 0);
    default:
      return (writer, value) => {
        writer.uint32(varintTag);
        writeInteger(writer, typeof value === 'number' || typeof value === 'bigint' ? value : 0);
      };
  }
};

/** The members that a value with JSON of its own stands for. */
const customMembers = (form: NonNullable<StructSchema['customJson']>, value: unknown): Members => {
  if (form === 'raw') return (value ?? NO_MEMBERS) as Members;
  if (typeof value === 'boolean') return { allows: value };
  if (Array.isArray(value)) return form === 'schemaOrArray' ? { jSONSchemas: value } : { property: value };
  if (typeof value !== 'object' || value === null) return NO_MEMBERS;
  return form === 'schemaOrBool' ? { allows: true, schema: value } : { schema: value };
};
