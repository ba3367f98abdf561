/**
 * The copies of a custom resource's objects in the versions that only a webhook can convert them to, as the watch
 * caches of those versions have them: each change is converted once, in order, and again and again until it succeeds.
 * Whoever reads from a cache waits for its copy; a watch hears of nothing behind a change that cannot be converted, and
 * who takes any state is shown the one before it.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { ApiObject } from '../../../api/object.ts';
import { ApiError } from '../../../api/status.ts';
import { invariant } from '../../../engine/invariant.ts';
import type { Process } from '../../../engine/process.ts';
import type { ResourceStore } from '../../stores/resource-store.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import type { CacheWatch } from '../../watch-cache/cache-watch.ts';

/** Between tries. */
const RETRY_MS = 100;
/** Somebody wakes whoever waits; so long at most. */
const LOOK_MS = 60_000;

type Convert = (
  objects: readonly ApiObject[],
  apiVersion: string,
  surroundings: ApiServerSurroundings,
) => Process<readonly ApiObject[]>;

/** What the cache of a version has: stored objects, by their keys, all of which have copies. */
export interface CopiedState {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, ApiObject>;
}

interface GrowingState {
  revision: number;
  readonly objects: Map<string, ApiObject>;
}

export class ConvertedCopies {
  readonly #made = new Map<string, WeakMap<ApiObject, ApiObject>>();
  readonly #convert: Convert;
  /** What the one who follows is about. */
  readonly #pending = new Map<string, ApiObject>();
  readonly #states = new Map<string, CopiedState>();
  /** For which somebody is asking now. */
  readonly #asked = new Map<string, Set<ApiObject>>();
  #waiting: (() => void)[] = [];
  readonly #ends: (() => void)[] = [];
  #isKept = false;

  constructor(convert: Convert) {
    this.#convert = convert;
  }

  of(object: ApiObject, apiVersion: string): ApiObject | undefined {
    return this.#made.get(apiVersion)?.get(object);
  }

  /** What was there before the change that is being converted; undefined: all are, or not even the first were. */
  behind(apiVersion: string): CopiedState | undefined {
    return this.#pending.has(apiVersion) ? this.#states.get(apiVersion) : undefined;
  }

  /** From now on every change is converted as it comes. */
  keep(store: ResourceStore, apiVersions: readonly string[], surroundings: ApiServerSurroundings): void {
    this.#isKept = true;
    for (const apiVersion of apiVersions)
      this.#ends.push(surroundings.start(this.#follow(store, apiVersion, surroundings)));
  }

  /** The definition is another one, or gone: nobody waits any longer. */
  end(): void {
    this.#isKept = false;
    for (const end of this.#ends.splice(0)) end();
    this.#pending.clear();
    this.#states.clear();
    this.#wake();
  }

  /** Until all that are followed have their copies, or so many milliseconds are over. */
  *await(
    objects: readonly ApiObject[],
    apiVersion: string,
    surroundings: ApiServerSurroundings,
    patienceMs: number,
  ): Process<void> {
    const until = surroundings.wallMs() + patienceMs;
    while (this.#isKept && objects.some((object) => !this.of(object, apiVersion))) {
      const leftMs = Math.min(until - surroundings.wallMs(), LOOK_MS);
      if (leftMs <= 0) return;
      yield* surroundings.waitFor((wake) => this.#whenChanged(wake), leftMs);
    }
  }

  /** The copy of an event's object, however long that takes; undefined: the definition that it was of is no more. */
  *eventually(
    object: ApiObject,
    apiVersion: string,
    surroundings: ApiServerSurroundings,
  ): Process<ApiObject | undefined> {
    for (;;) {
      const isPending = this.#isKept && this.#pending.get(apiVersion) === object;
      if (isPending) yield* surroundings.waitFor((wake) => this.#whenChanged(wake), LOOK_MS);
      const copy = this.of(object, apiVersion) ?? (yield* this.#tried(object, apiVersion, surroundings));
      if (copy || !this.#isKept) return copy;
      if (!isPending) yield* surroundings.sleepMs(RETRY_MS);
    }
  }

  *#follow(store: ResourceStore, apiVersion: string, surroundings: ApiServerSurroundings): Process<void> {
    let watch: CacheWatch | undefined;
    let state: GrowingState = { revision: 0, objects: new Map() };
    let wake: () => void = () => undefined;
    try {
      for (;;) {
        // Its cache is closed: the server goes down, and there is nothing to follow any more.
        if (watch?.state === 'closed') return;
        if (watch?.state !== 'open') {
          const scope = store.prefix;
          state = { revision: 0, objects: new Map() };
          watch = store.cache.open({
            scope,
            after: 'initial',
            marksInitialEnd: true,
            onReady: () => wake(),
          });
        }
        const item = watch.take();
        if (item?.type === 'BOOKMARK') {
          state.revision = item.revision;
          this.#states.set(apiVersion, state);
        } else if (item) {
          yield* this.#untilMade(item.object, apiVersion, surroundings);
          const { namespace = '', name = '' } = item.object.metadata;
          const key = store.key(namespace, name);
          if (item.type === 'DELETED') state.objects.delete(key);
          else state.objects.set(key, item.object);
          state.revision = item.revision;
        } else if (watch.state === 'open')
          yield* surroundings.waitFor((call) => {
            wake = call;
            return () => (wake = () => undefined);
          }, LOOK_MS);
      }
    } finally {
      watch?.close();
    }
  }

  *#untilMade(object: ApiObject, apiVersion: string, surroundings: ApiServerSurroundings): Process<void> {
    // Stored when this was the stored version: nobody is asked to make of it what it is.
    if (object.apiVersion === apiVersion) return;
    this.#pending.set(apiVersion, object);
    while (!this.of(object, apiVersion)) {
      if (yield* this.#tried(object, apiVersion, surroundings)) break;
      yield* surroundings.sleepMs(RETRY_MS);
    }
    this.#pending.delete(apiVersion);
  }

  /** Undefined: it failed. One asks for all. */
  *#tried(
    object: ApiObject,
    apiVersion: string,
    surroundings: ApiServerSurroundings,
  ): Process<ApiObject | undefined> {
    const asked = this.#askedIn(apiVersion);
    if (asked.has(object)) {
      while (asked.has(object)) yield* surroundings.waitFor((wake) => this.#whenChanged(wake), LOOK_MS);
      return this.of(object, apiVersion);
    }
    asked.add(object);
    try {
      const [made] = yield* this.#convert([object], apiVersion, surroundings);
      invariant(made !== undefined, 'a converter answers with as many objects as it was asked for');
      this.#copiesIn(apiVersion).set(object, made);
      return made;
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    } finally {
      asked.delete(object);
      this.#wake();
    }
  }

  #askedIn(apiVersion: string): Set<ApiObject> {
    const known = this.#asked.get(apiVersion);
    if (known) return known;
    const asked = new Set<ApiObject>();
    this.#asked.set(apiVersion, asked);
    return asked;
  }

  #copiesIn(apiVersion: string): WeakMap<ApiObject, ApiObject> {
    const known = this.#made.get(apiVersion);
    if (known) return known;
    const made = new WeakMap<ApiObject, ApiObject>();
    this.#made.set(apiVersion, made);
    return made;
  }

  #whenChanged(wake: () => void): () => void {
    this.#waiting.push(wake);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== wake);
    };
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
