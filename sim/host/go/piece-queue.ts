/** Pieces of an answer on their way from a Go program to whoever asked. */

type Ended = IteratorReturnResult<undefined>;
const ENDED: Ended = { done: true, value: undefined };

export class PieceQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  #isOver = false;
  #waiting: ((result: IteratorResult<Uint8Array, undefined>) => void) | undefined;
  #gone: (() => void) | undefined;

  /** What is to happen when nobody takes the pieces any more. */
  whenGone(act: (() => void) | undefined): void {
    this.#gone = act;
  }

  push(piece: Uint8Array): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting({ done: false, value: piece });
    else this.#pieces.push(piece);
  }

  finish(): void {
    this.#isOver = true;
    this.#waiting?.(ENDED);
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.#pieces.shift();
    if (piece) return Promise.resolve({ done: false, value: piece });
    if (this.#isOver) return Promise.resolve(ENDED);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<Ended> {
    this.#gone?.();
    this.finish();
    return Promise.resolve(ENDED);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
