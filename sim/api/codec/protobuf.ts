/**
 * Typed protobuf of the built-in kinds, driven by the catalog. Gives the server's exact bytes and
 * reads them back into canonical objects. Kinds and versions are not in these bytes: see `envelope.ts`.
 * Specification: "Representations".
 */
import type { JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import { canonical } from './canonical.ts';
import { messageWriterOf } from './protobuf-encode.ts';
import { readMessage } from './protobuf-decode.ts';
import { createReader, createWriter, LENGTH_DELIMITED, reading, tagOf } from './protobuf-wire.ts';

/** The bytes of a canonical object. */
export const encodeProtobuf = (schema: StructSchema, object: object): Uint8Array => {
  const writer = createWriter();
  messageWriterOf(schema)(writer, object as JsonObject);
  return writer.finish();
};

/** The canonical object of a message, without kind and version. @throws DecodeError */
export const decodeProtobuf = (schema: StructSchema, bytes: Uint8Array): JsonObject => {
  const reader = createReader(bytes);
  return canonical(schema, reading(() => readMessage(reader, schema, bytes.length, 0)) as JsonObject);
};

/**
 * The bytes of a list whose items are encoded already: `list` holds everything but the items.
 * The items must be the list's last field, which they are in every built-in list.
 */
export const encodeProtobufList = (
  schema: StructSchema,
  list: JsonObject,
  items: readonly Uint8Array[],
): Uint8Array => {
  const itemsField = schema.fieldsByName.get('items')?.proto ?? 2;
  const tag = tagOf(itemsField, LENGTH_DELIMITED);
  const head = encodeProtobuf(schema, { ...list, items: [] });
  const size = items.reduce((sum, item) => sum + 1 + lengthOfVarint(item.length) + item.length, head.length);
  const bytes = new Uint8Array(size);
  bytes.set(head);
  let at = head.length;
  for (const item of items) {
    bytes[at++] = tag;
    at = putVarint(bytes, at, item.length);
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
};

const lengthOfVarint = (value: number): number => {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
  return length;
};

/** Index behind the varint. */
const putVarint = (bytes: Uint8Array, start: number, value: number): number => {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
  bytes[at++] = rest;
  return at;
};
