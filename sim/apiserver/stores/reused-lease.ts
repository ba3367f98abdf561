/**
 * Leases are costly for the storage: what is written within a minute lives as long as the first of it, so it lives up to a
 * minute (at most a twentieth of its time) longer than asked. One lease holds up to a thousand keys.
 */

const LONGEST_REUSE_SECONDS = 60;
const REUSED_PART = 0.05;
const MOST_KEYS = 1_000;

interface GrantedLease {
  readonly id: number;
  /** Milliseconds of the server's wall clock. */
  readonly expiresAt: number;
}

export class ReusedLease {
  readonly #ttlMs: number;
  readonly #reuseMs: number;
  readonly #grant: (expiresAt: number) => number;
  #last: GrantedLease | undefined;
  #keys = 0;

  /** `grant` makes the storage grant one that ends then, and gives back its id. */
  constructor(ttlSeconds: number, grant: (expiresAt: number) => number) {
    this.#ttlMs = ttlSeconds * 1_000;
    this.#reuseMs = Math.min(LONGEST_REUSE_SECONDS, Math.trunc(REUSED_PART * ttlSeconds)) * 1_000;
    this.#grant = grant;
  }

  /** For one more key. `isAlive`: the storage knows the lease still, it was not set back to before it. */
  at(nowMs: number, isAlive: (id: number) => boolean): number {
    this.#keys += 1;
    if (this.#last && this.#reaches(this.#last, nowMs) && isAlive(this.#last.id)) return this.#last.id;
    const expiresAt = nowMs + this.#ttlMs + this.#reuseMs;
    this.#last = { id: this.#grant(expiresAt), expiresAt };
    this.#keys = 1;
    return this.#last.id;
  }

  /** Long enough and, by a clock that was set back, not too long. */
  #reaches({ expiresAt }: GrantedLease, nowMs: number): boolean {
    const leastMs = nowMs + this.#ttlMs;
    return leastMs < expiresAt && leastMs + this.#reuseMs >= expiresAt && this.#keys <= MOST_KEYS;
  }
}
