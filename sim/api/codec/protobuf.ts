/**
 * Typed protobuf of the built-in kinds, driven by the catalog. Gives the server's exact bytes and
 * reads them back into canonical objects. Kinds and versions are not in these bytes: see `envelope.ts`.
 * Specification: "Representations".
 */
import type { JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import { canonical } from './canonical.ts';
import { messageWriterOf } from './protobuf-encode.ts';
import { readBody } from './protobuf-decode.ts';
import { createReader, createWriter, LENGTH_DELIMITED, reading, tagOf } from './protobuf-wire.ts';

/** The bytes of a canonical object. */
export const encodeProtobuf = (schema: StructSchema, object: object): Uint8Array => {
  const writer = createWriter();
  messageWriterOf(schema)(writer, object as JsonObject);
  return writer.finish();
};

/** The canonical object of a message, without kind and version. @throws DecodeError, ApiError RequestEntityTooLarge */
export const decodeProtobuf = (
  schema: StructSchema,
  bytes: Uint8Array,
  mostValues = Infinity,
): JsonObject => {
  const reader = createReader(bytes);
  return canonical(schema, reading(() => readBody(reader, schema, mostValues)) as JsonObject);
};

/** The bytes of a list without its items, which follow it: `items` is the last field of every built-in list. */
export const encodeProtobufListHead = (schema: StructSchema, list: JsonObject): Uint8Array =>
  encodeProtobuf(schema, { ...list, items: [] });

/** What follows a list's head, out of the bytes of its items; `end` comes behind them. */
export const encodeProtobufItems = (
  schema: StructSchema,
  items: readonly Uint8Array[],
  end: Uint8Array,
): Uint8Array => {
  const itemsField = schema.fieldsByName.get('items')?.proto ?? 2;
  const tag = tagOf(itemsField, LENGTH_DELIMITED);
  let size = end.length;
  for (const { length } of items) size += 1 + lengthOfVarint(length) + length;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const item of items) {
    bytes[at++] = tag;
    at = putVarint(bytes, at, item.length);
    bytes.set(item, at);
    at += item.length;
  }
  bytes.set(end, at);
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
