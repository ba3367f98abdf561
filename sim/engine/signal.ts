/** Telling processes that something is so: a `Signal` tells those who wait now, a `Deferred` tells everybody once. */

import { Fifo } from './fifo.ts';
import { Pending, type Source } from './process.ts';

/** A pulse: `fire` wakes those who wait at that moment; nothing is remembered. */
export class Signal<T = void> implements Source<T> {
  readonly #waiting = new Fifo<Pending<T>>();

  /** Waits for the next `fire`. */
  wait(): Pending<T> {
    return new Pending(this);
  }

  fire(value: T): void {
    // Most often one waits, and again and again: the queue keeps its room.
    if (this.#waiting.size === 1) this.#waiting.shift()?.fulfil(value);
    else for (const wait of this.#waiting.drain()) wait.fulfil(value);
  }

  begin(wait: Pending<T>): void {
    this.#waiting.push(wait);
  }

  abandon(wait: Pending<T>): void {
    this.#waiting.remove(wait);
  }
}

type Settlement<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown };

/** A value to come: settled once, remembered; waiting for it afterwards takes no time. */
export class Deferred<T> implements Source<T> {
  readonly #waiting = new Fifo<Pending<T>>();
  #settlement: Settlement<T> | undefined;

  get isSettled(): boolean {
    return this.#settlement !== undefined;
  }

  wait(): Pending<T> {
    return new Pending(this);
  }

  /** Later settlements are ignored. */
  resolve(value: T): void {
    this.#settle({ kind: 'value', value });
  }

  /** Makes everybody's wait throw. Later settlements are ignored. */
  reject(error: unknown): void {
    this.#settle({ kind: 'error', error });
  }

  begin(wait: Pending<T>): void {
    if (this.#settlement) answer(wait, this.#settlement);
    else this.#waiting.push(wait);
  }

  abandon(wait: Pending<T>): void {
    this.#waiting.remove(wait);
  }

  #settle(settlement: Settlement<T>): void {
    if (this.#settlement) return;
    this.#settlement = settlement;
    for (const wait of this.#waiting.drain()) answer(wait, settlement);
  }
}

function answer<T>(wait: Pending<T>, settlement: Settlement<T>): void {
  if (settlement.kind === 'value') wait.fulfil(settlement.value);
  else wait.fail(settlement.error);
}
