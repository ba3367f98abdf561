/**
 * Names of Events, as components of Kubernetes make them: of the object, and of the nanosecond in hexadecimal digits, so that
 * Events of one object are listed in their order. Those of one component at one instant follow each other.
 */
import type { Context } from '../engine/context.ts';

const NANOS = 1_000n;
const HEX = 16;

export class EventNames {
  readonly #context: Context;
  #micros = -1;
  #last = 0n;

  constructor(context: Context) {
    this.#context = context;
  }

  next(object: string): string {
    const micros = this.#context.wallMicros();
    // Clocks here know no nanoseconds, but others may tell something in the same microsecond.
    if (micros === this.#micros) this.#last += 1n;
    else this.#last = BigInt(micros) * NANOS + (BigInt(this.#context.site('event names').uint32()) % NANOS);
    this.#micros = micros;
    return `${object}.${this.#last.toString(HEX)}`;
  }
}
