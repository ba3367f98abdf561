/**
 * Writes a watch to its client: everything there is in one piece, and no more than the connection
 * takes; what it does not take waits in the watch's bounded queue.
 */
import { constants } from 'node:http2';
import type { ResponseStream } from '../apiserver/request/request.ts';
import type { HttpResponse, RequestHandler } from './request-handler.ts';

/**
 * Rounds in which the watches of a port are written. Events that come while a round rests are written
 * together in the next. A round rests for longer the longer it took, so that a thousand watchers leave
 * time to the requests, and a single one does not wait.
 */
export class WriteRounds {
  #waiting: (() => void)[] = [];
  #isPlanned = false;
  #restsUntil = 0;

  /** `write` is called once, in the next round. */
  join(write: () => void): void {
    this.#waiting.push(write);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const rest = this.#restsUntil - performance.now();
    if (rest > 0) setTimeout(() => this.#write(), rest);
    else setImmediate(() => this.#write());
  }

  #write(): void {
    const writes = this.#waiting;
    this.#waiting = [];
    this.#isPlanned = false;
    const start = performance.now();
    for (const write of writes) write();
    const end = performance.now();
    const rest = Math.min((end - start) * REST_FACTOR, LONGEST_REST_MS);
    this.#restsUntil = rest < SHORTEST_REST_MS ? 0 : end + rest;
  }
}

/** How much longer than a round its rest is. */
const REST_FACTOR = 3;
/** Timers are not finer than this. */
const SHORTEST_REST_MS = 1;
const LONGEST_REST_MS = 20;

/** Bytes that are handed to the connection in one piece at the most. */
const MAX_PIECE_BYTES = 256 * 1024;

export class StreamWriter {
  readonly #stream: ResponseStream;
  readonly #response: HttpResponse;
  readonly #handler: RequestHandler;
  readonly #rounds: WriteRounds;
  #isPlanned = false;
  #isBlocked = false;
  #breakOff: NodeJS.Timeout | undefined;
  readonly #endPatienceMs: number;

  constructor(
    stream: ResponseStream,
    response: HttpResponse,
    {
      handler,
      rounds,
      patience,
    }: { handler: RequestHandler; rounds: WriteRounds; patience: { readonly requestMs: number } },
  ) {
    this.#stream = stream;
    this.#response = response;
    this.#handler = handler;
    this.#rounds = rounds;
    this.#endPatienceMs = patience.requestMs;
  }

  begin(): void {
    this.#stream.subscribe(() => this.#plan());
    this.#response.on('drain', () => {
      this.#isBlocked = false;
      this.#plan();
    });
    this.#response.on('close', () => {
      clearTimeout(this.#breakOff);
      this.#handler.act(() => this.#stream.close());
    });
    this.#plan();
  }

  /** Events that come together are written together. */
  #plan(): void {
    if (this.#isPlanned || this.#isBlocked) return;
    this.#isPlanned = true;
    this.#handler.stir();
    this.#rounds.join(() => {
      this.#isPlanned = false;
      this.#handler.defects.guard(
        () => this.#flush(),
        () => this.#response.destroy(),
      );
    });
  }

  /** Who reads nothing does not learn of the end either: its connection is broken off. */
  #watchBlocked(): void {
    this.#breakOff ??= setTimeout(() => {
      this.#breakOff = undefined;
      if (!this.#isBlocked) return;
      if (this.#stream.ended) this.#response.destroy();
      else this.#watchBlocked();
    }, this.#endPatienceMs);
  }

  #flush(): void {
    while (!this.#isBlocked && !this.#response.destroyed) {
      const piece = this.#nextPiece();
      if (piece === undefined) break;
      this.#isBlocked = !this.#write(piece);
    }
    if (this.#isBlocked) this.#watchBlocked();
    // To read may be to begin something in the world: what has to be asked for before it can be shown.
    this.#handler.act(() => undefined);
    if (!this.#stream.ended || this.#isBlocked || this.#response.writableEnded) return;
    if (this.#stream.isBroken) breakOff(this.#response);
    else this.#response.end();
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

/** The client learns that there would have been more; others on its connection learn nothing. */
function breakOff(response: HttpResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}
