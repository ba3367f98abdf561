/** The encoding of certificates, as far as requests are read and certificates are written: elements, one in another. */
import { joined } from '../codec/joined.ts';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  identifier: 0x06,
  utf8Text: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

/** The elements of DER, one behind the other; what is cut off is left out. */
export function elementsIn(der: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 1 < der.length;) {
    const tag = der[at] ?? 0;
    const first = der[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length =
      lengthBytes === 0 ? first : der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
    if (start + length > der.length) break;
    elements.push({
      tag,
      content: der.subarray(start, start + length),
      whole: der.subarray(at, start + length),
    });
    at = start + length;
  }
  return elements;
}

export function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = joined(parts);
  return joined([Uint8Array.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => element(TAG.sequence, ...parts);

/** Not negative; big-endian. */
export function integer(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first < 0 ? Uint8Array.from([0]) : bytes.subarray(first);
  return (short[0] ?? 0) < 0x80
    ? element(TAG.integer, short)
    : element(TAG.integer, Uint8Array.from([0]), short);
}

/** Of whole bytes, but for `unused` bits at the end. */
export const bitString = (bytes: Uint8Array, unused = 0): Uint8Array =>
  element(TAG.bits, Uint8Array.from([unused]), bytes);

/** `2.5.29.15`. */
export function identifier(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(TAG.identifier, Uint8Array.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    bytes.unshift((left % 128) | 0x80);
  return bytes;
}

const YEAR_OF_FOUR_DIGITS = 2050;

/** In whole seconds. */
export function time(epochMs: number): Uint8Array {
  const text = new Date(epochMs).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isLong = Number(text.slice(0, 4)) >= YEAR_OF_FOUR_DIGITS;
  return element(
    isLong ? TAG.generalizedTime : TAG.utcTime,
    new TextEncoder().encode(isLong ? text : text.slice(2)),
  );
}
