/** A watch over WebSocket: each event is one message, text for JSON and binary for protobuf. Specification: "Watch". */
import type { WebSocket } from 'ws';
import type { ResponseStream } from '../apiserver/request.ts';
import type { RequestHandler } from './http-server.ts';

/** A client that has so much unread is not given more for now. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const RETRY_MS = 20;
const FRAME_HEADER_BYTES = 4;

interface WatchSocketOptions {
  readonly handler: RequestHandler;
  readonly isBinary: boolean;
}

export class WatchSocket {
  readonly #socket: WebSocket;
  readonly #stream: ResponseStream;
  readonly #options: WatchSocketOptions;
  #isPlanned = false;

  constructor(socket: WebSocket, stream: ResponseStream, options: WatchSocketOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#options = options;
  }

  begin(): void {
    this.#stream.subscribe(() => this.#plan());
    this.#socket.on('close', () => this.#options.handler.act(() => this.#stream.close()));
    this.#socket.on('error', () => this.#socket.terminate());
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isPlanned = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    while (this.#socket.bufferedAmount < MAX_UNSENT_BYTES) {
      const piece = this.#stream.read();
      if (piece === undefined) {
        if (this.#stream.ended) this.#socket.close();
        return;
      }
      if (piece instanceof Uint8Array) this.#send(piece);
      else this.#socket.send(`${JSON.stringify(piece)}\n`);
    }
    setTimeout(() => this.#plan(), RETRY_MS);
  }

  /** A message has a length of its own, so the frame's is left out. */
  #send(piece: Uint8Array): void {
    const { isBinary } = this.#options;
    this.#socket.send(isBinary ? piece.subarray(FRAME_HEADER_BYTES) : piece, { binary: isBinary });
  }
}
