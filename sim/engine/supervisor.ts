/**
 * Whoever keeps a process of the control plane going: one that ends by itself is started again, at first soon, then
 * with pauses that double, and soon again after it has run for a while. As an agent does with a static pod.
 */
import type { Actor } from './actor.ts';
import type { Simulation } from './simulation.ts';
import { after, minutes, seconds, type Micros } from './time.ts';

/** Until the end of a process is noticed. */
const NOTICED_AFTER = seconds(1);
const FIRST_PAUSE = seconds(10);
const LONGEST_PAUSE = minutes(5);
/** Who has run for so long is started soon again. */
const CALM = minutes(10);

export class Supervisor {
  /** Hears when the process has ended by itself, and when it was started anew. */
  onChange: (() => void) | undefined;
  readonly #simulation: Simulation;
  readonly #actor: Actor;
  #startedAt = 0 as Micros;
  /** In a row. */
  #exits = 0;
  #restart: { cancel(): void } | undefined;

  constructor(simulation: Simulation, actor: Actor) {
    this.#simulation = simulation;
    this.#actor = actor;
  }

  /** The process ends by itself, at once. Called from inside it. */
  exit(): void {
    const { now } = this.#simulation;
    if (now - this.#startedAt >= CALM) this.#exits = 0;
    const pause = this.#exits === 0 ? NOTICED_AFTER : pauseAfter(this.#exits);
    this.#exits++;
    this.#actor.crash();
    this.onChange?.();
    this.#restart = this.#simulation.at(after(now, pause), `restart ${this.#actor.name}`, () => {
      this.#startedAt = this.#simulation.now;
      this.#actor.restart();
      this.onChange?.();
    });
  }

  /** A fault has ended the process, or started it: from now on it runs and rests as faults say. */
  takeOver(): void {
    this.#restart?.cancel();
    this.#restart = undefined;
    this.#startedAt = this.#simulation.now;
  }
}

const pauseAfter = (exits: number): Micros =>
  Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (exits - 1)) as Micros;
