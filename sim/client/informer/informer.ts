/**
 * An informer: a local copy of a collection, kept up to date by one list and a watch that goes on from it, and
 * handlers that hear of every change. The copy lags behind as far as the network and the server do, and is never
 * newer than what a handler has been told.
 *
 * When a watch ends it is resumed from the last version seen; when that version is gone (410) the collection is
 * listed again, and handlers hear the difference. Failures are waited out with growing pauses.
 * Specification: "Watch" 3 to 7, "Resource-version semantics".
 */
import type { ApiObject } from '../../api/object.ts';
import { ApiError, type Status } from '../../api/status.ts';
import type { ChoiceSite } from '../../engine/choices.ts';
import type { Alarm } from '../../engine/context.ts';
import { label } from '../../engine/digest.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds, milliseconds, type Micros } from '../../engine/time.ts';
import type { ApiClient } from '../api-client.ts';
import { isCallFailure, isGone } from '../api-failure.ts';
import { Backoff } from '../backoff.ts';
import { NoAnswer } from '../no-answer.ts';
import type { Selection } from '../options.ts';
import type { WatchEvent } from '../protocol.ts';
import type { ResourceHandle } from '../resource-handle.ts';
import type { Delivery } from './delivery.ts';
import { type IndexFunction, ObjectStore, storeKeyOf } from './object-store.ts';

/** Told in order, before the next change is looked at. Handlers do not wait: they note what is to be done. */
export interface ChangeHandler<T extends ApiObject> {
  added?(object: T): void;
  /** At a resync both are the same object. */
  changed?(object: T, old: T): void;
  /** The last known state: of an object that went unseen while the watch was down, an old one. */
  removed?(object: T): void;
}

export interface InformerOptions<T extends ApiObject> extends Selection {
  readonly client: ApiClient;
  readonly handle: ResourceHandle<T>;
  readonly indexers?: Readonly<Record<string, IndexFunction<T>>>;
  /** How often handlers are told anew of everything that is there; default never. */
  readonly resyncEvery?: Micros;
  /** Called when a watch ends: until the next one is open nothing is heard of changes. */
  readonly watchEnded?: () => void;
}

interface Listener<T extends ApiObject> {
  readonly handler: ChangeHandler<T>;
  /** Undefined: at once, always. */
  readonly delivery: Delivery | undefined;
}

/** A watch asks to be ended after 5 to 10 minutes, so that watches spread over servers. */
const MIN_WATCH_SECONDS = 300;
/** A failing server is left alone for 0.8 s, doubling to 30 s, and up to as long again. */
const FIRST_PAUSE = milliseconds(800);
const LONGEST_PAUSE = seconds(30);
/** After so long without failure the pauses are short again. */
const CALM = minutes(2);

