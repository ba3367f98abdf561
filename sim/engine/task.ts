/**
 * A process that was started, with its life: ready, running, waiting, finished. It can be joined and
 * cancelled. A failure that nobody joins by the end of its event is a bug, unless the actor handles failures.
 */

import { label, type Label } from './digest.ts';
import type { Owner } from './queued-event.ts';
import { invariant, InvariantViolation, violation } from './invariant.ts';
import type { Failure, Kernel, Runnable } from './kernel.ts';
import { Pending, type Process, type Source, type Wait, type Waiter } from './process.ts';

/** What tasks live in: one life of an actor. */
export interface TaskHome extends Owner {
  readonly kernel: Kernel;
  /** Unfinished tasks, in order of their start. */
  readonly tasks: Set<{ end(): void }>;
  /** Handles failures that nobody joins; false leaves them to be a bug. */
  handleFailure(error: unknown, process: string): boolean;
}

export interface SpawnOptions {
  /** `kept`: a failure waits for `join`, however long; `reported` (default): somebody must be joining when it happens. */
  readonly failure?: 'reported' | 'kept';
}

/** `join` of a task that was cancelled, or whose actor crashed. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled';

  constructor(process: string) {
    super(`process "${process}" was cancelled`);
  }
}

type TaskState = 'active' | 'done' | 'failed' | 'cancelled';

/** Most tasks are joined by one or by none. */
const NOBODY: readonly never[] = [];

export class Task<T> implements Runnable, Waiter, Source<T>, Failure {
  readonly label: Label;
  readonly owner: TaskHome;
  readonly #process: Process<T>;
  #state: TaskState = 'active';
  #isQueued = false;
  #isRunning = false;
  #isCancelling = false;
  #mustCancel = false;
  #isObserved: boolean;
  #waiting: Wait | undefined;
  #joins: readonly Pending<T>[] = NOBODY;
  #value: T | undefined;
  #error: unknown;

  /** Made by `spawn`; starts with `enqueue` or `start`. */
  constructor(owner: TaskHome, name: string | Label, process: Process<T>, { failure }: SpawnOptions = {}) {
    this.owner = owner;
    this.label = typeof name === 'string' ? label(name) : name;
    this.#process = process;
    this.#isObserved = failure === 'kept';
    if (owner.standing === 'ended') this.#state = 'cancelled';
    else owner.tasks.add(this);
  }

  get name(): string {
    return this.label.text;
  }

  /** `active` until it has returned (`done`), thrown (`failed`) or was ended from outside (`cancelled`). */
  get state(): TaskState {
    return this.#state;
  }

  /** What it threw, once it has failed. */
  get error(): unknown {
    return this.#error;
  }

  /** What it returned; throws what it threw. The task must have ended. */
  result(): T {
    invariant(this.#state !== 'active', 'the process came to its end', { process: this.name });
    this.#isObserved = true;
    if (this.#state === 'failed') throw this.#error;
    if (this.#state === 'cancelled') throw new TaskCancelled(this.name);
    return this.#value as T;
  }

  /** Waits for the end: its value, or its failure thrown, or `TaskCancelled` thrown. */
  join(): Pending<T> {
    return new Pending(this);
  }

  /** Ends the process where it waits: its `finally` blocks run, once. Without effect when it has ended. */
  cancel(): void {
    if (this.#state !== 'active') return;
    if (this.owner.standing === 'ended') this.end();
    else if (this.#isRunning) this.#mustCancel = true;
    else if (!this.#isCancelling) this.#leave();
  }

  /** Ends it as a crash does: at once, and nothing of it runs again. */
  end(): void {
    if (this.#state !== 'active') return;
    this.#waiting?.abandon();
    this.#finish('cancelled');
  }

  /** Goes on after the present event. For `spawn`. */
  enqueue(): this {
    if (this.#isQueued || this.#state !== 'active') return this;
    this.#isQueued = true;
    this.owner.kernel.ready(this);
    return this;
  }

  /** Runs to its first wait at once. For `race` and `all`. */
  start(): this {
    if (this.#state === 'active') this.#resume(false);
    return this;
  }

  wake(): void {
    this.#waiting = undefined;
    this.enqueue();
  }

  run(): void {
    if (!this.#isQueued) return;
    this.#isQueued = false;
    if (this.#state === 'active') this.#resume(false);
  }

  begin(join: Pending<T>): void {
    this.#isObserved = true;
    this.#joins = this.#joins.length === 0 ? [join] : [...this.#joins, join];
    if (this.#state !== 'active') this.#answer();
  }

  abandon(join: Pending<T>): void {
    this.#joins = this.#joins.filter((other) => other !== join);
  }

  handle(): boolean {
    return this.#isObserved || this.owner.handleFailure(this.#error, this.name);
  }

  #leave(): void {
    this.#isCancelling = true;
    this.#isQueued = false;
    this.#waiting = undefined;
    this.#resume(true);
  }

  #resume(isLeaving: boolean): void {
    const { kernel } = this.owner;
    const outer = kernel.activity;
    kernel.activity = this.label;
    this.#isRunning = true;
    let result: IteratorResult<Wait, T>;
    try {
      result = isLeaving ? this.#process.return(undefined as T) : this.#process.next();
    } catch (error) {
      if (error instanceof InvariantViolation) throw error;
      this.#fail(error);
      return;
    } finally {
      this.#isRunning = false;
      kernel.activity = outer;
    }
    if (result.done) this.#finish(this.#isCancelling ? 'cancelled' : 'done', result.value);
    else this.#awaits(result.value);
  }

  #awaits(wait: Wait): void {
    // Its own actor crashed while it ran: it has ended already, and this was its last word.
    if (this.#state !== 'active') {
      wait.abandon();
      return;
    }
    if (wait.waiter) throw violation('one process waits for a wait', { process: this.name });
    wait.waiter = this;
    this.#waiting = wait;
    if (this.#mustCancel && !this.#isCancelling) this.#leave();
  }

  #fail(error: unknown): void {
    if (this.#state !== 'active') return;
    this.#error = error;
    if (this.#isCancelling) this.#isObserved = false;
    this.#finish('failed');
    this.owner.kernel.failed(this);
  }

  #finish(state: TaskState, value?: T): void {
    if (this.#state !== 'active') return;
    this.#state = state;
    this.#value = value;
    this.#waiting = undefined;
    this.owner.tasks.delete(this);
    if (this.#joins.length > 0) this.#answer();
  }

  #answer(): void {
    const joins = this.#joins;
    this.#joins = NOBODY;
    for (const join of joins) {
      if (this.#state === 'done') join.fulfil(this.#value as T);
      else join.fail(this.#state === 'failed' ? this.#error : new TaskCancelled(this.name));
    }
  }
}
