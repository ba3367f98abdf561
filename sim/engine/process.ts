/**
 * Processes: code that takes virtual time, as generators. `const value = yield* wait` hands control to the
 * kernel until the wait is settled; only the kernel resumes a process. No promise, no microtask.
 *
 * A `Pending` is the smallest process: one wait for one source (a timer, a channel, a task). It is its own
 * iterator and its own iterator result, so that waiting costs one object. Nothing begins before it is
 * waited for; leaving it early (`return`, a lost race, a crash) abandons the source.
 */

import { invariant } from './invariant.ts';

/** First-party asynchronous code: used with `yield*`, or given to `spawn`, `race`, `all`. */
export type Process<T> = Generator<Wait, T, unknown>;

/** What a process yields to the kernel. */
export interface Wait {
  /** Begins to wait, unless it has begun; true when it is settled already. */
  begin(): boolean;
  /** Whom to tell when it is settled; set after `begin` returned false. */
  waiter: Waiter | undefined;
  /** Stops waiting: the waiter hears nothing more. */
  abandon(): void;
  /** What it settled with. @throws the failure it settled with */
  outcome(): unknown;
}

/** A task, or a combination of waits. */
export interface Waiter {
  wake(wait: Wait): void;
}

/** Where the answer to a wait comes from. Each calls `fulfil` or `fail` at most once, during `begin` or later. */
export interface Source<T> {
  begin(wait: Pending<T>): void;
  /** The wait has begun, is not settled, and no longer wants to be. */
  abandon(wait: Pending<T>): void;
}

type State = 'fresh' | 'waiting' | 'fulfilled' | 'failed' | 'abandoned';

export class Pending<T> implements Iterator<Wait, T, unknown>, Wait {
  // As iterator result: the wait itself first, then what it was fulfilled with.
  done = false;
  value: Wait | T = this;
  waiter: Waiter | undefined = undefined;
  /** The source's own: what it needs to know of this wait. */
  note: unknown;
  readonly #source: Source<T>;
  #state: State = 'fresh';
  #failure: unknown = undefined;

  constructor(source: Source<T>, note?: unknown) {
    this.#source = source;
    this.note = note;
  }

  get isSettled(): boolean {
    return this.#state === 'fulfilled' || this.#state === 'failed';
  }

  begin(): boolean {
    if (this.#state === 'fresh') {
      this.#state = 'waiting';
      this.#source.begin(this);
    }
    return this.isSettled;
  }

  fulfil(value: T): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'fulfilled';
    this.value = value;
    this.done = true;
    this.waiter?.wake(this);
  }

  fail(error: unknown): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'failed';
    this.#failure = error;
    this.waiter?.wake(this);
  }

  abandon(): void {
    const wasWaiting = this.#state === 'waiting';
    if (this.isSettled) return;
    this.#state = 'abandoned';
    this.waiter = undefined;
    if (wasWaiting) this.#source.abandon(this);
  }

  outcome(): T {
    if (this.#state === 'failed') throw this.#failure;
    invariant(this.#state === 'fulfilled', 'a wait is asked for its outcome once it is settled', {
      state: this.#state,
    });
    return this.value as T;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Wait, T> {
    if (this.#state === 'fresh') this.begin();
    if (this.#state === 'failed') throw this.#failure;
    invariant(this.#state !== 'abandoned', 'an abandoned wait is not waited for again');
    return this as IteratorResult<Wait, T>;
  }

  return(value: T): IteratorResult<Wait, T> {
    this.abandon();
    return { done: true, value };
  }

  throw(error: unknown): IteratorResult<Wait, T> {
    this.abandon();
    throw error;
  }
}

export const isProcess = (value: unknown): value is Process<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Process<unknown>>).next === 'function' &&
  Symbol.iterator in value;

/** How far a process came without waiting: to its end, or to a wait that the rest of it begins with. */
export type Beginning<T> =
  { readonly isOver: true; readonly value: T } | { readonly isOver: false; readonly rest: Process<T> };

/** Runs a process to its first wait, within the present event. @throws what it throws before */
export function begin<T>(process: Process<T>): Beginning<T> {
  const step = process.next();
  return step.done
    ? { isOver: true, value: step.value }
    : { isOver: false, rest: new Rest(process, step.value) };
}

/** A process that stands at its first wait. */
class Rest<T> implements Generator<Wait, T, unknown> {
  readonly #process: Process<T>;
  #first: Wait | undefined;

  constructor(process: Process<T>, first: Wait) {
    this.#process = process;
    this.#first = first;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Wait, T> {
    const value = this.#first;
    if (value === undefined) return this.#process.next();
    this.#first = undefined;
    return { done: false, value };
  }

  return(value: T): IteratorResult<Wait, T> {
    return this.#process.return(value);
  }

  throw(error: unknown): IteratorResult<Wait, T> {
    return this.#process.throw(error);
  }
}
