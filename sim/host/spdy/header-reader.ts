/**
 * The headers of one SPDY connection: all its blocks are one compressed text, so each is read with what came before
 * in mind, and in order.
 */
import { createInflate } from 'node:zlib';
import { HEADER_DICTIONARY } from './header-dictionary.ts';

/** Nobody says so much of a stream; a small block could unfold to a thousand times its size. */
const MAX_UNFOLDED_BYTES = 64 * 1024;

export class HeaderReader {
  readonly #inflate = createInflate({ dictionary: HEADER_DICTIONARY });
  #unfolded: Buffer[] = [];
  #size = 0;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.#inflate.on('error', (error) => this.#reject(error));
    this.#inflate.on('readable', () => this.#drain());
  }

  /** By lower-case name. One block at a time. @throws Error of what is no block, or too large */
  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      this.#inflate.write(block, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    this.#drain();
    const bytes = Buffer.concat(this.#unfolded);
    this.#unfolded = [];
    this.#size = 0;
    return headersOf(bytes);
  }

  close(): void {
    this.#inflate.destroy();
  }

  #drain(): void {
    for (
      let piece = this.#inflate.read() as Buffer | null;
      piece;
      piece = this.#inflate.read() as Buffer | null
    ) {
      this.#size += piece.length;
      if (this.#size > MAX_UNFOLDED_BYTES) {
        this.#reject(new Error('headers are too large'));
        this.#inflate.destroy();
        return;
      }
      this.#unfolded.push(piece);
    }
  }
}

/** A count, then names and values behind their lengths. */
function headersOf(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const length = bytes.readUInt32BE(at);
    const start = at + 4;
    at = start + length;
    if (at > bytes.length) throw new Error('a header goes beyond its block');
    return bytes.toString('utf8', start, at);
  };
  const count = bytes.readUInt32BE(0);
  for (let index = 0; index < count; index += 1) headers.set(text().toLowerCase(), text());
  return headers;
}

/** Of the first block: deflate with a window of 32 KiB, no dictionary. */
const ZLIB_BEGIN = Buffer.of(0x78, 0x01);
/** Four zero bytes (no headers) as they are, and an empty piece behind, which makes readers hand out what they have. */
const EMPTY_BLOCK = Buffer.of(0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** A block without headers, as the server sends it: the first of a connection begins the compressed text. */
export const emptyHeaders = (isFirst: boolean): Buffer =>
  isFirst ? Buffer.concat([ZLIB_BEGIN, EMPTY_BLOCK]) : EMPTY_BLOCK;
