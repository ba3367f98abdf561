/**
 * How news come from an informer to a handler: at once, or, for somebody who is paused or lags behind, later and in
 * order, while the informer and its other handlers go on. What the informer's store holds may then be newer than what
 * the handler was told, as with the buffers between the two in a real controller manager.
 */
import type { Context } from '../../engine/context.ts';
import { Fifo } from '../../engine/fifo.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import type { Micros } from '../../engine/time.ts';

export interface Delivery {
  /** News may be told at once. */
  readonly isPrompt: boolean;
  /** Tells them when their turn comes. */
  later(tell: () => void): void;
}

interface News {
  readonly arrivedAt: Micros;
  readonly tell: () => void;
}

export interface DeliveryQueueOptions {
  /** Of the one who is told: while it is paused nothing is delivered. */
  readonly context: Context;
  readonly isPaused: () => boolean;
}

/** All news of one controller, whichever informer they come from. */
export class DeliveryQueue implements Delivery {
  readonly #context: Context;
  readonly #isPaused: () => boolean;
  readonly #waiting = new Fifo<News>();
  readonly #lagChanged: Signal;
  #next: News | undefined;
  #lag = 0 as Micros;

  constructor({ context, isPaused }: DeliveryQueueOptions) {
    this.#context = context;
    this.#isPaused = isPaused;
    this.#lagChanged = context.signal();
  }

  get isPrompt(): boolean {
    return this.#lag === 0 && this.#next === undefined && !this.#isPaused();
  }

  /** News that were not told yet. */
  get size(): number {
    return this.#waiting.size + (this.#next ? 1 : 0);
  }

  /** So long after their arrival are news told from now on, those that wait already among them; 0: at once. */
  setLag(lag: Micros): void {
    this.#lag = lag;
    this.#lagChanged.fire();
  }

  later(tell: () => void): void {
    const news = { arrivedAt: this.#context.now(), tell };
    if (this.#next) {
      this.#waiting.push(news);
      return;
    }
    this.#next = news;
    this.#context.spawn('late news', this.#deliver());
  }

  *#deliver(): Process<void> {
    for (let next = this.#next; next; next = this.#next) {
      const dueAt = (next.arrivedAt + this.#lag) as Micros;
      if (dueAt > this.#context.now()) {
        yield* this.#context.race([this.#lagChanged.wait(), this.#context.sleepUntil(dueAt)]);
        continue;
      }
      next.tell();
      this.#next = this.#waiting.shift();
    }
  }
}
