/**
 * What one API server knows of one resource: the present objects as of the revision it has observed, and the latest
 * events. It serves reads that may be stale and all watches, without touching the storage.
 * Promises: the state at `revision` is exactly the storage's state at that revision; events reach every watch in the
 * order of revisions, once, and none is skipped; a watch that would skip some is refused (410) or cut off.
 * It refuses to know requests, selectors' syntax, encodings, and time: whoever wants lag supplies the scheduling.
 * Specification: "Watch", "Resource-version semantics".
 */
import { invariant } from '../../engine/invariant.ts';
import { ApiError } from '../../api/status.ts';
import { ScopeIndex } from '../../storage/scope-index.ts';
import { SortedMap } from '../../storage/sorted-map.ts';
import type {
  RangeResult,
  Revision,
  Storage,
  StorageEvent,
  StorageWatch,
  StoredEntry,
} from '../../storage/storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { CacheEvent, type WatchItem } from './cache-event.ts';
import { CacheWatch } from './cache-watch.ts';
import { EventWindow, type WindowLimits } from './event-window.ts';
import { Fifo } from '../../engine/fifo.ts';
import type { Progress } from './progress.ts';
import { type Trigger, TriggerIndex } from './trigger-index.ts';

export interface WatchCacheOptions {
  readonly storage: Pick<Storage<StoredObject>, 'range' | 'watch'>;
  /** Directory of the resource; ends in `/`. */
  readonly prefix: string;
  readonly progress: Progress;
  /** The server's clock: how old an event is decides how many are kept. */
  readonly nowMs: () => number;
  readonly windowLimits?: WindowLimits;
}

/** Calls `deliver` later, once. Deliveries may come in any order: the oldest events are handed over first anyway. */
export type Lag = (deliver: () => void) => void;

export interface WatchCacheRange {
  readonly prefix: string;
  readonly startKey?: string;
  /** 0 or absent: all. */
  readonly limit?: number;
}

export interface CacheWatchRequest {
  /** A directory within the cache's prefix, or one whole key. */
  readonly scope: string;
  /** `initial`: the present objects as ADDED, then what follows. */
  readonly after: Revision | 'initial';
  /** With `initial`: a BOOKMARK at the end of the initial events. */
  readonly marksInitialEnd?: boolean;
  /** Must not throw. Absent: everything. */
  readonly selects?: ((object: StoredObject) => boolean) | undefined;
  /** What `selects` asks at least: the watch is found by it instead of being asked about every event. */
  readonly trigger?: Trigger | undefined;
  readonly queueCapacity?: number;
  /** See `CacheWatchOptions.onReady`. */
  readonly onReady: () => void;
}

interface Batch {
  readonly events: readonly StorageEvent<StoredObject>[];
  readonly revision: Revision;
}

interface Waiter {
  readonly revision: Revision;
  readonly onReached: () => void;
}

const DEFAULT_QUEUE_CAPACITY = 1000;

