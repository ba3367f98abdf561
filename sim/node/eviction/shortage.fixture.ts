/**
 * For the model of nodes that run short: what somebody who only knows what is used, and when the agent was there, can say
 * for sure about one resource. In between nothing is said. Seconds.
 */

interface Bounds {
  readonly capacity: number;
  readonly threshold: number;
  /** So much more has to be there again. */
  readonly reclaim: number;
}

interface Observed {
  readonly now: number;
  /** Something outside takes nearly all. */
  readonly isPressed: boolean;
  readonly used: number;
  /** With what may have started and ended since the last look from outside. */
  readonly mostUsed: number;
  /** How long the agent has been there: 0, it is not. */
  readonly upFor: number;
}

/** Looks of the agent are ten apart. */
const FELT = 12;

export class Shortage {
  readonly #bounds: Bounds;
  #since: number | undefined;
  #lastMaybe = -10_000;
  #mayReclaim = false;
  /** The agent has felt it. */
  #isMet = false;
  #lastFelt = -10_000;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** The agent is another one, which knows of nothing that was before. */
  forget(): void {
    this.#isMet = false;
    this.#mayReclaim = false;
    this.#lastFelt = -10_000;
    this.#since = undefined;
  }

  observe({ now, isPressed, used, mostUsed, upFor }: Observed): void {
    const { capacity, threshold, reclaim } = this.#bounds;
    const least = threshold + (this.#isMet ? reclaim : 0);
    if (isPressed || capacity - used < least) {
      this.#since ??= now;
    } else {
      this.#since = undefined;
      this.#isMet = false;
    }
    if (Math.min(this.surelyFor(now), upFor) >= FELT) {
      this.#isMet = true;
      this.#lastFelt = now;
    }
    const most = threshold + (this.#mayReclaim ? reclaim : 0);
    if (isPressed || capacity - mostUsed < most) {
      this.#lastMaybe = now;
      this.#mayReclaim = true;
    } else if (this.freeFor(now) >= FELT && upFor >= FELT) this.#mayReclaim = false;
  }

  /** For how long it has been short. */
  surelyFor(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since;
  }

  /** For how long it has not been short. */
  freeFor(now: number): number {
    return now - this.#lastMaybe;
  }

  /** For how long the agent may not have felt it. */
  sinceFelt(now: number): number {
    return now - this.#lastFelt;
  }
}
