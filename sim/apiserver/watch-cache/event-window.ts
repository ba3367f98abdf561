import type { Revision } from '../../storage/storage.ts';
import type { CacheEvent } from './cache-event.ts';
import { Fifo } from '../../engine/fifo.ts';
import { SampledSize } from '../../storage/rough-size.ts';

/** How many events a cache keeps for watches that resume. The defaults are those of the real server. */
export interface WindowLimits {
  readonly lowestCapacity: number;
  readonly highestCapacity: number;
  /** Events younger than this are worth more room. */
  readonly freshMs: number;
  /** Beyond about this size, only the fewest events are kept. */
  readonly maxBytes: number;
}

export const DEFAULT_WINDOW_LIMITS: WindowLimits = {
  lowestCapacity: 100,
  highestCapacity: 100 * 1024,
  freshMs: 75_000,
  maxBytes: 128 * 1024 * 1024,
};

/**
 * The latest events of a cache. When it is full it doubles if even its oldest event is fresh (many writes in a short
 * time), halves if its newest quarter already spans more than the fresh time, and else forgets its oldest event.
 */
export class EventWindow {
  readonly #limits: WindowLimits;
  #capacity: number;
  readonly #events = new Fifo<CacheEvent>();
  /** Since the first of them came: small numbers take no room of their own. */
  readonly #receivedAtMs = new Fifo<number>();
  #firstAtMs: number | undefined;
  readonly #bytes = new SampledSize();
  #start: Revision;

  /** @param start revision of the state that the first event will build on */
  constructor(start: Revision, limits: WindowLimits = DEFAULT_WINDOW_LIMITS) {
    this.#start = start;
    this.#limits = limits;
    this.#capacity = limits.lowestCapacity;
  }

  /** All events after this revision are held; a watch that starts before it is too old. */
  get start(): Revision {
    return this.#start;
  }

  get size(): number {
    return this.#events.size;
  }

  push(event: CacheEvent, nowMs: number): void {
    const receivedAtMs = nowMs - (this.#firstAtMs ??= nowMs);
    if (this.size === this.#capacity) this.#resize(receivedAtMs);
    while (this.size >= this.#capacity) this.#forgetOldest();
    this.#events.push(event);
    this.#receivedAtMs.push(receivedAtMs);
    this.#bytes.added(event, objectOf);
    while (this.#bytes.bytes > this.#limits.maxBytes && this.size > this.#limits.lowestCapacity)
      this.#forgetOldest();
  }

  /** Forgets events up to a revision, but for the fewest that are always kept. */
  forgetUpTo(revision: Revision): void {
    const { lowestCapacity } = this.#limits;
    while (this.size > lowestCapacity && (this.#events.at(0)?.revision ?? Infinity) <= revision)
      this.#forgetOldest();
    while (this.#capacity / 2 >= Math.max(this.size, lowestCapacity))
      this.#capacity = Math.floor(this.#capacity / 2);
  }

  /** The held events after `revision`, oldest first. */
  after(revision: Revision): readonly CacheEvent[] {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events.at(middle) as CacheEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.from(low);
  }

  #resize(nowMs: number): void {
    const { lowestCapacity, highestCapacity, freshMs } = this.#limits;
    const ageOf = (index: number): number => nowMs - (this.#receivedAtMs.at(index) as number);
    const newestQuarter = this.size - Math.ceil(this.#capacity / 4);
    if (ageOf(0) < freshMs) this.#capacity = Math.min(this.#capacity * 2, highestCapacity);
    else if (ageOf(newestQuarter) > freshMs) {
      this.#capacity = Math.max(Math.floor(this.#capacity / 2), lowestCapacity);
    }
  }

  #forgetOldest(): void {
    this.#start = this.#events.shift()?.revision ?? this.#start;
    this.#receivedAtMs.shift();
    this.#bytes.keepLast(this.size);
  }
}

const objectOf = ({ current, previous }: CacheEvent): unknown => current ?? previous;
