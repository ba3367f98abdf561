/**
 * Drives a simulation by real time, `speed` times as fast; 0: time stands still until it is moved by
 * hand. Whatever reaches the world from outside goes through `act`, so that it happens at the present
 * virtual instant and everything that follows at once has happened when `act` returns.
 */
import { performance } from 'node:perf_hooks';
import type { Simulation } from '../engine/simulation.ts';
import { type Micros, microseconds } from '../engine/time.ts';

/** Longest wait for one timer, so that the clock never lags far behind. */
const MAX_WAIT_MS = 1_000;

export class RealTimeDriver {
  readonly #simulation: Simulation;
  #speed: number;
  /** Virtual and real time that belong together. */
  #virtualStart: number;
  #realStartMs: number;
  #timer: NodeJS.Timeout | undefined;
  #timerDueAt = Infinity;
  #isActing = false;
  #isStopped = false;

  constructor(simulation: Simulation, speed: number) {
    this.#simulation = simulation;
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
      const now = this.#instant();
      const due = this.#simulation.nextDueAt;
      if (due !== undefined && due <= now) this.#simulation.runUntil(now);
      work();
      this.#simulation.runUntil(now);
    } finally {
      this.#isActing = false;
    }
    this.#planNext();
  }

  /** Virtual seconds for each real one; 0: the clock is moved by hand. */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.act(() => undefined);
    this.#virtualStart = this.#simulation.now;
    this.#realStartMs = performance.now();
    this.#speed = speed;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.act(() => undefined);
  }

  /** Moves the clock on, whatever its speed. */
  advance(span: Micros): void {
    this.#virtualStart += span;
    this.act(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #instant(): Micros {
    const passedMs = (performance.now() - this.#realStartMs) * this.#speed;
    const instant = this.#virtualStart + Math.floor(passedMs * 1_000);
    return microseconds(Math.max(instant, this.#simulation.now));
  }

  #planNext(): void {
    if (this.#speed === 0) return;
    const due = this.#simulation.nextDueAt;
    if (due === undefined || (this.#timer && this.#timerDueAt <= due)) return;
    clearTimeout(this.#timer);
    this.#timerDueAt = due;
    const waitMs = (due - this.#instant()) / 1_000 / this.#speed;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#timerDueAt = Infinity;
        this.act(() => undefined);
      },
      Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    );
  }
}
