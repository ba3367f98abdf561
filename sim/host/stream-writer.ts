/**
 * Writes a watch to its client: everything there is in one piece, and no more than the connection
 * takes; what it does not take waits in the watch's bounded queue.
 */
import type { ResponseStream } from '../apiserver/request.ts';
import type { HttpResponse, RequestHandler } from './http-server.ts';

/** Bytes that are handed to the connection in one piece at the most. */
const MAX_PIECE_BYTES = 256 * 1024;

export class StreamWriter {
  readonly #stream: ResponseStream;
  readonly #response: HttpResponse;
  readonly #handler: RequestHandler;
  #isPlanned = false;
  #isBlocked = false;

  constructor(stream: ResponseStream, response: HttpResponse, handler: RequestHandler) {
    this.#stream = stream;
    this.#response = response;
    this.#handler = handler;
  }

  begin(): void {
    this.#stream.subscribe(() => this.#plan());
    this.#response.on('drain', () => {
      this.#isBlocked = false;
      this.#plan();
    });
    this.#response.on('close', () => this.#handler.act(() => this.#stream.close()));
    this.#plan();
  }

  /** Events that come together are written together. */
  #plan(): void {
    if (this.#isPlanned || this.#isBlocked) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (!this.#isBlocked && !this.#response.destroyed) {
      const piece = this.#nextPiece();
      if (piece === undefined) break;
      this.#isBlocked = !this.#write(piece);
    }
    if (this.#stream.ended && !this.#isBlocked && !this.#response.writableEnded) this.#response.end();
  }

  #nextPiece(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (size < MAX_PIECE_BYTES) {
      const part = this.#stream.read();
      if (part === undefined) break;
      const bytes = part instanceof Uint8Array ? part : Buffer.from(`${JSON.stringify(part)}\n`);
      parts.push(bytes);
      size += bytes.length;
    }
    return parts.length > 1 ? Buffer.concat(parts, size) : parts[0];
  }

  #write(bytes: Uint8Array): boolean {
    return 'stream' in this.#response ? this.#response.write(bytes) : this.#response.write(bytes);
  }
}
