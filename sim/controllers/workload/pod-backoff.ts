/** How long to wait before something that failed is done again, by key: longer each time, and forgotten after a rest. */
import type { Micros } from '../../engine/time.ts';

export interface PodBackoffOptions {
  readonly first: Micros;
  readonly longest: Micros;
}

export class PodBackoff {
  readonly #options: PodBackoffOptions;
  readonly #waits = new Map<string, { readonly wait: Micros; readonly since: Micros }>();

  constructor(options: PodBackoffOptions) {
    this.#options = options;
  }

  /** What is left to wait; 0: nothing. */
  leftOf(key: string, now: Micros): Micros {
    const known = this.#waits.get(key);
    return (known ? Math.max(0, known.since + known.wait - now) : 0) as Micros;
  }

  /** It is done now: the next time comes later. */
  next(key: string, now: Micros): void {
    const { first, longest } = this.#options;
    const known = this.#waits.get(key);
    const isFresh = known !== undefined && now - known.since <= 2 * longest;
    const wait = isFresh ? Math.min(longest, 2 * known.wait) : first;
    this.#waits.set(key, { wait: wait as Micros, since: now });
  }
}
