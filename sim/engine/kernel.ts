/**
 * The loop: takes events in their total order, moves the clock to them, lets them happen, then runs the
 * processes they woke. It exists once; whoever drives it (synchronously, or with the world's leave after
 * each event) calls `step`. Knows owners and actions, not actors and networks.
 */

import type { Choices } from './choices.ts';
import { label, Labels, type Label } from './digest.ts';
import { EnabledEvents } from './enabled-events.ts';
import { EventQueue } from './event-queue.ts';
import { QueuedEvent, type Action, type Owner } from './queued-event.ts';
import { Fifo } from './fifo.ts';
import { invariant, takeViolation, violation, InvariantViolation } from './invariant.ts';
import { type Decision, policyOf, windowOf, type Schedule, type SchedulePolicy } from './schedule-policy.ts';
import type { Micros } from './time.ts';
import { formatRecord, type Trace, type TraceFacts } from './trace.ts';

/** A process that can go on; runs after the event that woke it. */
export interface Runnable {
  readonly owner: Owner;
  readonly label: Label;
  run(): void;
}

/** A failed process: a bug unless somebody waits for it or handles it by the end of the event. */
export interface Failure {
  /** False when nobody cares. */
  handle(): boolean;
  readonly error: unknown;
  readonly label: Label;
  readonly owner: Owner;
}

export interface KernelOptions {
  readonly choices: Choices;
  readonly trace: Trace;
  readonly schedule: Schedule;
  /** Told of each decision of a `random` schedule. */
  readonly onDecision?: ((decision: Decision) => void) | undefined;
  /** Where the clock begins; default 0. */
  readonly startsAt?: Micros;
}

/** A label depends on its text alone, and the same texts come in every simulation of a process. */
const LABELS = new Labels();
const RESUMED = label('resumed');
const OUTSIDE = label('');
const RECORDS_SHOWN = 20;
/** So many events at one instant are an endless exchange without latency. */
const STANDSTILL = 10_000_000;

export class Kernel {
  readonly choices: Choices;
  readonly trace: Trace;
  readonly labels = LABELS;
  /** Undefined: first come, first served. */
  readonly #policy: SchedulePolicy | undefined;
  readonly #enabled: EnabledEvents | undefined;
  readonly #queue: EventQueue;
  /** Due now and before everything in the queue: what was held back and let go. */
  readonly #released = new Fifo<QueuedEvent>();
  readonly #ready = new Fifo<Runnable>();
  #failures: Failure[] = [];
  #now: Micros;
  /** Events at the present instant so far. */
  #standstill = 0;
  #lastId = 0;
  #current: QueuedEvent | undefined;
  /** The process that runs now: events that it schedules carry its name. */
  activity: Label = OUTSIDE;

  constructor({ choices, trace, schedule, onDecision, startsAt = 0 as Micros }: KernelOptions) {
    this.choices = choices;
    this.trace = trace;
    this.#now = startsAt;
    this.#queue = new EventQueue(startsAt);
    this.#policy = policyOf(schedule, choices, onDecision);
    this.#enabled = this.#policy && new EnabledEvents(this.#queue, this.#policy, windowOf(schedule));
  }

  get now(): Micros {
    return this.#now;
  }

  /** Events that are still to happen, deferred ones aside. */
  get pendingCount(): number {
    return this.#queue.size + this.#released.size + (this.#enabled?.size ?? 0);
  }

