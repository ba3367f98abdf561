/**
 * The requests of one HTTP/1.1 connection, one after the other: a client that sends the next before it has the
 * answer to the last may rely on their order. Whatever else is said on the connection (a refusal of what cannot be
 * read, a change of protocol) waits for its turn too.
 */
import type { Socket } from 'node:net';

/** A client that sends ahead more than this is not read from until it has been answered. */
const MAX_WAITING = 16;

/** `done` is called once the turn is over. */
type Turn = (done: () => void) => void;

export class ConnectionTurns {
  static readonly #known = new WeakMap<Socket, ConnectionTurns>();
  readonly #socket: Socket;
  readonly #waiting: Turn[] = [];
  #isBusy = false;
  #isPaused = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => (this.#waiting.length = 0));
  }

  static of(socket: Socket): ConnectionTurns {
    let turns = ConnectionTurns.#known.get(socket);
    if (!turns) ConnectionTurns.#known.set(socket, (turns = new ConnectionTurns(socket)));
    return turns;
  }

  /** At once if nobody is before. */
  take(turn: Turn): void {
    if (!this.#isBusy) {
      this.#begin(turn);
      return;
    }
    this.#waiting.push(turn);
    if (this.#waiting.length < MAX_WAITING || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  #begin(turn: Turn): void {
    this.#isBusy = true;
    let isOver = false;
    turn(() => {
      if (isOver) return;
      isOver = true;
      // Not at once: a thousand short turns would be a thousand calls deep. Nobody comes in between.
      if (this.#waiting.length > 0) setImmediate(() => this.#next());
      else this.#isBusy = false;
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (this.#isPaused && this.#waiting.length < MAX_WAITING / 2) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    if (next) this.#begin(next);
    else this.#isBusy = false;
  }
}
