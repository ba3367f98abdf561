/** Reads DER from its beginning to its end, and takes nothing but what is wanted there. Pure. */
import { type Element, TAG } from './der.ts';

/** What stands there is not what is wanted. */
export class Misread extends Error {}

const MOST_LENGTH_BYTES = 4;

export class DerReader {
  private readonly der: Uint8Array;
  private at = 0;

  constructor(der: Uint8Array) {
    this.der = der;
  }

  get isAtEnd(): boolean {
    return this.at >= this.der.length;
  }

  isNext(tag: number): boolean {
    return this.der[this.at] === tag;
  }

  /** @throws Misread unless everything has been read. */
  end(): void {
    if (!this.isAtEnd) throw new Misread();
  }

  any(): Element {
    const start = this.at;
    const tag = this.byte();
    // No tag of a certificate is longer than a byte.
    if ((tag & 0x1f) === 0x1f) throw new Misread();
    const length = this.length();
    const content = this.der.subarray(this.at, this.at + length);
    if (content.length < length) throw new Misread();
    this.at += length;
    return { tag, content, whole: this.der.subarray(start, this.at) };
  }

  take(tag: number): Element {
    const found = this.any();
    if (found.tag !== tag) throw new Misread();
    return found;
  }

  open(tag: number): DerReader {
    return new DerReader(this.take(tag).content);
  }

  optional(tag: number): DerReader | undefined {
    return this.isNext(tag) ? this.open(tag) : undefined;
  }

  /** Big-endian, in as few bytes as there can be. */
  number(): Uint8Array {
    const { content } = this.take(TAG.integer);
    const [first, second = 0] = content;
    const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
    if (first === undefined || (content.length > 1 && isPadded)) throw new Misread();
    return content;
  }

  /** @throws Misread also if it is negative or long. */
  smallNumber(): number {
    const bytes = this.number();
    if (bytes.length > MOST_LENGTH_BYTES || (bytes[0] ?? 0) >= 0x80) throw new Misread();
    return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  }

  boolean(): boolean {
    const { content } = this.take(TAG.boolean);
    if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new Misread();
    return content[0] === 0xff;
  }

  /** Its content, byte by byte, as it is compared. */
  identifier(): string {
    const { content } = this.take(TAG.identifier);
    const isCut = (content.at(-1) ?? 0x80) >= 0x80;
    // The first byte of a part carries something.
    const isPadded = content.some((byte, at) => byte === 0x80 && (at === 0 || (content[at - 1] ?? 0) < 0x80));
    if (isCut || isPadded) throw new Misread();
    return content.join();
  }

  /** A string of bits, after the byte that says how many are not used. */
  bits(): Uint8Array {
    const { content } = this.take(TAG.bits);
    const unused = content[0] ?? 8;
    const last = content.length > 1 ? (content.at(-1) ?? 0) : 0;
    const isEmptyAndPadded = content.length === 1 && unused > 0;
    if (unused > 7 || isEmptyAndPadded || (last & ((1 << unused) - 1)) !== 0) throw new Misread();
    return content.subarray(1);
  }

  /** Bits that are whole bytes. */
  bytesOfBits(): Uint8Array {
    const isWhole = this.der[this.at] === TAG.bits;
    const element = new DerReader(this.der.subarray(this.at)).any();
    if (!isWhole || element.content[0] !== 0) throw new Misread();
    return this.bits();
  }

  /** In either form, to the second, in UTC. */
  time(): void {
    const { tag, content } = this.any();
    const text = new TextDecoder().decode(content);
    const digits = tag === TAG.utcTime ? 12 : tag === TAG.generalizedTime ? 14 : 0;
    if (!digits || text.length !== digits + 1 || !/^\d+Z$/.test(text)) throw new Misread();
    if (!isDate(text.slice(-11))) throw new Misread();
  }

  /** Of any kind that names are written in. */
  text(): void {
    const { tag, content } = this.any();
    const isAllowed = TEXTS.get(tag);
    if (!isAllowed?.(content)) throw new Misread();
  }

  private byte(): number {
    const byte = this.der[this.at];
    if (byte === undefined) throw new Misread();
    this.at += 1;
    return byte;
  }

  private length(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > MOST_LENGTH_BYTES) throw new Misread();
    let length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + this.byte();
    const isMinimal = length >= 0x80 && length >= 256 ** (count - 1);
    if (!isMinimal) throw new Misread();
    return length;
  }
}

/** `MMDDhhmmssZ`. */
function isDate(text: string): boolean {
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d\d/g) ?? []).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60;
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/;

const isUtf8 = (content: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
};

const isAscii = (content: Uint8Array): boolean => content.every((byte) => byte < 0x80);

const TEXTS: ReadonlyMap<number, (content: Uint8Array) => boolean> = new Map([
  [0x0c, isUtf8],
  [0x12, (content) => content.every((byte) => byte === 0x20 || (byte >= 0x30 && byte <= 0x39))],
  [0x13, (content) => isAscii(content) && PRINTABLE.test(new TextDecoder().decode(content))],
  // Of the old kind, in which a byte is a letter.
  [0x14, () => true],
  [0x16, isAscii],
  // Two bytes a letter.
  [0x1e, (content) => content.length % 2 === 0],
]);
