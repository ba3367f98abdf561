/**
 * One watch as its response stream: events of the cache, bookmarks before the end, the time limit,
 * and the one ERROR event of a watch that cannot be served. What the reader does not take stays in
 * the cache's bounded queue; a reader that is too slow is cut off there.
 */
import type { Status } from '../../api/status.ts';
import type { ResponseStream, StreamPiece } from '../request/request.ts';
import type { WatchEncoder } from '../representation/encode-watch.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { CacheWatch } from '../watch-cache/cache-watch.ts';

/** Bookmarks come so long before the time limit, so that a client can go on from one, … */
const BOOKMARK_BEFORE_END_MS = 2_000;
/** … and about every minute. */
const BOOKMARK_EVERY_MS = 60_000;

export interface WatchStreamOptions {
  readonly surroundings: ApiServerSurroundings;
  readonly encoder: WatchEncoder;
  readonly timeoutMs: number;
  readonly allowsBookmarks: boolean;
}

export class WatchStream implements ResponseStream {
  readonly #options: WatchStreamOptions;
  #watch: CacheWatch | undefined;
  #failure: Status | undefined;
  #onReady: () => void = () => undefined;
  #isOver = false;
  #isBookmarkDue = false;
  /** Version of the last bookmark that was sent. */
  #sentRevision = 0;
  readonly #cancels: (() => void)[] = [];

  constructor(options: WatchStreamOptions) {
    this.#options = options;
  }

  readonly wake = (): void => this.#onReady();

  attach(watch: CacheWatch): void {
    const { surroundings, timeoutMs, allowsBookmarks } = this.#options;
    this.#watch = watch;
    this.#cancels.push(surroundings.after(timeoutMs, () => this.#end()));
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
    const item = this.#watch?.take();
    if (item) return encoder.item(item);
    return this.#dueBookmark();
  }

  get ended(): boolean {
    if (this.#failure) return false;
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
    this.#cancels[1] = this.#options.surroundings.after(inMs, () => {
      this.#isBookmarkDue = true;
      this.#onReady();
      this.#planBookmark(leftMs - inMs);
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
    this.#watch?.close();
    this.#onReady();
  }
}
