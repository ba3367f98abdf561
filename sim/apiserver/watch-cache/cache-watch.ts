import type { Revision } from '../../storage/storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import type { CacheEvent, WatchItem } from './cache-event.ts';
import { Fifo } from '../../engine/fifo.ts';

export interface CacheWatchOptions {
  /** The version that the watch started from: a bookmark must be newer. */
  readonly startRevision: Revision;
  /** Events at or before it are not for this watch. */
  readonly afterRevision: Revision;
  /** What comes before the live events: the initial state, or the events since the start. */
  readonly backlog: Iterator<WatchItem>;
  /** Revision of the last event of the cache, in whatever scope. */
  readonly lastEventRevision: () => Revision;
  /** Absent: everything. */
  readonly selects?: ((object: StoredObject) => boolean) | undefined;
  /** Live events that may wait for the consumer; one more and the watch is cut off. */
  readonly queueCapacity: number;
  /** There is something to take, or the watch has ended. Called once until `take` answers undefined. */
  readonly onReady: () => void;
  readonly onEnd: () => void;
}

export type CacheWatchState = 'open' | 'closed' | 'tooSlow';

/**
 * One watch of a cache, seen from both sides: the cache offers events, the consumer takes items. What the consumer
 * does not take in time is bounded: the watch is then cut off, and the consumer resumes from the last item it took.
 */
export class CacheWatch {
  readonly #options: CacheWatchOptions;
  #backlog: Iterator<WatchItem> | undefined;
  readonly #queue = new Fifo<WatchItem>();
  #state: CacheWatchState = 'open';
  #isAwaited = false;

  constructor(options: CacheWatchOptions) {
    this.#options = options;
    this.#backlog = options.backlog;
  }

  get state(): CacheWatchState {
    return this.#state;
  }

  /**
   * The revision that a bookmark may carry now: everything up to it was taken. Undefined while something waits to be
   * taken, and as long as nothing was written to the resource since the start.
   */
  get bookmarkRevision(): Revision | undefined {
    const revision = this.#options.lastEventRevision();
    return this.#isAwaited && revision > this.#options.startRevision ? revision : undefined;
  }

  /** The next item; undefined if there is none now, or none any more (see `state`). */
  take(): WatchItem | undefined {
    if (this.#state !== 'open') return undefined;
    const early = this.#takeFromBacklog();
    if (early) return early;
    const item = this.#queue.shift();
    this.#isAwaited = item === undefined;
    return item;
  }

  /** For the cache: an event in this watch's scope. */
  offer(event: CacheEvent): void {
    if (event.revision <= this.#options.afterRevision || this.#state !== 'open') return;
    const item = event.itemFor(this.#options.selects);
    if (!item) return;
    if (this.#queue.size >= this.#options.queueCapacity) {
      this.#end('tooSlow');
      return;
    }
    this.#queue.push(item);
    this.#wake();
  }

  close(): void {
    this.#end('closed');
  }

  #takeFromBacklog(): WatchItem | undefined {
    const next = this.#backlog?.next();
    if (next?.done === false) return next.value;
    this.#backlog = undefined;
    return undefined;
  }

  #end(state: CacheWatchState): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#queue.clear();
    this.#backlog = undefined;
    this.#options.onEnd();
    this.#wake();
  }

  #wake(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#options.onReady();
  }
}
