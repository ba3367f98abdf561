/**
 * One watch, seen from the client: events in order, over a connection of its own. A server that falls silent is
 * found out by pings, as HTTP/2 clients do it. Specification: "Watch", "Events".
 */
import type { ApiObject } from '../api/object.ts';
import { ConnectionError, type Connection } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Task } from '../engine/task.ts';
import { seconds } from '../engine/time.ts';
import { NoAnswer } from './no-answer.ts';
import type { WatchEvent, WatchReply, WatchRequest } from './protocol.ts';

export type WatchConnection = Connection<WatchReply, WatchRequest>;

/** Silence after which a ping is sent, … */
const PING_AFTER = seconds(30);
/** … and how long it may take to be answered. */
const PONG_WITHIN = seconds(15);

export class Watch<T extends ApiObject = ApiObject> {
  readonly #connection: WatchConnection;
  readonly #pings: Task<void>;
  readonly #what: string;
  /** Messages received so far. */
  #heard = 0;
  #isDead = false;

  /** `connection` has been opened. Made by `ApiClient.watch`. */
  constructor(context: Context, connection: WatchConnection, what: string) {
    this.#connection = connection;
    this.#what = what;
    this.#pings = context.spawn('watch pings', this.#ping(context));
  }

  /** The next event; undefined once the server has ended the watch. @throws NoAnswer when the connection breaks */
  *next(): Process<WatchEvent<T> | undefined> {
    try {
      for (;;) {
        const reply = yield* this.#connection.receive();
        this.#heard++;
        if (reply === undefined) {
          this.#pings.cancel();
          return undefined;
        }
        if (reply.kind === 'event') return reply.event as WatchEvent<T>;
      }
    } catch (error) {
      this.#pings.cancel();
      if (error instanceof ConnectionError) throw new NoAnswer(this.#isDead ? 'timeout' : 'reset', this.#what);
      throw error;
    }
  }

  /** Ends the watch; without effect when it has ended. */
  close(): void {
    this.#pings.cancel();
    this.#connection.close();
  }

  *#ping(context: Context): Process<void> {
    for (;;) {
      const before = this.#heard;
      yield* context.sleep(PING_AFTER);
      if (this.#heard + this.#connection.inboxSize > before) continue;
      if (!this.#connection.send({ kind: 'ping' })) return;
      yield* context.sleep(PONG_WITHIN);
      if (this.#heard + this.#connection.inboxSize > before) continue;
      this.#isDead = true;
      this.#connection.abort();
      return;
    }
  }
}