  /** Instant of the next event (now, when a process can go on); undefined when nothing is left to do. */
  get nextDueAt(): Micros | undefined {
    if (this.#ready.size > 0 || this.#released.size > 0) return this.#now;
    const dueAt = (this.#enabled ?? this.#queue).nextDueAt;
    // Who had to let others go first is late already.
    return dueAt === Infinity ? undefined : (Math.max(dueAt, this.#now) as Micros);
  }

  /** Lets `action` happen at `dueAt` (not in the past). */
  schedule(
    dueAt: Micros,
    kind: Label,
    subject: Label,
    owner: Owner | undefined,
    action: Action,
    payload?: unknown,
  ): QueuedEvent {
    // Not `invariant`: its facts would be made for every event.
    if (dueAt < this.#now) throw violation('events lie in the future', { dueAt, now: this.#now });
    const current = this.#current;
    const cause = current === undefined ? 0 : current.id;
    const event = new QueuedEvent(++this.#lastId, cause, kind, subject, owner, action, payload);
    this.#queue.push(dueAt, event);
    return event;
  }

  cancel(event: QueuedEvent): void {
    this.#queue.cancel(event);
  }

  /** Lets a deferred or parked event happen now, before everything that is queued and after earlier releases. */
  release(event: QueuedEvent): void {
    this.#released.push(event);
  }

  /** Takes released events back that have not happened yet, in their order. */
  recall(isWanted: (event: QueuedEvent) => boolean): QueuedEvent[] {
    const recalled: QueuedEvent[] = [];
    for (const event of this.#released.drain()) {
      if (isWanted(event)) recalled.push(event);
      else this.#released.push(event);
    }
    return recalled;
  }

  /** Lets a process go on, after those that are ready already. */
  ready(runnable: Runnable): void {
    this.#ready.push(runnable);
  }

  failed(failure: Failure): void {
    this.#failures.push(failure);
  }

  /** Writes a record that belongs to the present event. */
  note(actor: Label, kind: Label, subject: Label, facts?: TraceFacts, skipped?: string): void {
    this.trace.note(this.#now, { label: actor, kind, subject }, this.#current, facts, skipped);
  }

  /**
   * Runs what is ready, then lets the next event due at or before `limit` happen, with all that follows at once.
   * False when there was nothing to do. @throws InvariantViolation
   */
  step(limit: number): boolean {
    try {
      const isAnyReady = this.#ready.size > 0;
      if (isAnyReady) this.#settle();
      const event = this.#next(limit);
      if (event) this.#happen(event);
      return isAnyReady || event !== undefined;
    } catch (error) {
      throw this.#described(error);
    } finally {
      this.#current = undefined;
    }
  }

  /** As `step` again and again until nothing is left to do. @throws InvariantViolation */
  run(limit: number): void {
    try {
      if (this.#ready.size > 0) this.#settle();
      for (let event = this.#next(limit); event; event = this.#next(limit)) {
        this.#happen(event);
        this.#current = undefined;
      }
    } catch (error) {
      throw this.#described(error);
    } finally {
      this.#current = undefined;
    }
  }

  /** Moves the clock when nothing is due before. */
  advanceTo(instant: Micros): void {
    if (instant <= this.#now) return;
    const next = this.nextDueAt;
    invariant(next === undefined || next > instant, 'the clock does not jump over events', { next, instant });
    this.#now = instant;
  }

  #next(limit: number): QueuedEvent | undefined {
    return this.#released.size > 0 ? this.#released.shift() : this.#due(limit);
  }

  #due(limit: number): QueuedEvent | undefined {
    if (this.#enabled) return this.#chosen(this.#enabled, limit);
    // One question: an instant that is handed about takes room of its own.
    const event = this.#queue.popUntil(limit);
    if (event) this.#moveTo(this.#queue.takenAt);
    return event;
  }

  #chosen(enabled: EnabledEvents, limit: number): QueuedEvent | undefined {
    const next = enabled.nextDueAt;
    if (next > limit || next === Infinity) return undefined;
    const event = enabled.take(limit);
    this.#moveTo(Math.max(enabled.takenAt, this.#now));
    return event;
  }

  #moveTo(instant: number): void {
    if (instant < this.#now) throw violation('time does not run backwards', { instant, now: this.#now });
    if (instant > this.#now) this.#standstill = 0;
    if (++this.#standstill >= STANDSTILL) throw violation('virtual time goes on', { now: this.#now });
    this.#now = instant as Micros;
  }

  #happen(event: QueuedEvent): void {
    if (event.isCancelled) return;
    const { owner } = event;
    if (owner !== undefined && owner.standing !== 'running') {
      if (owner.standing === 'paused') owner.defer(event);
      return;
    }
    this.#current = event;
    this.trace.event(this.#now, event);
    event.action.fire(event);
    if (this.#ready.size > 0 || this.#failures.length > 0) this.#settle();
    else this.#rethrow();
  }

  #settle(): void {
    for (let runnable = this.#nextReady(); runnable; runnable = this.#nextReady()) {
      const { standing } = runnable.owner;
      if (standing === 'running') runnable.run();
      else if (standing === 'paused') this.#deferRunnable(runnable);
    }
    if (this.#failures.length > 0) this.#judgeFailures();
    this.#rethrow();
  }

  /** A violation that somebody caught still ends the run. */
  #rethrow(): void {
    const swallowed = takeViolation();
    if (swallowed) throw swallowed;
  }

  #nextReady(): Runnable | undefined {
    const ready = this.#ready;
    if (this.#policy === undefined || ready.size < 2) return ready.shift();
    return ready.take(this.#policy.nextProcess(ready.from(0)));
  }

  #deferRunnable(runnable: Runnable): void {
    const action = { fire: (): void => runnable.run() };
    const cause = this.#current?.id ?? 0;
    const event = new QueuedEvent(++this.#lastId, cause, RESUMED, runnable.label, runnable.owner, action);
    runnable.owner.defer(event);
  }

  #judgeFailures(): void {
    const failures = this.#failures;
    this.#failures = [];
    for (const failure of failures) {
      if (failure.handle()) continue;
      const who = { actor: failure.owner.label.text, process: failure.label.text };
      throw violation(`a process failed and nobody noticed: ${errorText(failure.error)}`, who, {
        cause: failure.error,
      });
    }
  }

  #described(error: unknown): unknown {
    takeViolation();
    if (!(error instanceof InvariantViolation)) return error;
    const records = this.trace.records(RECORDS_SHOWN);
    const { seed } = this.choices;
    const lines = records.map((record) => `  ${formatRecord(record)}`);
    error.describe(
      { seed, at: this.#now, records },
      [`seed ${seed}, virtual time ${this.#now} µs, last records:`, ...lines].join('\n'),
    );
    return error;
  }
}

const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
