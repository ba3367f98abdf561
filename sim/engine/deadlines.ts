/**
 * The deadlines of many waits of one actor behind one event: it rings at the earliest of them, and only then is
 * looked at who still waits. Most never come to their deadline, and cost nothing but a comparison. Where
 * nobody waits any more and nobody is likely to soon, it does not ring at all.
 */

import type { Alarm, Context } from './context.ts';
import { seconds, type Micros } from './time.ts';

export interface Mortal {
  /** By true time. */
  readonly deadline: number;
  lapse(): void;
}

const SOON = seconds(1);

export class Deadlines {
  readonly #context: Context;
  /** Those who still wait. */
  readonly #waiting: () => Iterable<Mortal>;
  #alarm: Alarm | undefined;
  #armedFor = Infinity;
  /** When it was cancelled as nobody waited any more. */
  #restingSince = -Infinity;
  /** Somebody waited again soon after that: to cancel again and again would cost more than to ring for nobody. */
  #isBusy = false;

  constructor(context: Context, waiting: () => Iterable<Mortal>) {
    this.#context = context;
    this.#waiting = waiting;
  }

  /** Somebody waits until then. */
  add(deadline: number): void {
    if (deadline >= this.#armedFor) return;
    if (this.#armedFor === Infinity) this.#isBusy = this.#context.now() - this.#restingSince < SOON;
    else this.#alarm?.cancel();
    this.#arm(deadline);
  }

  /** Nobody waits at present. */
  rest(): void {
    if (this.#isBusy || this.#armedFor === Infinity) return;
    this.#alarm?.cancel();
    this.#armedFor = Infinity;
    this.#restingSince = this.#context.now();
  }

  /** Nobody waits any more. */
  close(): void {
    this.#alarm?.cancel();
    this.#armedFor = Infinity;
  }

  #arm(deadline: number): void {
    this.#armedFor = deadline;
    this.#alarm = this.#context.alarmAt(deadline as Micros, this.#ring);
  }

  readonly #ring = (): void => {
    const due = this.#armedFor;
    this.#armedFor = Infinity;
    let next = Infinity;
    for (const each of [...this.#waiting()]) {
      if (each.deadline <= due) each.lapse();
      else if (each.deadline < next) next = each.deadline;
    }
    if (next !== Infinity) this.add(next);
  };
}
