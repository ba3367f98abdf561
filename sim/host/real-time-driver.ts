/**
 * Drives a simulation by real time, `speed` times as fast; 0: time stands still until it is moved by
 * hand; `auto`: as fast as real time while anybody outside says or hears something, and in jumps from one event to the next
 * once all have been still for a moment. Whatever reaches the world from outside goes through `act`, so that it happens at the present
 * virtual instant and everything that follows at once has happened when `act` returns.
 *
 * A world that cannot keep up falls behind rather than hold everybody up: virtual time is then as fast as it can be.
 * A failure of the world's own is told, and the world goes on; one of `work` is its caller's.
 */
import { performance } from 'node:perf_hooks';
import type { Simulation } from '../engine/simulation.ts';
import { type Micros, microseconds } from '../engine/time.ts';

/** Virtual seconds in a real one at the most. */
export const MAX_SPEED = 1_000_000;

/** See `RealTimeDriver`. */
export type Speed = number | 'auto';

/** Whoever has said and heard nothing for so long, waits for something to happen. */
const STILL_MS = 25;
/** Jumps of all worlds of a process take so much of the real time at the most: a fifth. */
const JUMP_SHARE = 1 / 5;
/** Drivers that jump at present. */
const jumping = new Set<RealTimeDriver>();
/** Longest wait for one timer, so that the clock never lags far behind. */
const MAX_WAIT_MS = 1_000;
/** So long the world may catch up before others have their turn. */
const MAX_TURN_MS = 50;
/** A journey that takes no longer is made at once, so that what others do while it is made does not fall amid it. */
const JOURNEY_TURN_MS = 200;
/** Steps between two looks at the real clock. */
const STEPS_AT_ONCE = 64;
const MAX_FAILURES_AT_ONCE = 100;
/** Virtual time stays a safe integer of microseconds: 250 years. */
const END_OF_TIME = microseconds(250 * 365 * 86_400 * 1_000_000);

/** Somebody waits for an instant to come. */
interface Journey {
  readonly goal: number;
  readonly arrived: () => void;
}

export interface DriverOptions {
  readonly speed: Speed;
  /** Hears of what fails in the world by itself. */
  readonly onDefect: (error: unknown) => void;
}

export class RealTimeDriver {
  readonly #simulation: Simulation;
  readonly #onDefect: (error: unknown) => void;
  #speed: Speed;
  /** When somebody outside said or heard something last, and until when jumps rest. */
  #stirredMs = -Infinity;
  #restsUntilMs = -Infinity;
  /** Virtual and real time that belong together. */
  #virtualStart: number;
  #realStartMs: number;
  #timer: NodeJS.Timeout | undefined;
  #timerDueAt = Infinity;
  #isActing = false;
  #isStopped = false;
  /** By their goals: each begins where the one before ends. */
  #journeys: readonly Journey[] = [];

  constructor(simulation: Simulation, { speed, onDefect }: DriverOptions) {
    this.#simulation = simulation;
    this.#onDefect = onDefect;
    this.#speed = speed;
    this.#virtualStart = simulation.now;
    this.#realStartMs = performance.now();
  }

