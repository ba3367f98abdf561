/**
 * How long a key has to wait before it is looked at again. As client-go has them: each failure of a key doubles its own
 * pause, and all keys of one limiter together may come back only so often.
 */
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';

export interface RateLimiter<Key> {
  /** The pause after one more failure of the key. */
  pauseOf(key: Key): Micros;
  /** The key did well: its next failure is its first. */
  forget(key: Key): void;
  /** Failures that were not forgotten. */
  failuresOf(key: Key): number;
}

export interface ItemBackoffOptions {
  /** After the first failure; doubled with each more. Default 5 ms. */
  readonly first?: Micros;
  /** Default 1,000 s. */
  readonly longest?: Micros;
}

/** Each key by itself. */
export class ItemBackoff<Key> implements RateLimiter<Key> {
  readonly #first: Micros;
  readonly #longest: Micros;
  readonly #failures = new Map<Key, number>();

  constructor({ first = milliseconds(5), longest = seconds(1_000) }: ItemBackoffOptions = {}) {
    this.#first = first;
    this.#longest = longest;
  }

  pauseOf(key: Key): Micros {
    const failures = this.failuresOf(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#longest, this.#first * 2 ** failures) as Micros;
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  failuresOf(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }
}

export interface TokenBucketOptions {
  /** The clock of the one who waits. */
  readonly now: () => Micros;
  /** Default 10. */
  readonly perSecond?: number;
  /** So many at once, after a rest. Default 100. */
  readonly burst?: number;
}

/** All keys together: tokens that come back at a steady pace, and may be owed. */
export class TokenBucket<Key = string> implements RateLimiter<Key> {
  readonly #now: () => Micros;
  readonly #interval: number;
  readonly #burst: number;
  /** When all tokens that were taken will have come back. */
  #fullAt = -Infinity;

  constructor({ now, perSecond = 10, burst = 100 }: TokenBucketOptions) {
    this.#now = now;
    this.#interval = Math.round(seconds(1) / perSecond);
    this.#burst = burst;
  }

  pauseOf(): Micros {
    const now = this.#now();
    this.#fullAt = Math.max(now, this.#fullAt) + this.#interval;
    return Math.max(0, this.#fullAt - this.#burst * this.#interval - now) as Micros;
  }

  forget(): void {
    // A token that was taken is taken, whoever took it.
  }

  failuresOf(): number {
    return 0;
  }
}

/** The longest pause of several limiters. */
export class LongestOf<Key> implements RateLimiter<Key> {
  readonly #limiters: readonly RateLimiter<Key>[];

  constructor(limiters: readonly RateLimiter<Key>[]) {
    this.#limiters = limiters;
  }

  pauseOf(key: Key): Micros {
    return Math.max(...this.#limiters.map((limiter) => limiter.pauseOf(key))) as Micros;
  }

  forget(key: Key): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  failuresOf(key: Key): number {
    return Math.max(...this.#limiters.map((limiter) => limiter.failuresOf(key)));
  }
}

/** What controllers limit their queues by unless they say otherwise. */
export const defaultControllerRateLimiter = <Key>(now: () => Micros): RateLimiter<Key> =>
  new LongestOf<Key>([new ItemBackoff(), new TokenBucket({ now })]);
