/**
 * One watch as its response stream: events of the cache, bookmarks before the end, the time limit,
 * and the one ERROR event of a watch that cannot be served. What the reader does not take stays in
 * the cache's bounded queue; a reader that is too slow is cut off there.
 */
import { ApiError, type Status } from '../../api/status.ts';
import type { Process } from '../../engine/process.ts';
import type { ResponseStream, StreamPiece } from '../request/request.ts';
import type { WatchEncoder } from '../representation/encode-watch.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { WatchItem } from '../watch-cache/cache-event.ts';
import type { CacheWatch } from '../watch-cache/cache-watch.ts';

/** Bookmarks come so long before the time limit, so that a client can go on from one, … */
const BOOKMARK_BEFORE_END_MS = 2_000;
/** … and about every minute. */
const BOOKMARK_EVERY_MS = 60_000;

/** Places of what is cancelled at the end. */
const TIME_LIMIT = 0;
const BOOKMARK = 1;
const PREPARATION = 2;

export interface WatchStreamOptions {
  readonly surroundings: ApiServerSurroundings;
  readonly encoder: WatchEncoder;
  readonly timeoutMs: number;
  readonly allowsBookmarks: boolean;
  /** Where somebody has to be asked before an event can be shown. Events stay in their order; undefined ends the watch. */
  readonly prepare?: (item: WatchItem) => Process<WatchItem | undefined>;
}

export class WatchStream implements ResponseStream {
  readonly #options: WatchStreamOptions;
  #watch: CacheWatch | undefined;
  #failure: Status | undefined;
  #onReady: () => void = () => undefined;
  #isOver = false;
  #isBookmarkDue = false;
  /** The event that is being prepared, or was: the next waits for it. */
  #inPreparation: { prepared?: WatchItem } | undefined;
  /** Version of the last bookmark that was sent. */
  #sentRevision = 0;
  /** Of the time limit, of the next bookmark, of what is being prepared. */
  readonly #cancels: ((() => void) | undefined)[] = [];

  constructor(options: WatchStreamOptions) {
    this.#options = options;
  }

  readonly wake = (): void => this.#onReady();

  attach(watch: CacheWatch): void {
    const { surroundings, timeoutMs, allowsBookmarks } = this.#options;
    this.#watch = watch;
    this.#cancels[TIME_LIMIT] = surroundings.after(timeoutMs, () => this.#end());
    if (allowsBookmarks) this.#planBookmark(timeoutMs);
  }

  /** The watch cannot be served: one ERROR event, then the end. */
  fail(status: Status): void {
    this.#failure = status;
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
  }

  read(): StreamPiece | undefined {
    const { encoder } = this.#options;
    if (this.#failure) {
      const status = this.#failure;
      this.#failure = undefined;
      this.#isOver = true;
      return encoder.error(status);
    }
    const item = this.#options.prepare ? this.#nextPrepared(this.#options.prepare) : this.#watch?.take();
    if (item) {
      const piece = encoder.item(item);
      if (!piece) this.#end();
      return piece;
    }
    return this.#inPreparation ? undefined : this.#dueBookmark();
  }

  /** Undefined while somebody is asked, and when there is nothing to ask about. */
  #nextPrepared(prepare: (item: WatchItem) => Process<WatchItem | undefined>): WatchItem | undefined {
    if (!this.#inPreparation) this.#beginPreparing(prepare);
    // What is known already is prepared at once, and nobody is woken by what happens while one reads.
    const prepared = this.#inPreparation?.prepared;
    if (!prepared) return undefined;
    this.#inPreparation = undefined;
    this.#beginPreparing(prepare);
    return prepared;
  }

  #beginPreparing(prepare: (item: WatchItem) => Process<WatchItem | undefined>): void {
    const item = this.#watch?.take();
    if (!item) return;
    const preparation: { prepared?: WatchItem } = {};
    this.#inPreparation = preparation;
    this.#cancels[PREPARATION] = this.#options.surroundings.start(this.#prepared(preparation, prepare(item)));
  }

  /** What cannot be shown ends the watch: the client may come again from where it was. */
  *#prepared(
    preparation: { prepared?: WatchItem },
    preparing: Process<WatchItem | undefined>,
  ): Process<void> {
    try {
      const prepared = yield* preparing;
      if (prepared) preparation.prepared = prepared;
      else this.#stopPreparing(() => (this.#isOver = true));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#stopPreparing(() => this.fail(error.status));
    }
    this.#onReady();
  }

  #stopPreparing(because: () => void): void {
    this.#inPreparation = undefined;
    // Not its own end: it goes on here.
    this.#cancels[PREPARATION] = undefined;
    this.#release();
    because();
  }

  get ended(): boolean {
    if (this.#failure || this.#inPreparation) return this.#isOver && !this.#failure;
    return this.#isOver || (this.#watch !== undefined && this.#watch.state !== 'open');
  }

  close(): void {
    this.#end();
  }

  #dueBookmark(): StreamPiece | undefined {
    if (!this.#isBookmarkDue || this.ended) return undefined;
    this.#isBookmarkDue = false;
    const revision = this.#watch?.bookmarkRevision;
    // Nothing was written since: the client knows this version.
    if (revision === undefined || revision <= this.#sentRevision) return undefined;
    this.#sentRevision = revision;
    return this.#options.encoder.item({ type: 'BOOKMARK', revision, endsInitialEvents: false });
  }

  #planBookmark(leftMs: number): void {
    const inMs = Math.min(BOOKMARK_EVERY_MS, leftMs - BOOKMARK_BEFORE_END_MS);
    if (inMs <= 0) return;
    this.#cancels[BOOKMARK] = this.#options.surroundings.after(inMs, () => {
      this.#isBookmarkDue = true;
      this.#onReady();
      this.#planBookmark(leftMs - inMs);
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#onReady();
  }

  #release(): void {
    for (const cancel of this.#cancels) cancel?.();
    this.#watch?.close();
  }
}
