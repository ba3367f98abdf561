/**
 * Whether a server is still there, as HTTP/2 clients find it out: calls and watches of one client to one server share
 * a line, anything that comes over it shows that the server lives, and after a silence a ping is sent. On the simulated
 * network each watch has a connection of its own; when calls find that theirs broke, the watches are pinged at once, for
 * with HTTP/2 they would have broken with it.
 */
import type { Alarm, Context } from '../engine/context.ts';
import { label } from '../engine/digest.ts';
import { seconds, type Micros } from '../engine/time.ts';

/** Silence after which a ping is sent, … */
const PING_AFTER = seconds(30);
/** … and how long it may take to be answered. */
const PONG_WITHIN = seconds(15);

/** A silent server is found out within so long. */
export const FOUND_OUT_WITHIN = (PING_AFTER + PONG_WITHIN) as Micros;

const PINGS = label('pings');

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
  /** When something was asked for the first time since; an answer and the next question may be of one instant. */
  #askedAt: Micros | undefined;
  #pings: Alarm | undefined;
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
    this.#askedAt = undefined;
  }

  /** Something is asked of the server. */
  asked(): void {
    this.#askedAt ??= this.#context.now();
  }

  /** It was asked, and has been silent for as long as pings would wait. */
  get isSilent(): boolean {
    return this.#askedAt !== undefined && this.#context.now() - this.#askedAt >= FOUND_OUT_WITHIN;
  }

  /** The server may have forgotten the streams: one that has tells so when it is pinged. */
  suspect(): void {
    for (const stream of this.#streams) stream.ping();
  }

  join(stream: LineStream): void {
    this.#streams.add(stream);
    this.heard();
    if (!this.#pings) this.#context.attend(PINGS, () => this.#listen(), undefined);
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

  /** Until so long after what was heard last. */
  #listen(): void {
    const heardAt = this.#heardAt;
    const left = Math.max(0, heardAt + PING_AFTER - this.#context.now()) as Micros;
    this.#pings = this.#context.alarm(left, () => {
      if (this.#hasHeardSince(heardAt)) this.#listen();
      else this.#ping(heardAt);
    });
  }

  #ping(heardAt: Micros): void {
    this.#pinged = [...this.#streams].find((stream) => stream.ping());
    this.#pings = this.#context.alarm(PONG_WITHIN, () => {
      this.#pinged = undefined;
      if (this.#hasHeardSince(heardAt)) this.#listen();
      else this.#giveUp();
    });
  }

  #giveUp(): void {
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
