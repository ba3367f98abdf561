/**
 * Objects as bytes. What is encoded of a frozen object is kept with it, once for each form, and
 * reused by every get, list and watch that shows it. Specification: "Content negotiation".
 */
import { encodeJson, encodePrettyJson, encodeYaml } from '../../api/codec/encode.ts';
import { wrapEnvelope } from '../../api/codec/envelope.ts';
import { encodeProtobuf } from '../../api/codec/protobuf.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Encoding } from './negotiate.ts';

/** What the bytes say of themselves, and how they are written. */
export interface TypedForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructSchema | undefined;
}

const TEXT = new TextEncoder();
const kept = new Map<Encoding, WeakMap<object, Uint8Array>>([
  ['json', new WeakMap()],
  ['yaml', new WeakMap()],
  ['protobuf', new WeakMap()],
]);

/** Compact JSON ends with a line break; the other forms as they are. The bytes are shared: never change them. */
export function encodedObject(object: object, encoding: Encoding, form: TypedForm): Uint8Array {
  const known = kept.get(encoding)?.get(object);
  if (known) return known;
  const bytes = encodeFresh(object, encoding, form);
  if (Object.isFrozen(object)) kept.get(encoding)?.set(object, bytes);
  return bytes;
}

export function encodeFresh(object: object, encoding: Encoding, form: TypedForm, isPretty = false): Uint8Array {
  if (encoding === 'json') return TEXT.encode(isPretty ? encodePrettyJson(object) : `${encodeJson(object)}\n`);
  if (encoding === 'yaml') return TEXT.encode(encodeYaml(object));
  const { schema, apiVersion, kind } = form;
  if (!schema) throw new Error(`object ${kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`);
  return wrapEnvelope({ apiVersion, kind, raw: encodeProtobuf(schema, object) });
}

/** A list's JSON out of the bytes of its items, which stand in it without kind and apiVersion (unless `keepsTypes`). */
export function joinedList(head: string, items: readonly object[], form: TypedForm, keepsTypes: boolean): Uint8Array {
  const skipped = keepsTypes ? 0 : `{"kind":${JSON.stringify(form.kind)},"apiVersion":${JSON.stringify(form.apiVersion)},`.length;
  const start = TEXT.encode(head);
  const parts = items.map((item) => encodedObject(item, 'json', form));
  // Every item loses its line break and what was skipped, and gains a comma and, if cut, a brace.
  const perItem = 1 - 1 - skipped + (keepsTypes ? 0 : 1);
  const length = parts.reduce((sum, part) => sum + part.length + perItem, start.length) - (parts.length > 0 ? 1 : 0) + END.length;
  const bytes = new Uint8Array(length);
  bytes.set(start);
  let offset = start.length;
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