  /** Does something to the world now. */
  act(work: () => void): void {
    if (this.#isStopped) return;
    if (this.#isActing) {
      work();
      return;
    }
    this.#isActing = true;
    try {
      const now = this.#caughtUp();
      try {
        work();
      } finally {
        this.#runUntil(now);
      }
    } finally {
      this.#isActing = false;
      this.#planNext();
    }
  }

  /** Somebody outside says or hears something now. */
  stir(): void {
    if (this.#speed === 'auto') this.#stirredMs = performance.now();
  }

  get speed(): Speed {
    return this.#speed;
  }

  set speed(speed: Speed) {
    this.act(() => undefined);
    this.#startFrom(this.#simulation.now);
    this.#speed = speed;
    jumping.delete(this);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerDueAt = Infinity;
    this.act(() => undefined);
  }

  /**
   * Moves the clock on as `advance`, but in turns, between which others are served, and calls back at the end of it all, or
   * of the world. Journeys are made one behind the other. The function that comes back gives this one up where it has come to.
   */
  travel(span: Micros, arrived: () => void): () => void {
    this.act(() => undefined);
    const from = this.#journeys.at(-1)?.goal ?? this.#simulation.now;
    const journey: Journey = { goal: Math.min(from + span, END_OF_TIME), arrived };
    const isFirst = this.#journeys.length === 0;
    this.#journeys = [...this.#journeys, journey];
    if (isFirst) this.#goOn();
    return () => {
      this.#journeys = this.#journeys.filter((other) => other !== journey);
    };
  }

  /** Moves the clock on, whatever its speed. Everything that is due has happened then. */
  advance(span: Micros): void {
    this.act(() => undefined);
    this.#startFrom(this.#simulation.now + span);
    this.#runUntil(this.#instant());
    this.act(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
    jumping.delete(this);
    clearTimeout(this.#timer);
    this.#arriveUntil(Infinity);
  }

  /** Virtual seconds for each real one. */
  get #pace(): number {
    return this.#speed === 'auto' ? 1 : this.#speed;
  }

  #startFrom(virtual: number): void {
    this.#virtualStart = virtual;
    this.#realStartMs = performance.now();
  }

  #instant(): Micros {
    const passedMs = (performance.now() - this.#realStartMs) * this.#pace;
    const instant = Math.min(this.#virtualStart + Math.floor(passedMs * 1_000), END_OF_TIME);
    return microseconds(Math.max(instant, this.#simulation.now));
  }

  /** The present instant, with all that is due until then done, or as much of it as a turn has time for. */
  #caughtUp(): Micros {
    const now = this.#instant();
    const due = this.#simulation.nextDueAt;
    if (due === undefined || due > now) return now;
    const deadline = performance.now() + MAX_TURN_MS;
    for (let steps = 1; this.#step(now); steps++) {
      if (steps % STEPS_AT_ONCE !== 0 || performance.now() < deadline) continue;
      this.#startFrom(this.#simulation.now);
      return this.#simulation.now;
    }
    this.#runUntil(now);
    return now;
  }

  /** A turn of the journeys that are being made. */
  #goOn(): void {
    const [journey] = this.#journeys;
    if (!journey || this.#isStopped) return;
    const goal = microseconds(Math.max(journey.goal, this.#simulation.now));
    const deadline = performance.now() + JOURNEY_TURN_MS;
    this.#isActing = true;
    let steps = 1;
    while (this.#step(goal) && (steps++ % STEPS_AT_ONCE !== 0 || performance.now() < deadline));
    const due = this.#simulation.nextDueAt;
    if (due === undefined || due > goal) this.#runUntil(goal);
    this.#isActing = false;
    this.#startFrom(this.#simulation.now);
    this.#arriveUntil(this.#simulation.now);
    if (this.#journeys.length > 0) setImmediate(() => this.#goOn());
    else this.act(() => undefined);
  }

  #arriveUntil(instant: number): void {
    const ended = this.#journeys.filter(({ goal }) => goal <= instant);
    this.#journeys = this.#journeys.filter(({ goal }) => goal > instant);
    for (const { arrived } of ended) arrived();
  }

  #step(limit: Micros): boolean {
    try {
      return this.#simulation.step(limit);
    } catch (error) {
      this.#onDefect(error);
      return true;
    }
  }

  /** An event that fails has happened all the same, so that trying again is going on; but not for ever. */
  #runUntil(instant: Micros): void {
    for (let failures = 0; failures < MAX_FAILURES_AT_ONCE; failures++) {
      try {
        this.#simulation.runUntil(instant);
        return;
      } catch (error) {
        this.#onDefect(error);
      }
    }
  }

  #planNext(): void {
    if (this.#speed === 0 || this.#isStopped) return;
    const due = this.#simulation.nextDueAt;
    if (due === undefined || (this.#timer && this.#timerDueAt <= due)) return;
    clearTimeout(this.#timer);
    this.#timerDueAt = due;
    const dueMs = (due - this.#instant()) / 1_000 / this.#pace;
    const waitMs = this.#speed === 'auto' ? Math.min(dueMs, this.#jumpableInMs()) : dueMs;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#timerDueAt = Infinity;
        if (this.#speed === 'auto' && this.#jumpableInMs() <= 0) this.#jump();
        this.act(() => undefined);
      },
      Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    );
  }

  #jumpableInMs(): number {
    return Math.max(this.#stirredMs + STILL_MS, this.#restsUntilMs) - performance.now();
  }

  /** From one event to the next, until somebody outside hears of something, or the turn is over. */
  #jump(): void {
    const started = performance.now();
    const isOver = (): boolean => this.#stirredMs >= started || performance.now() - started > MAX_TURN_MS;
    this.#isActing = true;
    for (let due = this.#simulation.nextDueAt; due !== undefined && due < END_OF_TIME && !isOver();) {
      this.#runUntil(due);
      this.#startFrom(this.#simulation.now);
      due = this.#simulation.nextDueAt;
    }
    this.#isActing = false;
    const ended = performance.now();
    if (!this.#isStopped) jumping.add(this);
    this.#restsUntilMs = ended + (ended - started) * (jumping.size / JUMP_SHARE - 1);
  }
}
