/** One at a time, in the order in which they came. Belongs to one life of an actor. */
import type { Process } from '../../engine/process.ts';
import { Signal } from '../../engine/signal.ts';

export class Turns {
  readonly #freed = new Signal();
  #isTaken = false;

  *take<T>(process: Process<T>): Process<T> {
    while (this.#isTaken) yield* this.#freed.wait();
    this.#isTaken = true;
    try {
      return yield* process;
    } finally {
      this.#isTaken = false;
      this.#freed.fire();
    }
  }
}
