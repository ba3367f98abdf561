import type { ResponseStream, StreamPiece } from '../request/request.ts';

/** A stream whose end, from whichever side, is told once: how many bytes were read of it. */
export class ObservedStream implements ResponseStream {
  readonly #stream: ResponseStream;
  readonly #onEnd: (bytes: number) => void;
  #bytes = 0;
  #isOver = false;

  constructor(stream: ResponseStream, onEnd: (bytes: number) => void) {
    this.#stream = stream;
    this.#onEnd = onEnd;
  }

  subscribe(onReady: () => void): void {
    this.#stream.subscribe(() => {
      onReady();
      if (this.#stream.ended) this.#end();
    });
  }

  read(): StreamPiece | undefined {
    const piece = this.#stream.read();
    if (piece instanceof Uint8Array) this.#bytes += piece.length;
    if (piece === undefined && this.#stream.ended) this.#end();
    return piece;
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  get isBroken(): boolean {
    return this.#stream.isBroken ?? false;
  }

  close(): void {
    this.#stream.close();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this.#bytes);
  }
}
