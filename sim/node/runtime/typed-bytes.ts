/** What was typed and not yet read. Nobody is made to wait with what he types: of so much that nobody reads, no more is taken. */
import { Channel } from '../../engine/channel.ts';
import type { Process } from '../../engine/process.ts';

const MOST_UNREAD_MIB = 64;

/** Said to who typed too much. */
export const TOO_MUCH_UNREAD = `more than ${MOST_UNREAD_MIB} MiB of input that nobody has read are not modelled in simulated containers`;

export class TypedBytes {
  readonly #pieces = new Channel<Uint8Array | 'end'>();
  #unread = 0;

  /** False: too much lies there already. */
  offer(piece: Uint8Array): boolean {
    if (this.#unread + piece.length > MOST_UNREAD_MIB * 2 ** 20) return false;
    this.#unread += piece.length;
    this.#pieces.offer(piece);
    return true;
  }

  /** Whoever reads next is told that nothing comes any more, once. */
  end(): void {
    this.#pieces.offer('end');
  }

  /** The next piece; undefined: nothing comes any more. */
  *read(): Process<Uint8Array | undefined> {
    const piece = yield* this.#pieces.receive();
    if (piece === 'end') return undefined;
    if (piece) this.#unread -= piece.length;
    return piece;
  }

  /** Nothing more is taken. */
  close(): void {
    this.#pieces.close();
  }
}
