/**
 * What somebody who is attached shares with the process of a container that has a standard input: what he types, and
 * what the process writes, piece by piece. Of several who are attached all see all, and each may type. With `stdinOnce`
 * the input ends when the first who typed has gone; otherwise it waits for the next one.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { Terminal } from './terminal.ts';
import { TypedBytes } from './typed-bytes.ts';

export type Stream = 'stdout' | 'stderr';
export type OnPiece = (piece: string | Uint8Array, stream: Stream) => void;

export interface ConsoleOptions {
  /** `stdinOnce` of the container. */
  readonly isOnce: boolean;
  /** `tty` of the container. */
  readonly isTerminal: boolean;
}

export class ContainerConsole {
  readonly isTerminal: boolean;
  readonly #isOnce: boolean;
  readonly #typed = new TypedBytes();
  readonly #attached = new Set<OnPiece>();
  readonly #terminal: Terminal | undefined;

  constructor({ isOnce, isTerminal }: ConsoleOptions) {
    this.#isOnce = isOnce;
    this.isTerminal = isTerminal;
    this.#terminal = isTerminal ? new Terminal((text) => this.show(text, 'stdout')) : undefined;
  }

  /** What the process reads next; undefined: nothing comes any more. */
  read(): Process<Uint8Array | undefined> {
    return this.#typed.read();
  }

  /** False: too much lies there that nobody has read. */
  type(bytes: Uint8Array): boolean {
    if (!this.#terminal) return this.#typed.offer(bytes);
    return this.#terminal.type(bytes).every((line) => {
      if (!line) this.#typed.end();
      return !line || this.#typed.offer(line);
    });
  }

  /** Who typed has ended his input, or has gone. */
  leave(): void {
    if (this.#isOnce) this.#typed.close();
  }

  show(piece: string | Uint8Array, stream: Stream): void {
    for (const onPiece of this.#attached) onPiece(piece, stream);
  }

  /** Shows all that comes from now on; ends that when it is called. */
  attach(onPiece: OnPiece): () => void {
    this.#attached.add(onPiece);
    return () => void this.#attached.delete(onPiece);
  }
}
