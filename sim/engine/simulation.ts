/**
 * A simulation: one world of actors, their network, virtual time and chance, in one thread.
 *
 * It promises that a run is a function of its seed (or choice log), its actors and what is injected from
 * outside at which instant: equal inputs give equal traces and digests, anywhere. Nothing in it waits for real
 * time. Between two steps the world is at rest: nobody runs, and whoever drives it may look, inject, and break
 * things.
 *
 * It refuses to know Kubernetes, real time, promises and the platform. Whoever wants to let foreign code run
 * between events drives it with `driveUntil` (drive.ts).
 */

import { Actor, type ActorOptions } from './actor.ts';
import { withoutAmbient } from './ambient-trap.ts';
import { Choices, type ChoiceLog } from './choices.ts';
import { label } from './digest.ts';
import { invariant, takeViolation } from './invariant.ts';
import { Kernel } from './kernel.ts';
import type { Latency } from './link.ts';
import { Network } from './network.ts';
import type { Decision, Schedule } from './schedule-policy.ts';
import type { Task } from './task.ts';
import { microseconds, type Micros } from './time.ts';
import { Trace, type TraceOptions } from './trace.ts';

export interface SimulationOptions {
  /** Safe integer; answers every question of chance. */
  readonly seed: number;
  /** Milliseconds since 1970 at virtual time 0; default 2025-01-01T00:00:00Z. */
  readonly epochMs?: number;
  /** Where virtual time begins; before 0 lies what happened before the story. Default 0. */
  readonly startsAt?: Micros;
  /** Answers instead of the seed: a choice log of an earlier run. */
  readonly replay?: ChoiceLog;
  /** Whether `choices.log()` is kept; default true. */
  readonly isRecording?: boolean;
  /** How the order of what could happen at about the same time is found; default `first-come`. */
  readonly schedule?: Schedule;
  /** Told of each decision of a `random` schedule, in order; it changes nothing. */
  readonly onDecision?: (decision: Decision) => void;
  readonly trace?: TraceOptions;
  /** Default for all links; default 200 to 2,000 µs around 500. */
  readonly latency?: Latency;
  /** Whether ambient time and chance throw during a run; default true. */
  readonly isGuarded?: boolean;
}

/** Somebody wanted it to go no further: between two events, so that everything can be looked at. */
export class Halted extends Error {
  override readonly name = 'Halted';
}

const DEFAULT_EPOCH_MS = Date.UTC(2025, 0, 1);
const ACTOR = label('actor');
const NOTHING = label('');

export class Simulation {
  readonly choices: Choices;
  readonly trace: Trace;
  readonly network: Network;
  readonly epochMs: number;
  readonly #kernel: Kernel;
  readonly #actors = new Map<string, Actor>();
  readonly #actorListeners: ((actor: Actor) => void)[] = [];
  readonly #isGuarded: boolean;
  #isRunning = false;
  #halt: ((next: Micros) => void) | undefined;

  constructor(options: SimulationOptions) {
    const {
      seed,
      replay,
      isRecording = true,
      schedule = 'first-come',
      latency,
      isGuarded = true,
      startsAt,
    } = options;
    this.epochMs = options.epochMs ?? DEFAULT_EPOCH_MS;
    this.choices = new Choices({ seed, isRecording, ...(replay && { replay }) });
    this.trace = new Trace(options.trace);
    this.#kernel = new Kernel({
      choices: this.choices,
      trace: this.trace,
      schedule,
      onDecision: options.onDecision,
      ...(startsAt !== undefined && { startsAt }),
    });
    this.network = new Network({
      kernel: this.#kernel,
      hosts: this.#actors,
      epochMs: this.epochMs,
      ...(latency && { latency }),
    });
    this.#isGuarded = isGuarded;
  }

  get seed(): number {
    return this.choices.seed;
  }

  /** True virtual time since the simulation's epoch; actors have clocks of their own. */
  get now(): Micros {
    return this.#kernel.now;
  }

  /** Instant of the next event; undefined when nothing is left to do. */
  get nextDueAt(): Micros | undefined {
    return this.#kernel.nextDueAt;
  }

  /** Events that are still to happen, those deferred by a pause aside. */
  get pendingCount(): number {
    return this.#kernel.pendingCount;
  }

  /** All actors in the order in which they were made. */
  get actors(): readonly Actor[] {
    return [...this.#actors.values()];
  }

  /** Makes an actor; its name must be new. */
  actor(name: string, options: ActorOptions = {}): Actor {
    invariant(!this.#actors.has(name), 'actors have different names', { name });
    const actor = new Actor(name, this.#kernel, this.network, options);
    this.#actors.set(name, actor);
    for (const listener of this.#actorListeners) listener(actor);
    this.#kernel.note(actor.label, ACTOR, NOTHING);
    actor.begin();
    return actor;
  }

  /** Calls `listener` for each actor that there is, and for each that will be, before it starts. For checkers. */
  eachActor(listener: (actor: Actor) => void): void {
    this.#actorListeners.push(listener);
    for (const actor of this.#actors.values()) listener(actor);
  }

  findActor(name: string): Actor | undefined {
    return this.#actors.get(name);
  }

  /**
   * Lets something happen to the world at an instant: a fault, a check, an injection. Within the order of events
   * it counts as one. Returns how to call it off.
   */
  at(instant: Micros, what: string, action: () => void): { cancel(): void } {
    const event = this.#kernel.schedule(instant, label(what), NOTHING, undefined, { fire: action });
    return { cancel: () => this.#kernel.cancel(event) };
  }

  /**
   * Runs what was injected, then lets the next event happen that is due by `limit`; false when there was nothing
   * to do (the clock stays).
   * @throws InvariantViolation and whatever an action given to `at` throws
   */
  step(limit: Micros = Infinity as Micros): boolean {
    return this.#run(() => this.#step(limit));
  }

  /**
   * Asks from now on before each event, and before the clock is moved, whether to go no further: `next` is the instant
   * of what comes. Whoever drives gets `Halted` then.
   */
  haltWhen(isEnough: (next: Micros) => boolean): void {
    const halt = (next: Micros): void => {
      if (isEnough(next)) throw new Halted('the simulation was to stop here');
    };
    this.#halt = halt;
  }

  #step(limit: Micros): boolean {
    const next = this.#halt && this.nextDueAt;
    if (this.#halt && next !== undefined && next <= limit) this.#halt(next);
    return this.#kernel.step(limit);
  }

  /** Lets everything happen that is due by then, and moves the clock there. */
  runUntil(instant: Micros): void {
    this.#run(() => {
      if (this.#halt) {
        while (this.#step(instant));
        this.#halt(instant);
      } else this.#kernel.run(instant);
      this.#kernel.advanceTo(instant);
    });
  }

  /** Lets so much virtual time go by. */
  runFor(span: Micros): void {
    this.runUntil(microseconds(this.now + span));
  }

  /** Runs until a process has ended, and returns its value or throws its failure. */
  finish<T>(task: Task<T>, limit: Micros = Infinity as Micros): T {
    return this.#run(() => {
      while (task.state === 'active' && this.#step(limit));
      return task.result();
    });
  }

  #run<T>(work: () => T): T {
    invariant(!this.#isRunning, 'a simulation is not driven from inside');
    this.#isRunning = true;
    takeViolation();
    try {
      return this.#isGuarded ? withoutAmbient(work) : work();
    } finally {
      this.#isRunning = false;
    }
  }
}
