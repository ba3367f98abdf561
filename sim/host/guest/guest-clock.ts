/**
 * The timers and dates of one guest: a clock of @sinonjs/fake-timers that goes as its actor's clock goes. The only
 * file that knows the library.
 */
import { createClock, type Clock } from '@sinonjs/fake-timers';

/** What a guest sees as globals. */
export interface GuestTimers {
  readonly Date: DateConstructor;
  readonly setTimeout: typeof setTimeout;
  readonly clearTimeout: typeof clearTimeout;
  readonly setInterval: typeof setInterval;
  readonly clearInterval: typeof clearInterval;
  readonly setImmediate: typeof setImmediate;
  readonly clearImmediate: typeof clearImmediate;
}

/** More timers in a row at one instant are an endless loop. */
const LOOP_LIMIT = 1_000_000;

export class GuestClock {
  readonly #clock: Clock;
  /** Milliseconds of the actor's monotone clock that have been counted. */
  #elapsedMs: number;

  /** Both as of now: milliseconds since 1970, and of the monotone clock. */
  constructor({ wallMs, elapsedMs }: { readonly wallMs: number; readonly elapsedMs: number }) {
    this.#clock = createClock(wallMs, LOOP_LIMIT);
    this.#elapsedMs = elapsedMs;
  }

  get timers(): GuestTimers {
    const timers: unknown = this.#clock;
    return timers as GuestTimers;
  }

  /** Milliseconds since the guest's clock began; for `performance.now`. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** When the next timer is due, by the monotone clock; undefined: there is none. */
  get nextDueMs(): number | undefined {
    const timers: unknown = Reflect.get(this.#clock, 'timers');
    if (!(timers instanceof Map) || timers.size === 0) return undefined;
    let first = Infinity;
    for (const timer of timers.values() as Iterable<{ readonly callAt: number }>)
      first = Math.min(first, timer.callAt);
    return this.#elapsedMs + Math.max(0, first - this.#clock.now);
  }

  /** Timers that wait. */
  get pending(): number {
    const timers: unknown = Reflect.get(this.#clock, 'timers');
    return timers instanceof Map ? timers.size : 0;
  }

  /** Lets the one timer that is due first go off. */
  fireNext(): void {
    const due = this.nextDueMs;
    // First: whoever asks the monotone clock as the timer goes off is told no time before.
    if (due !== undefined) this.#elapsedMs = due;
    this.#clock.next();
  }

  /** The clock now reads so much; nothing is due before. Dates follow when the wall clock has jumped. */
  moveTo({ wallMs, elapsedMs }: { readonly wallMs: number; readonly elapsedMs: number }): void {
    if (elapsedMs > this.#elapsedMs) this.#clock.tick(elapsedMs - this.#elapsedMs);
    this.#elapsedMs = Math.max(this.#elapsedMs, elapsedMs);
    if (this.#clock.now !== wallMs) this.#clock.setSystemTime(wallMs);
  }
}