export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #entries = new SortedMap<StoredEntry<StoredObject>>();
  readonly #window: EventWindow;
  readonly #watches = new ScopeIndex<CacheWatch>();
  readonly #triggered = new TriggerIndex<CacheWatch>();
  readonly #waiters = new Set<Waiter>();
  readonly #storageWatch: StorageWatch;
  #stopListening: (() => void) | undefined;
  /** Heard from the storage, not handed over yet. */
  readonly #pending = new Fifo<Batch>();
  #lag: Lag | undefined;
  /** While held: the revision that it stays at. */
  #heldAt: Revision | undefined;
  #lastEventRevision: Revision;
  #isRetired = false;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    const { storage, prefix } = options;
    invariant(prefix.endsWith('/'), 'a watch cache is of a directory', { prefix });
    const { entries, revision } = storage.range({ prefix });
    for (const entry of entries) this.#entries.set(entry.key, entry);
    this.#window = new EventWindow(revision, options.windowLimits);
    this.#lastEventRevision = revision;
    this.#storageWatch = storage.watch({
      prefix,
      onEvents: (events, at) => this.#hear({ events, revision: at }),
    });
  }

  /** The revision whose state this cache shows. */
  get revision(): Revision {
    if (this.#heldAt !== undefined) return this.#heldAt;
    const oldest = this.#pending.at(0);
    const heard = oldest ? ((oldest.revision - 1) as Revision) : this.#options.progress.revision;
    return Math.max(heard, this.#lastEventRevision) as Revision;
  }

  /** Revision of the last write to this resource that the cache has seen; its start if there was none. */
  get lastEventRevision(): Revision {
    return this.#lastEventRevision;
  }

  /** A watch may start after this revision or a later one. */
  get oldestStart(): Revision {
    return this.#window.start;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): StoredEntry<StoredObject> | undefined {
    return this.#entries.get(key);
  }

  /** The state at `revision`, as `Storage.range` answers it. */
  list({ prefix, startKey, limit = 0 }: WatchCacheRange): RangeResult<StoredObject> {
    const entries: StoredEntry<StoredObject>[] = [];
    let count = 0;
    this.#entries.scan({ prefix, startKey }, (entry) => {
      count += 1;
      if (limit === 0 || count <= limit) entries.push(entry);
    });
    return { entries, count, hasMore: count > entries.length, revision: this.revision };
  }

  /**
   * Calls back as soon as the cache shows `revision` or a later one: at once if it does already.
   * @returns how to give up waiting
   */
  whenAtLeast(revision: Revision, onReached: () => void): () => void {
    if (this.revision >= revision) {
      onReached();
      return () => undefined;
    }
    const waiter: Waiter = { revision, onReached };
    this.#waiters.add(waiter);
    this.#stopListening ??= this.#options.progress.listen(() => this.#tellWaiters());
    return () => {
      this.#waiters.delete(waiter);
      this.#stopListeningIfIdle();
    };
  }

  /** @throws ApiError 410 `Expired` when events after the start are no longer held */
  open(request: CacheWatchRequest): CacheWatch {
    const { scope, after, selects, trigger, queueCapacity = DEFAULT_QUEUE_CAPACITY, onReady } = request;
    invariant(scope.startsWith(this.#options.prefix), 'a watch is within its cache', { scope });
    if (after !== 'initial' && after < this.#window.start) throw tooOld(after, this.#window.start);
    const startRevision = after === 'initial' ? this.revision : after;
    const watch: CacheWatch = new CacheWatch({
      startRevision,
      afterRevision: Math.max(startRevision, this.#lastEventRevision) as Revision,
      lastEventRevision: () => this.#lastEventRevision,
      backlog: after === 'initial' ? this.#initialItems(request) : this.#itemsAfter(after, request),
      selects,
      queueCapacity,
      onReady,
      onEnd: () => (trigger ? this.#triggered.delete(trigger, watch) : this.#watches.delete(scope, watch)),
    });
    if (trigger) this.#triggered.add(trigger, scope, watch);
    else this.#watches.add(scope, watch);
    if (this.#isRetired) watch.close();
    return watch;
  }

  /** The storage has forgotten its history up to here: old events are no longer worth their room. */
  forgetUpTo(revision: Revision): void {
    this.#window.forgetUpTo(revision);
  }

  /** From now on events arrive through `lag`; without one they arrive at once. What is on its way stays in order. */
  setLag(lag: Lag | undefined): void {
    this.#lag = lag;
    if (!lag && this.#heldAt === undefined) this.#handOverAll();
  }

  /** Cuts the cache off from its storage: it stays as it is. The opposite of `release`. */
  hold(): void {
    this.#heldAt ??= this.revision;
  }

  /** Hands over all that was held back, at once. */
  release(): void {
    if (this.#heldAt === undefined) return;
    this.#heldAt = undefined;
    this.#handOverAll();
    this.#tellWaiters();
  }

  /** What was kept here is another thing by now: ends all watches, also of who opens one later. */
  retire(): void {
    this.#isRetired = true;
    this.close();
  }

  /** Ends all watches: the API server goes down. Who opens one meanwhile hears nothing. */
  close(): void {
    this.#storageWatch.close();
    this.#pending.clear();
    this.#waiters.clear();
    this.#stopListeningIfIdle();
    // A copy: a watch that is closed leaves the index.
    const watches = [...Array.from(this.#watches.all(), ([, watch]) => watch), ...this.#triggered.all()];
    for (const watch of watches) watch.close();
  }

  #hear(batch: Batch): void {
    if (this.#heldAt === undefined && !this.#lag && this.#pending.size === 0) {
      this.#handOver(batch);
      return;
    }
    this.#pending.push(batch);
    if (this.#heldAt === undefined) this.#lag?.(() => this.#handOverOldest());
  }

  #handOverOldest(): void {
    if (this.#heldAt !== undefined) return;
    const batch = this.#pending.shift();
    if (batch) this.#handOver(batch);
  }

  #handOverAll(): void {
    // One by one: in between, the cache is at the revision before the next batch.
    for (let batch = this.#pending.shift(); batch; batch = this.#pending.shift()) this.#handOver(batch);
  }

  #handOver({ events, revision }: Batch): void {
    const receivedAtMs = this.#options.nowMs();
    const changes = events.map((event) => new CacheEvent(event));
    for (const event of events) {
      if (event.kind === 'put') this.#entries.set(event.entry.key, event.entry);
      else this.#entries.delete(event.key);
    }
    for (const change of changes) this.#window.push(change, receivedAtMs);
    this.#lastEventRevision = revision;
    for (const change of changes) {
      this.#watches.visit(change.key, offer, change);
      this.#triggered.visit(change, offer);
    }
    this.#tellWaiters();
  }

  #tellWaiters(): void {
    if (this.#waiters.size === 0) return;
    const { revision } = this;
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.onReached();
    }
    this.#stopListeningIfIdle();
  }

  #stopListeningIfIdle(): void {
    if (this.#waiters.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #initialItems({ scope, selects, marksInitialEnd }: CacheWatchRequest): Iterator<WatchItem> {
    const { entries, revision } = this.list({ prefix: scope });
    const isOneKey = !scope.endsWith('/');
    return initialItems(
      entries.filter(({ key, value }) => (!isOneKey || key === scope) && (!selects || selects(value))),
      marksInitialEnd ? { type: 'BOOKMARK', revision, endsInitialEvents: true } : undefined,
    );
  }

  #itemsAfter(after: Revision, { scope, selects }: CacheWatchRequest): Iterator<WatchItem> {
    const isDirectory = scope.endsWith('/');
    return itemsOf(
      this.#window.after(after).filter(({ key }) => (isDirectory ? key.startsWith(scope) : key === scope)),
      selects,
    );
  }
}

const offer = (watch: CacheWatch, change: CacheEvent): void => watch.offer(change);

function* initialItems(
  entries: readonly StoredEntry<StoredObject>[],
  end: WatchItem | undefined,
): Generator<WatchItem> {
  for (const { value, modRevision } of entries) yield { type: 'ADDED', object: value, revision: modRevision };
  if (end) yield end;
}

function* itemsOf(
  events: readonly CacheEvent[],
  selects: ((object: StoredObject) => boolean) | undefined,
): Generator<WatchItem> {
  for (const event of events) {
    const item = event.itemFor(selects);
    if (item) yield item;
  }
}

const tooOld = (asked: Revision, oldest: Revision): ApiError =>
  new ApiError({ reason: 'Expired', message: `too old resource version: ${asked} (${oldest})` });