export class Informer<T extends ApiObject = ApiObject> {
  readonly store: ObjectStore<T>;
  readonly #options: InformerOptions<T>;
  readonly #listeners: Listener<T>[] = [];
  readonly #backoff: Backoff;
  #isSynced = false;
  #isFollowing = false;
  /** Version that the copy has reached; '0': any will do, '': only the newest. */
  #version = '0';
  #lists = 0;
  #resync: Alarm | undefined;
  #lastFailureAt = 0;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.store = new ObjectStore(options.indexers);
    const site = (): ChoiceSite =>
      options.client.context.site(`informer of ${options.handle.resource} pause`);
    this.#backoff = new Backoff({ first: FIRST_PAUSE, cap: LONGEST_PAUSE, jitter: 1, site });
  }

  /** The first list has been taken over, and its handlers were told. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** A watch is open: changes come in as they happen. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Version that the copy has reached. */
  get resourceVersion(): string {
    return this.#version;
  }

  /** Of what. */
  get handle(): ResourceHandle<T> {
    return this.#options.handle;
  }

  /** It follows what was selected, not all that there is. */
  get isPart(): boolean {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return (namespace ?? labelSelector ?? fieldSelector) !== undefined;
  }

  /** How often the collection was listed. */
  get listCount(): number {
    return this.#lists;
  }

  /** A handler that comes late is told of everything that is there already. */
  addHandler(handler: ChangeHandler<T>, delivery?: Delivery): void {
    const listener = { handler, delivery };
    this.#listeners.push(listener);
    for (const object of this.store.list()) tellOfAdded(listener, object);
  }

  /** Starts it in its client's actor; ends it when called. */
  start(): () => void {
    const { client, handle, resyncEvery } = this.#options;
    const { context } = client;
    if (resyncEvery !== undefined)
      context.attend(label(`resync of ${handle.resource}`), (every) => this.#resyncAfter(every), resyncEvery);
    const running = context.spawn(`informer of ${handle.resource}`, this.run());
    return () => {
      this.#resync?.cancel();
      running.cancel();
    };
  }

  /** Asks every now and then, in the given context or its own. */
  *waitUntilSynced(context = this.#options.client.context): Process<void> {
    while (!this.#isSynced) yield* context.sleep(milliseconds(100));
  }

  /** Lists and watches without end. */
  *run(): Process<void> {
    for (;;) {
      try {
        yield* this.#list();
        for (;;) yield* this.#watch();
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        yield* this.#pauseAfter(error);
      }
    }
  }

  *#list(): Process<void> {
    const { client, handle } = this.#options;
    this.#lists++;
    const resourceVersion = this.#version;
    const list = yield* client.listAll(handle, {
      ...this.#selection(),
      ...(resourceVersion !== '' && { resourceVersion, limit: 0 }),
    });
    this.#replace(list.items);
    this.#version = list.metadata.resourceVersion ?? '';
    this.#isSynced = true;
  }

  /** Until the watch ends. A server that cannot be reached is asked again; whatever else is wrong needs a list. */
  *#watch(): Process<void> {
    const { client, handle } = this.#options;
    const site = client.context.site(`informer of ${handle.resource} watch length`);
    const watch = yield* this.#opened(() =>
      client.watch(handle, {
        ...this.#selection(),
        resourceVersion: this.#version,
        allowWatchBookmarks: true,
        timeoutSeconds: site.int(MIN_WATCH_SECONDS, 2 * MIN_WATCH_SECONDS),
      }),
    );
    this.#isFollowing = true;
    try {
      yield* watch.each((event) => this.#take(event));
    } catch (error) {
      // The connection broke: what was missed comes when the watch is resumed.
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      watch.close();
      this.#isFollowing = false;
      this.#options.watchEnded?.();
    }
  }

  *#opened<W>(open: () => Process<W>): Process<W> {
    for (;;) {
      try {
        return yield* open();
      } catch (error) {
        const isBusy =
          error instanceof NoAnswer || (error instanceof ApiError && error.reason === 'TooManyRequests');
        if (!isBusy) throw error;
        yield* this.#pauseAfter(error);
      }
    }
  }

  *#pauseAfter(error: unknown): Process<void> {
    const { context } = this.#options.client;
    if (isGone(error)) this.#version = '';
    if (context.now() - this.#lastFailureAt > CALM) this.#backoff.reset();
    this.#lastFailureAt = context.now();
    yield* context.sleep(this.#backoff.next());
  }

  #selection(): Selection {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'ERROR') throw errorOf(event.object);
    const { object } = event;
    if (event.type === 'DELETED') this.#remove(storeKeyOf(object), object);
    else if (event.type !== 'BOOKMARK') this.#put(object);
    this.#version = object.metadata.resourceVersion ?? this.#version;
  }

  #replace(items: readonly T[]): void {
    const present = new Set(items.map(storeKeyOf));
    for (const key of this.store.keys()) if (!present.has(key)) this.#remove(key, undefined);
    for (const object of items) this.#put(object);
  }

  #resyncAfter(every: Micros): void {
    this.#resync = this.#options.client.context.alarm(every, () => {
      for (const object of this.store.list())
        for (const listener of this.#listeners) tellOfChanged(listener, object, object);
      this.#resyncAfter(every);
    });
  }

  #put(object: T): void {
    const old = this.store.put(object);
    if (!old) for (const listener of this.#listeners) tellOfAdded(listener, object);
    else if (old.metadata.resourceVersion !== object.metadata.resourceVersion)
      for (const listener of this.#listeners) tellOfChanged(listener, object, old);
  }

  #remove(key: string, last: T | undefined): void {
    const old = this.store.remove(key);
    if (!old) return;
    for (const listener of this.#listeners) tellOfRemoved(listener, last ?? old);
  }
}

function tellOfAdded<T extends ApiObject>({ handler, delivery }: Listener<T>, object: T): void {
  if (!handler.added) return;
  if (!delivery || delivery.isPrompt) handler.added(object);
  else delivery.later(() => handler.added?.(object));
}

function tellOfChanged<T extends ApiObject>({ handler, delivery }: Listener<T>, object: T, old: T): void {
  if (!handler.changed) return;
  if (!delivery || delivery.isPrompt) handler.changed(object, old);
  else delivery.later(() => handler.changed?.(object, old));
}

function tellOfRemoved<T extends ApiObject>({ handler, delivery }: Listener<T>, last: T): void {
  if (!handler.removed) return;
  if (!delivery || delivery.isPrompt) handler.removed(last);
  else delivery.later(() => handler.removed?.(last));
}

const errorOf = ({ reason = '', message = '', code, details }: Status): ApiError =>
  new ApiError({ reason, message, code, ...(details && { details }) });
