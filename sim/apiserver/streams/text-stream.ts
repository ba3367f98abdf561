/** A response whose text is written bit by bit. */
import type { ResponseStream, StreamPiece } from '../request/request.ts';

const TEXT = new TextEncoder();

export class TextStream implements ResponseStream {
  readonly #pieces: Uint8Array[] = [];
  #isOver = false;
  #onReady: () => void = () => undefined;
  /** Told when the reader goes away. */
  onClose: () => void = () => undefined;

  write(text: string): void {
    this.writeBytes(TEXT.encode(text));
  }

  writeBytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#onReady();
  }

  end(): void {
    this.#isOver = true;
    this.#onReady();
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
  }

  read(): StreamPiece | undefined {
    return this.#pieces.shift();
  }

  get ended(): boolean {
    return this.#isOver && this.#pieces.length === 0;
  }

  close(): void {
    this.#isOver = true;
    this.#pieces.length = 0;
    this.onClose();
  }
}
