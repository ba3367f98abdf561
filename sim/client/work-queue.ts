/**
 * A queue of keys to be worked on: a key lies in it once, however often it is added; a key that is added while it
 * is worked on comes again afterwards, never to two workers at a time. Failed keys come back after a growing pause.
 */
import type { Context } from '../engine/context.ts';
import { label } from '../engine/digest.ts';
import type { Process } from '../engine/process.ts';
import type { Micros } from '../engine/time.ts';
import { isCallFailure } from './api-failure.ts';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limit/rate-limiter.ts';

export interface WorkQueueOptions<Key> {
  /** Several queues may share one. Default: that of controllers, 5 ms to 1,000 s for a key and 10 keys a second. */
  readonly limiter?: RateLimiter<Key>;
}

export class WorkQueue<Key extends string = string> {
  readonly #context: Context;
  readonly #limiter: RateLimiter<Key>;
  readonly #waiting = new Set<Key>();
  readonly #inWork = new Set<Key>();
  readonly #again = new Set<Key>();
  /** When a delayed key is due, by the context's clock: only the earliest counts. */
  readonly #due = new Map<Key, Micros>();
  readonly #changed;
  /** Asked whenever a key begins to wait. */
  readonly #helpers: (() => void)[] = [];
  #isClosed = false;

  constructor(
    context: Context,
    { limiter = defaultControllerRateLimiter<Key>(() => context.now()) }: WorkQueueOptions<Key> = {},
  ) {
    this.#context = context;
    this.#limiter = limiter;
    this.#changed = context.signal();
  }

  /** Keys that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  add(key: Key): void {
    if (this.#isClosed || this.#waiting.has(key)) return;
    if (this.#inWork.has(key)) this.#again.add(key);
    else {
      this.#waiting.add(key);
      this.#changed.fire();
      for (const help of this.#helpers) help();
    }
  }

  addAfter(key: Key, pause: Micros): void {
    if (pause <= 0) {
      this.add(key);
      return;
    }
    const dueAt = (this.#context.now() + pause) as Micros;
    const known = this.#due.get(key);
    if (known !== undefined && known <= dueAt) return;
    this.#due.set(key, dueAt);
    this.#context.spawn('delayed key', this.#addAt(key, dueAt));
  }

  /** Adds it after the pause that its failures and the limit for all keys ask for, and counts one failure more. */
  addRateLimited(key: Key): void {
    this.addAfter(key, this.#limiter.pauseOf(key));
  }

  /** Failures of a key that were not forgotten. */
  failuresOf(key: Key): number {
    return this.#limiter.failuresOf(key);
  }

  /** The key did well: its next failure is its first. */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  /** The next key, to be given back with `done`; undefined once the queue is closed and empty. */
  *take(): Process<Key | undefined> {
    for (;;) {
      const key = this.takeNow();
      if (key !== undefined || this.#isClosed) return key;
      yield* this.#changed.wait();
    }
  }

  /** The next key, to be given back with `done`; undefined where none waits. */
  takeNow(): Key | undefined {
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      this.#inWork.add(key);
      return key;
    }
    return undefined;
  }

  /** Asks for help with each key that waits, now and later. */
  onWork(help: () => void): void {
    this.#helpers.push(help);
    for (const _ of this.#waiting) help();
  }

  done(key: Key): void {
    this.#inWork.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** What lies in it is still given out. */
  close(): void {
    this.#isClosed = true;
    this.#changed.fire();
  }

  *#addAt(key: Key, dueAt: Micros): Process<void> {
    yield* this.#context.sleepUntil(dueAt);
    if (this.#due.get(key) !== dueAt) return;
    this.#due.delete(key);
    this.add(key);
  }
}

/** What to do with a key after its reconciliation. */
export interface ReconcileResult {
  /** Look at it again after so long. */
  readonly requeueAfter?: Micros;
  /** As after a failure: after a growing pause. */
  readonly requeue?: true;
}

/** Takes a key, makes the world as it should be, says whether to come back. Call failures bring the key back. */
export type Reconcile<Key extends string> = (key: Key) => Process<ReconcileResult | undefined>;

const WORKER = label('worker');

/** Puts at most so many workers on a queue. Each comes when there is a key for it, and goes when there is none left. */
export function startWorkers<Key extends string>(
  context: Context,
  queue: WorkQueue<Key>,
  { reconcile, workers = 1 }: { readonly reconcile: Reconcile<Key>; readonly workers?: number },
): void {
  const crew: Crew = { present: 0 };
  queue.onWork(() => {
    if (crew.present >= workers) return;
    crew.present++;
    context.spawn(WORKER, work(queue, reconcile, crew));
  });
}

interface Crew {
  present: number;
}

/** No function within another: what such a generator closes over is kept until the whole heap is collected. */
function* work<Key extends string>(
  queue: WorkQueue<Key>,
  reconcile: Reconcile<Key>,
  crew: Crew,
): Process<void> {
  try {
    for (let key = queue.takeNow(); key !== undefined; key = queue.takeNow())
      yield* workOn(queue, reconcile, key);
  } finally {
    crew.present--;
  }
}

function* workOn<Key extends string>(
  queue: WorkQueue<Key>,
  reconcile: Reconcile<Key>,
  key: Key,
): Process<void> {
  try {
    const result = yield* reconcile(key);
    if (result?.requeue) {
      queue.addRateLimited(key);
      return;
    }
    queue.forget(key);
    if (result?.requeueAfter !== undefined) queue.addAfter(key, result.requeueAfter);
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    queue.addRateLimited(key);
  } finally {
    queue.done(key);
  }
}
