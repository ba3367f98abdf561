/** One request of a guest that speaks HTTP without a socket, on its way through the simulated network, and what it hears. */
import type { WireReply } from '../../client/wire-port.ts';

export interface AskedRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Encoded, without its mark. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Each in a turn of the guest. */
export interface Heard {
  answered(status: number, headers: readonly (readonly [string, string])[]): void;
  piece(bytes: Uint8Array): void;
  ended(): void;
  failed(error: Error): void;
}

export class Exchange {
  readonly #heard: Heard;
  #isOver = false;
  #close = (): void => undefined;

  constructor(heard: Heard) {
    this.#heard = heard;
  }

  /** There is a connection; whoever has given up meanwhile does not want it. */
  connect(close: () => void): boolean {
    this.#close = close;
    if (this.#isOver) close();
    return !this.#isOver;
  }

  /** Nothing of it is heard any more. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#close();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heard.failed(error);
  }

  deliver(reply: WireReply): void {
    if (this.#isOver) return;
    switch (reply.kind) {
      case 'answer':
        this.#heard.answered(reply.head.status, reply.head.headers);
        if (reply.body.length > 0) this.#heard.piece(reply.body);
        return this.#end();
      case 'stream':
        return this.#heard.answered(reply.head.status, reply.head.headers);
      case 'piece':
        return this.#heard.piece(reply.bytes);
      case 'end':
        return this.#end();
      case 'channels':
      case 'frame':
      // Nobody has asked for another protocol.
    }
  }

  #end(): void {
    this.#heard.ended();
    this.giveUp();
  }
}
