/**
 * Reads the envelope of the binary encoding and the frames of a binary watch. What is inside the
 * envelope stays undecoded: that would take the schema of every kind.
 */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const UTF8 = new TextDecoder();
const NOTHING = new Uint8Array();

/** Prefix and envelope, or all bytes where there is none. */
export function describeBinary(bytes: Uint8Array): object {
  const prefix = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) return { prefix, base64: toBase64(bytes) };
  const fields = readFields(bytes.subarray(MAGIC.length));
  const type = readFields(fields.get(1) ?? NOTHING);
  const text = (field: Uint8Array | undefined): string => UTF8.decode(field ?? NOTHING);
  return {
    prefix,
    envelope: {
      apiVersion: text(type.get(1)),
      kind: text(type.get(2)),
      contentEncoding: text(fields.get(3)),
      contentType: text(fields.get(4)),
    },
  };
}

/** The whole frames (four bytes of length, then as many bytes) at the start, and what is left. */
export function splitFrames(bytes: Uint8Array): { readonly frames: Uint8Array[]; readonly rest: Uint8Array } {
  const frames: Uint8Array[] = [];
  let rest = bytes;
  while (rest.length >= 4) {
    const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
    if (rest.length < 4 + length) break;
    frames.push(rest.subarray(4, 4 + length));
    rest = rest.subarray(4 + length);
  }
  return { frames, rest };
}

/** An event in binary form: field 1 is its type, field 2 its object, whose field 1 are the bytes with their own envelope. */
export function readBinaryEvent(frame: Uint8Array): { readonly type: string; readonly bytes: Uint8Array } {
  const fields = readFields(frame);
  const bytes = readFields(fields.get(2) ?? NOTHING).get(1) ?? NOTHING;
  return { type: UTF8.decode(fields.get(1) ?? NOTHING), bytes };
}

/** Length-delimited fields of a protobuf message by number; the last of each number wins. */
function readFields(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; offset < bytes.length; scale *= 128) {
      const byte = bytes[offset] ?? 0;
      offset += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (offset < bytes.length) {
    const tag = varint();
    const wireType = tag & 7;
    if (wireType === 0) varint();
    else if (wireType === 1) offset += 8;
    else if (wireType === 5) offset += 4;
    else if (wireType === 2) {
      const length = varint();
      fields.set(Math.floor(tag / 8), bytes.subarray(offset, offset + length));
      offset += length;
    } else break;
  }
  return fields;
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
