/**
 * The clock of one actor. Its *reading* is monotone and drifts against true time by so many parts per
 * million; its *wall time* is the reading plus an offset that can jump either way. Integer arithmetic only.
 */

import { invariant } from './invariant.ts';
import type { Micros } from './time.ts';

export interface ClockSettings {
  /** How far wall time is ahead of the reading. */
  readonly offset?: Micros;
  /** Microseconds gained in a true second; an integer above -1,000,000. */
  readonly driftPpm?: number;
}

const MILLION = 1_000_000;

export class ActorClock {
  #driftPpm = 0;
  #offset = 0;
  /** Drift counts from here: (true instant, reading) when it was last set. */
  #trueBase = 0;
  #readingBase = 0;

  constructor({ offset = 0 as Micros, driftPpm = 0 }: ClockSettings = {}) {
    this.#offset = offset;
    this.setDrift(driftPpm, 0 as Micros);
  }

  get driftPpm(): number {
    return this.#driftPpm;
  }

  get offset(): Micros {
    return this.#offset as Micros;
  }

  /** Monotone microseconds since the simulation's epoch, as this clock counts them. */
  reading(trueNow: Micros): Micros {
    if (this.#driftPpm === 0) return (trueNow - this.#trueBase + this.#readingBase) as Micros;
    return (this.#readingBase + this.#counted(trueNow - this.#trueBase)) as Micros;
  }

  /** Microseconds since the simulation's epoch, as this clock tells the time of day. */
  wall(trueNow: Micros): Micros {
    return (this.reading(trueNow) + this.#offset) as Micros;
  }

  /** Wall time jumps forward (or backward); the reading does not. */
  jump(by: Micros): void {
    this.#offset += by;
  }

  /** From now on the clock gains so much. Timers that are set already ring when they would have. */
  setDrift(ppm: number, trueNow: Micros): void {
    invariant(Number.isInteger(ppm) && ppm > -MILLION, 'a clock runs forward', { ppm });
    this.#readingBase = this.reading(trueNow);
    this.#trueBase = trueNow;
    this.#driftPpm = ppm;
  }

  /** The shortest true span after which the reading has grown by `span`. */
  trueSpan(trueNow: Micros, span: Micros): Micros {
    if (this.#driftPpm === 0) return span;
    const elapsed = trueNow - this.#trueBase;
    const target = this.#counted(elapsed) + span;
    let due = elapsed + Math.ceil((span * MILLION) / (MILLION + this.#driftPpm));
    // The division may be off by the roundings before it; the definition decides.
    while (this.#counted(due) < target) due++;
    while (due > elapsed && this.#counted(due - 1) >= target) due--;
    return (due - elapsed) as Micros;
  }

  /** elapsed × (1 + ppm / 10⁶), rounded down, without leaving the safe integers. */
  #counted(elapsed: number): number {
    const whole = Math.floor(elapsed / MILLION);
    const rest = elapsed - whole * MILLION;
    return elapsed + whole * this.#driftPpm + Math.floor((rest * this.#driftPpm) / MILLION);
  }
}
