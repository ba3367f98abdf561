/** Folds: `all`, `map`, `filter` and the like, once their macros are expanded. */
import { itemsOf, ValueList } from '../values/containers.ts';
import {
  CelError,
  type CelValue,
  isError,
  isList,
  isMapValue,
  type ListValue,
  type Result,
} from '../values/value.ts';
import type { Evaluator } from './frame.ts';

export interface FoldPlan {
  /** Where the accumulator is kept; the variable follows it. */
  readonly slot: number;
  readonly initial: Evaluator;
  readonly range: Evaluator;
  readonly condition: Evaluator;
  readonly step: Evaluator;
  readonly result: Evaluator;
}

/** A list under construction: adding does not copy, as nobody else holds it. */
class GrowingList implements ListValue {
  readonly kind = 'list';
  readonly #items: CelValue[] = [];

  get size(): number {
    return this.#items.length;
  }

  get(index: number): Result {
    return this.#items[index] ?? null;
  }

  equals(other: Result): Result {
    return this.finished().equals(other);
  }

  contains(value: CelValue): Result {
    return this.finished().contains(value);
  }

  plus(other: ListValue): Result {
    const items = itemsOf(other);
    if (items instanceof CelError) return items;
    for (const item of items) this.#items.push(item);
    return this;
  }

  finished(): ValueList {
    return new ValueList(this.#items);
  }
}

export function comprehension({ slot, initial, range, condition, step, result }: FoldPlan): Evaluator {
  return (frame) => {
    const over = range(frame);
    if (isError(over)) return over;
    if (!isList(over) && !isMapValue(over))
      return new CelError(`got '${typeof over}', expected iterable type`);
    const start = initial(frame);
    const { locals } = frame;
    locals[slot] = isList(start) && start.size === 0 ? new GrowingList() : start;
    const keys = isMapValue(over) ? over.keys() : undefined;
    const { size } = keys ? { size: keys.length } : over;
    for (let index = 0; index < size; index++) {
      locals[slot + 1] = keys ? (keys[index] ?? null) : isList(over) ? over.get(index) : null;
      const goesOn = condition(frame);
      if (goesOn === false) break;
      locals[slot] = step(frame);
    }
    const accumulated = locals[slot];
    if (accumulated instanceof GrowingList) locals[slot] = accumulated.finished();
    return result(frame);
  };
}
