/**
 * Puts protobuf bodies into other words: what stands in their envelope, and the members of the object in it.
 * What cannot be read is left as it is: the server says what is wrong with it.
 * Specification: "Binary envelope".
 */
import type { BuiltinTypes } from '../api/catalog/builtin-types.ts';
import {
  encodeWatchFrame,
  isEnvelope,
  readWatchFrames,
  unwrapEnvelope,
  wrapEnvelope,
} from '../api/codec/envelope.ts';
import { DecodeError } from '../api/codec/decode-error.ts';
import { decodeProtobuf, encodeProtobuf } from '../api/codec/protobuf.ts';
import type { StructSchema } from '../api/schema.ts';
import { inOtherWords, type Words } from './dialect-words.ts';

/** What a translation of protobuf needs. */
export interface ProtobufWords {
  readonly words: Words;
  /** Those of the server's release. */
  readonly types: BuiltinTypes;
  /** The version that a body names, in the real words. */
  realApiVersion(apiVersion: string): string;
}

export function protobufInWords(
  bytes: Uint8Array,
  { words, types, realApiVersion }: ProtobufWords,
): Uint8Array {
  if (!isEnvelope(bytes)) return bytes;
  try {
    const { apiVersion, kind, raw } = unwrapEnvelope(bytes);
    const schema = schemaOf(types, realApiVersion(apiVersion), kind);
    const said = schema ? messageInWords(schema, raw, words) : raw;
    return wrapEnvelope({ apiVersion: words.apiVersion(apiVersion), kind, raw: said });
  } catch (error) {
    if (error instanceof DecodeError) return bytes;
    throw error;
  }
}

/** The same for whole frames of a watch. */
export const framesInWords = (bytes: Uint8Array, words: ProtobufWords): Uint8Array =>
  Buffer.concat(
    readWatchFrames(bytes).map(({ type, object }) => encodeWatchFrame(type, protobufInWords(object, words))),
  );

function messageInWords(schema: StructSchema, raw: Uint8Array, words: Words): Uint8Array {
  const said = inOtherWords(decodeProtobuf(schema, raw), words);
  return encodeProtobuf(schema, said as object);
}

/** Status, DeleteOptions and others of their kind go by any version. */
function schemaOf(types: BuiltinTypes, apiVersion: string, kind: string): StructSchema | undefined {
  const key = [`${apiVersion}.${kind}`, `meta.k8s.io/v1.${kind}`].find((each) => types.hasStruct(each));
  return key === undefined ? undefined : types.structOf(key);
}
