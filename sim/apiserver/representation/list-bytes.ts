/**
 * The bytes of lists, out of the bytes that are kept of their items. A list is a head, which tells its
 * version, and a tail that is the same as long as nothing of the resource is written.
 * Specification: "Chunked list", "Content negotiation".
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { ENVELOPE_END, envelopeHead } from '../../api/codec/envelope.ts';
import { encodeProtobufItems, encodeProtobufListHead } from '../../api/codec/protobuf.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { ApiObject, ListMeta } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { encodedObject, messageOf, type TypedForm } from './encode.ts';
import type { View } from './negotiate.ts';
import { encodedPartial } from './partial-metadata.ts';

const TEXT = new TextEncoder();
const COMMA = 0x2c;
const BRACE = 0x7b;
const OPEN = 0x5b;
const END = TEXT.encode(']}\n');

/** Everything of a JSON list before the value of its last member, `last`. */
export function jsonHead(
  members: { readonly kind: string; readonly apiVersion: string; readonly metadata: ListMeta },
  last: 'items' | 'rows',
): Uint8Array {
  return TEXT.encode(`${encodeJson(members).slice(0, -1)},"${last}":`);
}

/** The items in JSON and the end of their list. They stand there without kind and apiVersion, unless `keepsTypes`. */
export function jsonItems(items: readonly object[], form: TypedForm, keepsTypes: boolean): Uint8Array {
  const skipped = keepsTypes
    ? 0
    : `{"kind":${JSON.stringify(form.kind)},"apiVersion":${JSON.stringify(form.apiVersion)},`.length;
  const parts = items.map((item) => encodedObject(item, 'json', form));
  // Every item loses its line break and what is skipped, and gains a comma and, if cut, a brace.
  const perItem = (keepsTypes ? 0 : 1) - skipped;
  let size = 1 + END.length - (parts.length > 0 ? 1 : 0);
  for (const { length } of parts) size += length + perItem;
  const bytes = new Uint8Array(size);
  bytes[0] = OPEN;
  let offset = 1;
  for (const part of parts) {
    if (offset > 1) bytes[offset++] = COMMA;
    if (!keepsTypes) bytes[offset++] = BRACE;
    bytes.set(part.subarray(skipped, part.length - 1), offset);
    offset += part.length - 1 - skipped;
  }
  bytes.set(END, offset);
  return bytes;
}

/** Items cut down to their metadata, and the end of their list. No items are `null`, as on a real server. */
export const partialItems = (
  items: readonly ApiObject[],
  view: View,
  kind: Pick<Strategy, 'versionedAnnotations'>,
): Uint8Array =>
  TEXT.encode(
    items.length === 0
      ? 'null}\n'
      : `[${items.map((item) => encodedPartial(item, view, kind)).join(',')}]}\n`,
  );

/** Everything of a protobuf list before its items, if these take `itemsLength` bytes, end included. */
export function protobufHead(
  list: TypedForm & { readonly schema: StructSchema },
  metadata: ListMeta,
  itemsLength: number,
): Uint8Array {
  const inner = encodeProtobufListHead(list.schema, { metadata: { ...metadata } });
  const outer = envelopeHead(list.apiVersion, list.kind, inner.length + itemsLength - ENVELOPE_END.length);
  const bytes = new Uint8Array(outer.length + inner.length);
  bytes.set(outer);
  bytes.set(inner, outer.length);
  return bytes;
}

/** The items in protobuf, and the end of the envelope around their list. */
export const protobufItems = (schema: StructSchema, items: readonly object[], form: TypedForm): Uint8Array =>
  encodeProtobufItems(
    schema,
    items.map((item) => messageOf(item, form)),
    ENVELOPE_END,
  );
