/** How long to wait before the next try. Pure arithmetic; chance comes from the caller's site. */
import type { ChoiceSite } from '../engine/choices.ts';
import type { Micros } from '../engine/time.ts';

export interface BackoffOptions {
  readonly first: Micros;
  readonly factor?: number;
  readonly cap: Micros;
  /** Adds up to this part of the wait, drawn at `site`; default 0. */
  readonly jitter?: number;
  /** Asked for with the first pause: most who might fail never do. */
  readonly site?: () => ChoiceSite;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Failures since the last reset. */
  get failures(): number {
    return this.#failures;
  }

  /** The wait after one more failure. */
  next(): Micros {
    const { first, factor = 2, cap, jitter = 0, site } = this.#options;
    const wait = Math.min(cap, Math.round(first * factor ** this.#failures));
    this.#failures++;
    const extra = jitter > 0 && site ? site().int(0, Math.floor(wait * jitter)) : 0;
    return (wait + extra) as Micros;
  }

  reset(): void {
    this.#failures = 0;
  }
}
