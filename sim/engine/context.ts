/**
 * What a process is given: its actor's view of the simulated world. Time is the actor's own clock, chance is
 * asked at sites under the actor's name, others are reached through the network alone. A context belongs to
 * one life of its actor; after the crash it does nothing any more.
 */

import { Channel } from './channel.ts';
import type { ChoiceSite } from './choices.ts';
import type { ActorClock } from './clock.ts';
import { all, race, type AllResult, type RaceResult } from './combine.ts';
import type { Connection, ConnectionHandler } from './connection.ts';
import { label, type Label, type Labels } from './digest.ts';
import type { Action, QueuedEvent } from './queued-event.ts';
import { InvariantViolation } from './invariant.ts';
import type { Failure, Kernel } from './kernel.ts';
import type { Life } from './life.ts';
import type { Network } from './network.ts';
import { Part } from './part.ts';
import type { Endpoint, Port } from './port.ts';
import { Pending, type Process, type Source } from './process.ts';
import { Deferred, Signal } from './signal.ts';
import { Task, type SpawnOptions, type TaskHome } from './task.ts';
import type { Micros } from './time.ts';
import type { TraceFacts } from './trace.ts';

/** Whether something came in time. */
export type InTime<T> = { readonly isLate: false; readonly value: T } | { readonly isLate: true };

const TIMER = label('timer');

export class Context {
  readonly #life: Life;
  /** Whose processes and timers are begun here: the life, or a part of it. */
  readonly #home: TaskHome;
  readonly #clock: ActorClock;
  readonly #network: Network;
  readonly #timers: Timers;
  readonly #labels: Labels;

  constructor(life: Life, clock: ActorClock, network: Network, home: TaskHome = life) {
    this.#life = life;
    this.#home = home;
    this.#clock = clock;
    this.#network = network;
    this.#timers = new Timers(home, clock);
    this.#labels = life.kernel.labels;
  }

  /** Name of the actor. */
  get name(): string {
    return this.#life.label.text;
  }

  /** From 1; a restart after a crash adds one. */
  get incarnation(): number {
    return this.#life.incarnation;
  }

  /** Whether this life goes on; false after the crash. */
  get isAlive(): boolean {
    return this.#home.standing !== 'ended';
  }

  /** The actor's monotone clock: for durations. It drifts but never jumps. */
  now(): Micros {
    return this.#clock.reading(this.#life.kernel.now);
  }

  /** The actor's wall clock in whole milliseconds since 1970: for time stamps. It can jump. */
  wallMs(): number {
    return Math.floor(this.wallMicros() / 1000);
  }

  /** The actor's wall clock in microseconds since 1970. */
  wallMicros(): number {
    return this.#network.epochMs * 1000 + this.#clock.wall(this.#life.kernel.now);
  }

