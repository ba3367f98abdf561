/** Chance for attackers, in the forms that they ask in. */
import { drawing } from '../../host/data-directory/drawing.ts';

export class Random {
  /** A whole number from 0 on, below the limit. */
  readonly below: (limit: number) => number;

  constructor(seed: number) {
    this.below = drawing(seed);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** `items` is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}
