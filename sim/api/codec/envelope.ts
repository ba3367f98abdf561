/**
 * The envelope around protobuf bodies: four magic bytes, then a `runtime.Unknown` that names kind
 * and version and holds the object's bytes. Watch streams frame bare `WatchEvent` messages by length.
 * Specification: "Representations", "Watch".
 */
import { DecodeError } from './decode-error.ts';
import { createReader, createWriter, LENGTH_DELIMITED, reading, tagOf } from './protobuf-wire.ts';

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's own bytes. */
  readonly raw: Uint8Array;
}

/** `k8s` and a zero. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

export const ENVELOPE_PREFIX_LENGTH = MAGIC.length;

const FIRST = tagOf(1, LENGTH_DELIMITED);
const SECOND = tagOf(2, LENGTH_DELIMITED);
const THIRD = tagOf(3, LENGTH_DELIMITED);
const FOURTH = tagOf(4, LENGTH_DELIMITED);

/** What stands behind the object's own bytes: its content encoding and content type, which are always empty. */
export const ENVELOPE_END = Uint8Array.of(THIRD, 0, FOURTH, 0);

/** What stands before the object's own bytes. */
export const envelopeHead = (apiVersion: string, kind: string, rawLength: number): Uint8Array => {
  const writer = createWriter();
  // Each of them is a number of one byte.
  for (const byte of MAGIC) writer.uint32(byte);
  writer.uint32(FIRST).fork().uint32(FIRST).string(apiVersion).uint32(SECOND).string(kind).ldelim();
  return writer.uint32(SECOND).uint32(rawLength).finish();
};

export const wrapEnvelope = ({ apiVersion, kind, raw }: Envelope): Uint8Array => {
  const head = envelopeHead(apiVersion, kind, raw.length);
  const bytes = new Uint8Array(head.length + raw.length + ENVELOPE_END.length);
  bytes.set(head);
  bytes.set(raw, head.length);
  bytes.set(ENVELOPE_END, head.length + raw.length);
  return bytes;
};

/** Whether bytes begin like an envelope. */
export const isEnvelope = (bytes: Uint8Array): boolean => MAGIC.every((byte, index) => bytes[index] === byte);

/** @throws DecodeError if the bytes are no envelope */
export const unwrapEnvelope = (bytes: Uint8Array): Envelope => {
  if (!isEnvelope(bytes))
    throw new DecodeError(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  const reader = createReader(bytes.subarray(MAGIC.length));
  let envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array() };
  return reading(() => {
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === FIRST) envelope = { ...envelope, ...readTypeMeta(reader.bytes()) };
      else if (tag === SECOND) envelope = { ...envelope, raw: reader.bytes() };
      else reader.skipType(tag & 7);
    }
    return envelope;
  });
};

const readTypeMeta = (bytes: Uint8Array): { apiVersion: string; kind: string } => {
  const reader = createReader(bytes);
  const typeMeta = { apiVersion: '', kind: '' };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === FIRST) typeMeta.apiVersion = reader.string();
    else if (tag === SECOND) typeMeta.kind = reader.string();
    else reader.skipType(tag & 7);
  }
  return typeMeta;
};

/** One frame of a protobuf watch: a length of four bytes, then a `WatchEvent` around the object's envelope. */
export const encodeWatchFrame = (type: string, object: Uint8Array): Uint8Array => {
  const writer = createWriter();
  writer.uint32(FIRST).string(type).uint32(SECOND).fork().uint32(FIRST).bytes(object).ldelim();
  const message = writer.finish();
  const frame = new Uint8Array(4 + message.length);
  new DataView(frame.buffer).setUint32(0, message.length);
  frame.set(message, 4);
  return frame;
};

/** What a frame of a protobuf watch holds: the type of the event, and the object's envelope. */
export interface WatchFrame {
  readonly type: string;
  readonly object: Uint8Array;
}

/** Whole frames, one behind the other. @throws DecodeError */
export const readWatchFrames = (bytes: Uint8Array): readonly WatchFrame[] => {
  const frames: WatchFrame[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at);
    frames.push(readWatchEvent(bytes.subarray(at + 4, end)));
    at = end;
  }
  return frames;
};

const readWatchEvent = (bytes: Uint8Array): WatchFrame => {
  const reader = createReader(bytes);
  return reading(() => {
    let type = '';
    let object: Uint8Array = new Uint8Array();
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === FIRST) type = reader.string();
      else if (tag === SECOND) object = readRawExtension(reader.bytes());
      else reader.skipType(tag & 7);
    }
    return { type, object };
  });
};

const readRawExtension = (bytes: Uint8Array): Uint8Array => {
  const reader = createReader(bytes);
  return reader.pos < reader.len && reader.uint32() === FIRST ? reader.bytes() : new Uint8Array();
};
