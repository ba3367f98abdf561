/**
 * One watch, seen from the client: events in order, over a connection of its own. A server that falls silent is
 * found out by the pings of the line to it. Specification: "Watch", "Events".
 */
import type { ApiObject } from '../api/object.ts';
import { ConnectionError, type Connection } from '../engine/connection.ts';
import type { Process } from '../engine/process.ts';
import type { Line, LineStream } from './line.ts';
import { NoAnswer } from './no-answer.ts';
import type { WatchEvent, WatchReply, WatchRequest } from './protocol.ts';

export type WatchConnection = Connection<WatchReply, WatchRequest>;

export class Watch<T extends ApiObject = ApiObject> implements LineStream {
  readonly #connection: WatchConnection;
  readonly #line: Line;
  readonly #what: string;
  #isDead = false;

  /** `connection` has been opened. Made by `ApiClient.watch`. */
  constructor(line: Line, connection: WatchConnection, what: string) {
    this.#connection = connection;
    this.#line = line;
    this.#what = what;
    line.join(this);
  }

  /** The next event; undefined once the server has ended the watch. @throws NoAnswer when the connection breaks */
  *next(): Process<WatchEvent<T> | undefined> {
    let next: WatchEvent<T> | undefined;
    yield* this.each((event) => {
      next = event;
      return true;
    });
    return next;
  }

  /**
   * Takes event after event until the server has ended the watch, or `take` wants no more for now.
   * @throws NoAnswer when the connection breaks, and what `take` throws
   */
  *each(take: (event: WatchEvent<T>) => boolean | void): Process<void> {
    try {
      for (;;) {
        const reply = yield* this.#connection.receive();
        if (reply === undefined) break;
        this.#line.heard();
        if (reply.kind === 'event' && take(reply.event as WatchEvent<T>) === true) return;
      }
      this.#line.leave(this);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#line.broke(this);
      throw new NoAnswer(this.#isDead ? 'timeout' : 'reset', this.#what);
    }
  }

  /** Ends the watch; without effect when it has ended. */
  close(): void {
    this.#line.leave(this);
    this.#connection.close();
  }

  get hasUnheard(): boolean {
    return this.#connection.inboxSize > 0;
  }

  ping(): boolean {
    return this.#connection.send({ kind: 'ping' });
  }

  giveUp(): void {
    this.#isDead = true;
    this.#connection.abort();
  }
}