  /** Waits so long by the actor's clock; 0 lets everything else that is due now happen first. */
  sleep(span: Micros): Pending<void> {
    return new Pending(this.#timers, span);
  }

  /** Waits until the actor's monotone clock (`now`) reads at least so much. */
  *sleepUntil(instant: Micros): Process<void> {
    yield* this.sleep(Math.max(0, instant - this.now()) as Micros);
  }

  /** Calls back after so long by the actor's clock, unless it is cancelled or the actor crashes before. */
  alarm(span: Micros, ring: () => void): Alarm {
    return this.alarmAt(this.dueAfter(span), ring);
  }

  /** The true instant at which so much has gone by on the actor's clock. */
  dueAfter(span: Micros): Micros {
    const { now } = this.#life.kernel;
    return (now + this.#clock.trueSpan(now, span)) as Micros;
  }

  /** Calls back at a true instant, or at once where that is past. */
  alarmAt(instant: Micros, ring: () => void): Alarm {
    return new Alarm(this.#home, instant, ring);
  }

  /** Starts a process; it begins when the present one waits. Where many are started, a label made once is cheaper. */
  spawn<T>(name: string | Label, process: Process<T>, options?: SpawnOptions): Task<T> {
    return new Task(this.#home, name, process, options).enqueue();
  }

  /** A part of the actor that can be paused and ended apart, and a context for what belongs to it. */
  part(name: string): { readonly part: Part; readonly context: Context } {
    const part = new Part(this.#life, name);
    return { part, context: new Context(this.#life, this.#clock, this.#network, part) };
  }

  /** Starts a process at once: it runs to its first wait within the present event. */
  start<T>(name: string | Label, process: Process<T>, options?: SpawnOptions): Task<T> {
    return new Task(this.#home, name, process, options).start();
  }

  /** What the callback does counts as done by a process of this name; what it throws, as that process's failure. */
  attend<T>(name: Label, work: (argument: T) => void, argument: T): void {
    const { kernel } = this.#life;
    const outer = kernel.activity;
    kernel.activity = name;
    try {
      work(argument);
    } catch (error) {
      if (error instanceof InvariantViolation) throw error;
      kernel.failed(failureOf(this.#home, name, error));
    } finally {
      kernel.activity = outer;
    }
  }

  /** The first of several processes to end; the others are cancelled. `index` says which. */
  race<const P extends readonly Process<unknown>[]>(processes: P): Pending<RaceResult<P>> {
    return race(this.#home, processes);
  }

  /** Several processes at once, until all have ended; the first failure cancels the others. */
  all<const P extends readonly Process<unknown>[]>(processes: P): Pending<AllResult<P>> {
    return all(this.#home, processes);
  }

  /** A process that may take so long by the actor's clock, and is cancelled then. */
  *within<T>(span: Micros, process: Process<T>): Process<InTime<T>> {
    const first = yield* this.race([process, this.sleep(span)]);
    return first.index === 0 ? { isLate: false, value: first.value } : { isLate: true };
  }

  /** `capacity`: values that may lie in it before `send` waits; default unlimited. */
  channel<T>(capacity?: number): Channel<T> {
    return new Channel<T>(capacity);
  }

  signal<T = void>(): Signal<T> {
    return new Signal<T>();
  }

  deferred<T>(): Deferred<T> {
    return new Deferred<T>();
  }

  /** A site of chance under the actor's name. Keep the handle where questions are frequent. */
  site(name: string): ChoiceSite {
    return this.#life.kernel.choices.site(`${this.#home.label.text}:${name}`);
  }

  /** One of several options, the first being the default. */
  choose<T>(site: string, options: readonly T[]): T {
    return this.site(site).pick(options);
  }

  /** Serves a port: one process for each connection that comes in, which is closed when the process ends. */
  listen<Request, Reply>(port: Port<Request, Reply>, handler: ConnectionHandler<Request, Reply>): void {
    this.#network.listen(this.#life, port, handler);
  }

  /** No more connections come in there; those that exist live on. */
  unlisten<Request, Reply>(port: Port<Request, Reply>): void {
    this.#life.listeners.delete(port.name);
  }

  /**
   * Connects to an endpoint: at least a round trip. Throws `ConnectionError` when refused. Waits without end when
   * the network or the other machine keeps silent: race it with a timeout.
   */
  dial<Request, Reply>(endpoint: Endpoint<Request, Reply>): Pending<Connection<Reply, Request>> {
    return this.#network.dial(this.#life, endpoint);
  }

  /**
   * Writes a record into the simulation's trace; the facts count for its digest, members named `skipped` aside: what
   * follows from the rest need not be counted too.
   */
  trace(kind: string, subject: string, facts?: TraceFacts, skipped?: string): void {
    const labels = this.#labels;
    this.#life.kernel.note(this.#home.label, labels.of(kind), labels.of(subject), facts, skipped);
  }
}

/** A callback to come. Made by `Context.alarm`. */
export class Alarm implements Action {
  readonly #kernel: Kernel;
  readonly #event: QueuedEvent;
  readonly #activity: Label;
  readonly #ring: () => void;

  constructor(home: TaskHome, instant: Micros, ring: () => void) {
    const { kernel } = home;
    this.#kernel = kernel;
    this.#activity = kernel.activity;
    this.#ring = ring;
    const dueAt = Math.max(instant, kernel.now) as Micros;
    this.#event = kernel.schedule(dueAt, TIMER, this.#activity, home, this);
  }

  cancel(): void {
    this.#kernel.cancel(this.#event);
  }

  fire(): void {
    const outer = this.#kernel.activity;
    this.#kernel.activity = this.#activity;
    try {
      this.#ring();
    } finally {
      this.#kernel.activity = outer;
    }
  }
}

const failureOf = (owner: TaskHome, name: Label, error: unknown): Failure => ({
  owner,
  label: name,
  error,
  handle: () => owner.handleFailure(error, name.text),
});

/** All waits of a home for time; a wait carries its span, then its event. */
class Timers implements Source<void>, Action {
  readonly #home: TaskHome;
  readonly #clock: ActorClock;

  constructor(home: TaskHome, clock: ActorClock) {
    this.#home = home;
    this.#clock = clock;
  }

  begin(wait: Pending<void>): void {
    const { kernel } = this.#home;
    const { now } = kernel;
    const dueAt = (now + this.#clock.trueSpan(now, wait.note as Micros)) as Micros;
    wait.note = kernel.schedule(dueAt, TIMER, kernel.activity, this.#home, this, wait);
  }

  abandon(wait: Pending<void>): void {
    this.#home.kernel.cancel(wait.note as QueuedEvent);
  }

  fire(event: QueuedEvent): void {
    (event.payload as Pending<void>).fulfil();
  }
}
