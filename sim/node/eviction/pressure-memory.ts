/** Pressures last a while after they were last felt, so that a node does not waver. Pure but for what it remembers. */
import type { Pressure } from '../machine/pressure.ts';

export class PressureMemory {
  readonly #lastFeltMs = new Map<Pressure, number>();
  readonly #staysMs: number;

  constructor(staysMs: number) {
    this.#staysMs = staysMs;
  }

  feel(pressures: Iterable<Pressure>, nowMs: number): void {
    for (const pressure of pressures) this.#lastFeltMs.set(pressure, nowMs);
  }

  /** Felt now, or not so long ago. */
  present(nowMs: number): ReadonlySet<Pressure> {
    const felt = [...this.#lastFeltMs].filter(([, at]) => this.#endMs(at) > nowMs);
    return new Set(felt.map(([pressure]) => pressure));
  }

  /** When the next pressure will be over, if it is not felt again; undefined: there is none. */
  nextEndMs(nowMs: number): number | undefined {
    const ends = [...this.#lastFeltMs.values()].map((at) => this.#endMs(at)).filter((end) => end > nowMs);
    return ends.length > 0 ? Math.min(...ends) : undefined;
  }

  /** Reckoned in one way only: fractions of milliseconds are not exact. */
  #endMs(lastFeltMs: number): number {
    return lastFeltMs + this.#staysMs;
  }
}
