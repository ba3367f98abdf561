/** Bytes in the form of gzip (RFC 1952), not made smaller: whoever reads gzip reads them. Pure. */

const HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const MOST_IN_BLOCK = 0xffff;
const BLOCK_HEADER = 5;
const TRAILER = 8;

export function gzipped(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / MOST_IN_BLOCK));
  const whole = new Uint8Array(HEADER.length + blocks * BLOCK_HEADER + bytes.length + TRAILER);
  const view = new DataView(whole.buffer);
  whole.set(HEADER);
  let at = HEADER.length;
  for (let index = 0; index < blocks; index++) {
    const piece = bytes.subarray(index * MOST_IN_BLOCK, (index + 1) * MOST_IN_BLOCK);
    view.setUint8(at, index === blocks - 1 ? 1 : 0);
    view.setUint16(at + 1, piece.length, true);
    view.setUint16(at + 3, ~piece.length, true);
    whole.set(piece, at + BLOCK_HEADER);
    at += BLOCK_HEADER + piece.length;
  }
  view.setUint32(at, checksumOf(bytes), true);
  view.setUint32(at + 4, bytes.length, true);
  return whole;
}

/** CRC-32. */
function checksumOf(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0);
  return ~sum;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});
