/**
 * Names of Events, as components of Kubernetes make them: of the object, and of the nanosecond in hexadecimal digits, so that
 * Events of one object are listed in their order. Those of one component at one instant follow each other.
 */
import type { Context } from '../engine/context.ts';

const NANOS = 1_000;
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
    const drawn = (): number => this.#context.site('event names').uint32() % NANOS;
    this.#last = micros === this.#micros ? this.#last + 1n : BigInt(micros) * BigInt(NANOS) + BigInt(drawn());
    this.#micros = micros;
    return `${object}.${this.#last.toString(HEX)}`;
  }
}
