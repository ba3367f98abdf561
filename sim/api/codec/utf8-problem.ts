/** Where bytes are no UTF-8, in the words of Go's YAML reader; JSON names the byte itself. */
export interface Utf8Problem {
  /** The byte that begins what is none. */
  readonly octet: number;
  readonly words: string;
}

/** Undefined: they are well-formed. */
export function utf8ProblemOf(bytes: Uint8Array): Utf8Problem | undefined {
  for (let at = 0; at < bytes.length;) {
    const octet = bytes[at] ?? 0;
    const width = widthOf(octet);
    const words =
      width === 0 ? 'invalid leading UTF-8 octet' : problemWithin(bytes.subarray(at, at + width), width);
    if (words !== undefined) return { octet, words };
    at += width;
  }
  return undefined;
}

function widthOf(octet: number): number {
  if (octet < 0x80) return 1;
  if (octet >= 0xc0 && octet < 0xe0) return 2;
  if (octet >= 0xe0 && octet < 0xf0) return 3;
  return octet >= 0xf0 && octet < 0xf8 ? 4 : 0;
}

/** The smallest character that needs so many bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x10000];

function problemWithin(sequence: Uint8Array, width: number): string | undefined {
  if (sequence.length < width) return 'incomplete UTF-8 octet sequence';
  const [first = 0, ...rest] = sequence;
  if (rest.some((octet) => (octet & 0xc0) !== 0x80)) return 'invalid trailing UTF-8 octet';
  const start = width === 1 ? first : first & (0xff >> (width + 1));
  const value = rest.reduce((sum, octet) => sum * 64 + (octet & 0x3f), start);
  if (value < (SMALLEST[width] ?? 0)) return 'invalid length of a UTF-8 sequence';
  return (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff ? 'invalid Unicode character' : undefined;
}
