/**
 * Objects as bytes. What is encoded of a frozen object is kept with it, once for each form, while it is
 * warm, and reused by every get, list and watch that shows it. Specification: "Content negotiation".
 */
import { encodeJson, encodePrettyJson } from '../../api/codec/encode.ts';
import { encodeYaml } from '../../api/codec/encode-yaml.ts';
import { wrapEnvelope } from '../../api/codec/envelope.ts';
import { hasControlCharacter } from '../../api/codec/yaml.ts';
import { encodeProtobuf } from '../../api/codec/protobuf.ts';
import type { StructSchema } from '../../api/schema.ts';
import { plainError } from '../../api/status.ts';
import type { Encoding } from './negotiate.ts';
import { lengthOf, WarmBytes } from './warm-bytes.ts';

/** What the bytes say of themselves, and how they are written. */
export interface TypedForm {
  readonly apiVersion: string;
  readonly kind: string;
  /** Needed for protobuf. */
  readonly schema: StructSchema | undefined;
  /** For messages, where it is not that of the routed resource. */
  readonly goTypeName?: string;
}

const TEXT = new TextEncoder();
const keptJson = new WarmBytes<object, Uint8Array>(lengthOf);
/** A message as a schema writes it: servers of different releases have different ones for a stored object. */
interface KeptMessage {
  readonly schema: StructSchema | undefined;
  readonly bytes: Uint8Array;
}

/** Without envelopes, so that lists can use them. */
const keptMessages = new WarmBytes<object, KeptMessage>(({ bytes }) => bytes.length);

/** Compact JSON ends with a line break; the other forms as they are. The bytes are shared: never change them. */
export function encodedObject(object: object, encoding: Encoding, form: TypedForm): Uint8Array {
  if (encoding === 'yaml') return encodeFresh(object, encoding, form);
  if (encoding === 'protobuf') return enveloped(form, messageOf(object, form));
  const known = keptJson.get(object);
  if (known) return known;
  const bytes = encodeFresh(object, encoding, form);
  if (Object.isFrozen(object)) keptJson.keep(object, bytes);
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
  if (encoding === 'yaml') return TEXT.encode(readableYaml(object));
  return enveloped(form, messageOf(object, form));
}

/** YAML is made of the JSON, and whoever reads that takes no control characters. @throws ApiError (500) */
function readableYaml(object: object): string {
  const text = encodeYaml(object);
  if (MAY_HAVE_CONTROL.test(text) && hasControlCharacter(encodeJson(object)))
    throw plainError('yaml: control characters are not allowed');
  return text;
}

/** As YAML spells them: JSON escapes those below, and only those. */
const MAY_HAVE_CONTROL = /\\(?:x[7-9]|u[fF]{2})|[\ufffe\uffff]/;

const enveloped = ({ apiVersion, kind }: TypedForm, raw: Uint8Array): Uint8Array =>
  wrapEnvelope({ apiVersion, kind, raw });

/** The protobuf message of an object, without an envelope. The bytes are shared. */
export function messageOf(object: object, { schema, kind }: TypedForm): Uint8Array {
  const known = keptMessages.get(object);
  if (known && known.schema === schema) return known.bytes;
  if (!schema) {
    throw new Error(
      `object ${kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }
  const bytes = encodeProtobuf(schema, object);
  if (Object.isFrozen(object)) keptMessages.keep(object, { schema, bytes });
  return bytes;
}
