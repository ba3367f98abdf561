/**
 * Objects as bytes. What is encoded of a frozen object is kept with it, once for each form, and
 * reused by every get, list and watch that shows it. Specification: "Content negotiation".
 */
import { encodeJson, encodePrettyJson } from '../../api/codec/encode.ts';
import { encodeYaml } from '../../api/codec/encode-yaml.ts';
import { wrapEnvelope } from '../../api/codec/envelope.ts';
import { encodeProtobuf, encodeProtobufList } from '../../api/codec/protobuf.ts';
import type { JsonObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Encoding } from './negotiate.ts';

/** What the bytes say of themselves, and how they are written. */
export interface TypedForm {
  readonly apiVersion: string;
  readonly kind: string;
  /** Needed for protobuf. */
  readonly schema: StructSchema | undefined;
}

const TEXT = new TextEncoder();
const keptJson = new WeakMap<object, Uint8Array>();
/** Without envelopes, so that lists can use them. */
const keptMessages = new WeakMap<object, Uint8Array>();

/** Compact JSON ends with a line break; the other forms as they are. The bytes are shared: never change them. */
export function encodedObject(object: object, encoding: Encoding, form: TypedForm): Uint8Array {
  if (encoding === 'yaml') return encodeFresh(object, encoding, form);
  if (encoding === 'protobuf') return enveloped(form, messageOf(object, form));
  const known = keptJson.get(object);
  if (known) return known;
  const bytes = encodeFresh(object, encoding, form);
  if (Object.isFrozen(object)) keptJson.set(object, bytes);
  return bytes;
}

export function encodeFresh(
  object: object,
  encoding: Encoding,
  form: TypedForm,
  isPretty = false,
): Uint8Array {
  if (encoding === 'json')
    return TEXT.encode(isPretty ? encodePrettyJson(object) : `${encodeJson(object)}\n`);
  if (encoding === 'yaml') return TEXT.encode(encodeYaml(object));
  return enveloped(form, messageOf(object, form));
}

const enveloped = ({ apiVersion, kind }: TypedForm, raw: Uint8Array): Uint8Array =>
  wrapEnvelope({ apiVersion, kind, raw });

function messageOf(object: object, { schema, kind }: TypedForm): Uint8Array {
  const known = keptMessages.get(object);
  if (known) return known;
  if (!schema) {
    throw new Error(
      `object ${kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }
  const bytes = encodeProtobuf(schema, object);
  if (Object.isFrozen(object)) keptMessages.set(object, bytes);
  return bytes;
}

/** A list in protobuf out of the messages of its items; `list` is everything but them. */
export function joinedMessages(
  list: TypedForm & { readonly schema: StructSchema },
  metadata: object,
  items: readonly object[],
  item: TypedForm,
): Uint8Array {
  const head: JsonObject = { metadata: metadata as JsonObject };
  return enveloped(
    list,
    encodeProtobufList(
      list.schema,
      head,
      items.map((object) => messageOf(object, item)),
    ),
  );
}

/**
 * What stands behind `"items":[` in a list's JSON, out of the bytes of its items. They stand there
 * without kind and apiVersion, unless `keepsTypes`.
 */
export function joinedItems(items: readonly object[], form: TypedForm, keepsTypes: boolean): Uint8Array {
  const skipped = keepsTypes
    ? 0
    : `{"kind":${JSON.stringify(form.kind)},"apiVersion":${JSON.stringify(form.apiVersion)},`.length;
  const parts = items.map((item) => encodedObject(item, 'json', form));
  // Every item loses its line break and what is skipped, and gains a comma and, if cut, a brace.
  const perItem = (keepsTypes ? 0 : 1) - skipped;
  const commas = parts.length > 0 ? -1 : 0;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length + perItem, commas) + END.length);
  let offset = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0) bytes[offset++] = COMMA;
    if (!keepsTypes) bytes[offset++] = BRACE;
    bytes.set(part.subarray(skipped, part.length - 1), offset);
    offset += part.length - 1 - skipped;
  }
  bytes.set(END, offset);
  return bytes;
}

const COMMA = 0x2c;
const BRACE = 0x7b;
const END = TEXT.encode(']}\n');
