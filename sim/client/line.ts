/**
 * Whether a server is still there, as HTTP/2 clients find it out: calls and watches of one client to one server share
 * a line, anything that comes over it shows that the server lives, and after a silence a ping is sent. On the simulated
 * network each watch has a connection of its own; when calls find that theirs broke, the watches are pinged at once, for
 * with HTTP/2 they would have broken with it.
 */
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Task } from '../engine/task.ts';
import { seconds, type Micros } from '../engine/time.ts';

/** Silence after which a ping is sent, … */
const PING_AFTER = seconds(30);
/** … and how long it may take to be answered. */
const PONG_WITHIN = seconds(15);

/** What stays open on a line for long. */
export interface LineStream {
  /** Something has arrived that nobody has received yet. */
  readonly hasUnheard: boolean;
  /** False: it is known to be over. */
  ping(): boolean;
  /** The server is taken for dead. */
  giveUp(): void;
}

export class Line {
  readonly #context: Context;
  readonly #onDead: () => void;
  readonly #streams = new Set<LineStream>();
  #heardAt = 0 as Micros;
  /** When something was asked for the first time since. */
  #askedAt = 0 as Micros;
  #pings: Task<void> | undefined;
  /** Whose answer is awaited. */
  #pinged: LineStream | undefined;

  /** `onDead`: the server does not answer pings. */
  constructor(context: Context, onDead: () => void = () => undefined) {
    this.#context = context;
    this.#onDead = onDead;
  }

  /** Something came from the server. */
  heard(): void {
    this.#heardAt = this.#context.now();
  }

  /** Something is asked of the server. */
  asked(): void {
    if (this.#askedAt <= this.#heardAt) this.#askedAt = this.#context.now();
  }

  /** It was asked, and has been silent for as long as pings would wait. */
  get isSilent(): boolean {
    const isUnanswered = this.#askedAt > this.#heardAt;
    return isUnanswered && this.#context.now() - this.#askedAt >= PING_AFTER + PONG_WITHIN;
  }

  /** The server may have forgotten the streams: one that has tells so when it is pinged. */
  suspect(): void {
    for (const stream of this.#streams) stream.ping();
  }

  join(stream: LineStream): void {
    this.#streams.add(stream);
    this.heard();
    this.#pings ??= this.#context.spawn('pings', this.#ping());
  }

  leave(stream: LineStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    this.#pings?.cancel();
    this.#pings = undefined;
  }

  /** Its connection is gone. If that is what a ping came to, the server has forgotten the others as well. */
  broke(stream: LineStream): void {
    this.leave(stream);
    if (stream !== this.#pinged) return;
    this.#pinged = undefined;
    this.suspect();
  }

  *#ping(): Process<void> {
    for (;;) {
      const heardAt = this.#heardAt;
      yield* this.#context.sleepUntil((heardAt + PING_AFTER) as Micros);
      if (this.#hasHeardSince(heardAt)) continue;
      this.#pinged = [...this.#streams].find((stream) => stream.ping());
      yield* this.#context.sleep(PONG_WITHIN);
      this.#pinged = undefined;
      if (this.#hasHeardSince(heardAt)) continue;
      break;
    }
    const streams = [...this.#streams];
    this.#streams.clear();
    this.#pings = undefined;
    this.#onDead();
    for (const stream of streams) stream.giveUp();
  }

  #hasHeardSince(instant: Micros): boolean {
    for (const stream of this.#streams) if (stream.hasUnheard) this.heard();
    return this.#heardAt > instant;
  }
}
