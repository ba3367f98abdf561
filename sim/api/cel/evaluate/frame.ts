/** What an evaluation has at hand: the variables, the loops it is in, and what it has cost so far. */
import { CostExceeded } from '../values/effort.ts';
import type { Result } from '../values/value.ts';

/** Value of a variable; undefined: nobody has set it. */
export type Activation = (name: string) => Result | undefined;

export type Evaluator = (frame: Frame) => Result;

export class Frame {
  readonly resolve: Activation;
  /** Variables of the comprehensions around. */
  readonly locals: Result[] = [];
  cost = 0;
  readonly #limit: number;

  constructor(resolve: Activation, limit: number) {
    this.resolve = resolve;
    this.#limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}
