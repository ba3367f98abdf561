/**
 * Work that takes its time, beside the two loops: under one name it runs once at a time, and after a failure it is not
 * begun again for half a second, then twice as long each time, two minutes and two seconds at most. Whoever asks in the pause is not heard.
 */
import { isCallFailure } from '../../client/api-failure.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { type Micros, milliseconds, seconds } from '../../engine/time.ts';

const FIRST_PAUSE = milliseconds(500);
const LONGEST_PAUSE = seconds(122);

interface Failure {
  readonly at: Micros;
  readonly pause: Micros;
}

/** Says whether it did well. */
export type Operation = () => Process<boolean>;

export class Operations {
  readonly #context: Context;
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, Failure>();

  constructor(context: Context) {
    this.#context = context;
  }

  run(name: string, operation: Operation): void {
    const failure = this.#failures.get(name);
    if (this.#running.has(name)) return;
    if (failure && this.#context.now() - failure.at <= failure.pause) return;
    this.#running.add(name);
    this.#context.spawn(name, this.#carryOut(name, operation));
  }

  *#carryOut(name: string, operation: Operation): Process<void> {
    try {
      if (yield* operation()) this.#failures.delete(name);
      else this.#failed(name);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.#failed(name);
    } finally {
      this.#running.delete(name);
    }
  }

  #failed(name: string): void {
    const former = this.#failures.get(name)?.pause;
    const pause = former === undefined ? FIRST_PAUSE : Math.min(former * 2, LONGEST_PAUSE);
    this.#failures.set(name, { at: this.#context.now(), pause: pause as Micros });
  }
}
