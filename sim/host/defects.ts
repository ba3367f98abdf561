/**
 * Where exceptions end that nobody expected: each is told once and counted, and costs one client its answer at the
 * most, never the server. Every entry from outside (requests, sockets, timers) goes through `guard`.
 */
import type { MetricFamily } from '../api/exposition.ts';

export class Defects {
  readonly #tell: (error: unknown) => void;
  #count = 0;

  constructor(tell: (error: unknown) => void) {
    this.#tell = tell;
  }

  get count(): number {
    return this.#count;
  }

  readonly note = (error: unknown): void => {
    this.#count++;
    this.#tell(error);
  };

  /** Does the work; if that fails, says so and does `otherwise`, such as to close the one connection it was for. */
  guard(work: () => void, otherwise?: () => void): void {
    try {
      work();
    } catch (error) {
      this.note(error);
      if (otherwise) this.guard(otherwise);
    }
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'kubesim_defects_total',
        help: 'Exceptions in the simulator that nobody expected.',
        type: 'counter',
        samples: [{ labels: {}, value: this.#count }],
      },
    ];
  }
}
