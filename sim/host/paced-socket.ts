/** Gives a WebSocket what a source has for it, no faster than its client reads, and ends both together. */
import type { WebSocket } from 'ws';
import type { RequestHandler } from './request-handler.ts';

/** A client that has so much unread is not given more for now. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const RETRY_MS = 20;

/** Streams and channels alike. */
export interface PacedSource<Piece> {
  subscribe(onReady: () => void): void;
  /** Undefined: nothing for now. */
  read(): Piece | undefined;
  readonly ended: boolean;
  close(): void;
}

export class PacedSocket<Piece> {
  readonly #socket: WebSocket;
  readonly #source: PacedSource<Piece>;
  readonly #send: (piece: Piece) => void;
  readonly #handler: RequestHandler;
  #isPlanned = false;

  constructor(
    socket: WebSocket,
    source: PacedSource<Piece>,
    { send, handler }: { readonly send: (piece: Piece) => void; readonly handler: RequestHandler },
  ) {
    this.#socket = socket;
    this.#source = source;
    this.#send = send;
    this.#handler = handler;
  }

  begin(): void {
    this.#source.subscribe(() => this.#plan());
    this.#socket.on('close', () => this.#handler.act(() => this.#source.close()));
    this.#socket.on('error', () => this.#socket.terminate());
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#handler.stir();
    setImmediate(() =>
      this.#handler.defects.guard(
        () => this.#flush(),
        () => this.#socket.terminate(),
      ),
    );
  }

  #flush(): void {
    this.#isPlanned = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    while (this.#socket.bufferedAmount < MAX_UNSENT_BYTES) {
      const piece = this.#source.read();
      if (piece === undefined) {
        // To read may be to begin something in the world.
        this.#handler.act(() => undefined);
        if (this.#source.ended) this.#socket.close(NORMAL_CLOSURE);
        return;
      }
      this.#send(piece);
    }
    setTimeout(() => this.#plan(), RETRY_MS);
  }
}

const NORMAL_CLOSURE = 1_000;
