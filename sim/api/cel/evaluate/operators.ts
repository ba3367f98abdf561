/** Operators that look at their operands themselves: they absorb errors, or need not evaluate all. */
import { mapKeyOf, sameNumbers, ValueList, ValueMap } from '../values/containers.ts';
import { equals } from '../values/equality.ts';
import { shown } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  Double,
  Uint,
  isError,
  isList,
  NO_OVERLOAD,
  Optional,
  type Result,
} from '../values/value.ts';
import { equalityCost } from '../cost/call-cost.ts';
import type { Evaluator } from './frame.ts';

/** `&&` and `||`: one decisive term outweighs errors in others. */
export function junction(terms: readonly Evaluator[], decisive: boolean): Evaluator {
  const [first, second] = terms;
  if (terms.length === 2 && first && second) {
    return (frame) => {
      const left = first(frame);
      if (left === decisive) return decisive;
      const right = second(frame);
      if (right === decisive) return decisive;
      return left === !decisive && right === !decisive ? right : firstProblem(left, right);
    };
  }
  return (frame) => {
    let problem: CelError | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive) problem ??= isError(value) ? value : NO_OVERLOAD;
    }
    return problem ?? !decisive;
  };
}

const firstProblem = (left: Result, right: Result): CelError => {
  const value = typeof left === 'boolean' ? right : left;
  return isError(value) ? value : NO_OVERLOAD;
};

export function equality(left: Evaluator, right: Evaluator, isNegated: boolean): Evaluator {
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    frame.charge(equalityCost(a, b));
    if (isError(a)) return a;
    if (isError(b)) return b;
    const is = equals(a, b);
    return isNegated ? is !== true : is;
  };
}

/** `x in [constants]`: a look into a set, free of charge. Undefined: it is no such list; false: nothing is in it. */
export function listMembership(element: Evaluator, list: CelValue): Evaluator | false | undefined {
  if (!isList(list) || !(list instanceof ValueList)) return undefined;
  if (list.size === 0) return false;
  const keys = new Set<string | object>();
  for (const item of list.items) {
    if (!isPrimitive(item)) return undefined;
    for (const same of [item, ...sameNumbers(item), ...asDouble(item)]) keys.add(mapKeyOf(same));
  }
  return (frame) => {
    const value = element(frame);
    if (isError(value)) return value;
    return keys.has(mapKeyOf(value));
  };
}

const isPrimitive = (value: CelValue): boolean =>
  value !== null && (typeof value !== 'object' || value instanceof Double || value instanceof Uint);

const asDouble = (value: CelValue): readonly CelValue[] =>
  value instanceof Uint
    ? [new Double(Number(value.value))]
    : typeof value === 'number' || typeof value === 'bigint'
      ? [new Double(Number(value))]
      : [];

const LIST_COST = 10;
const MESSAGE_COST = 40;
const MAP_COST = 30;

export function listBuilder(elements: readonly Evaluator[], optional: ReadonlySet<number>): Evaluator {
  return (frame) => {
    const items: CelValue[] = [];
    let problem: CelError | undefined;
    for (const [index, element] of elements.entries()) {
      const value = element(frame);
      if (isError(value)) {
        problem = value;
        break;
      }
      if (!optional.has(index)) items.push(value);
      else if (!(value instanceof Optional)) {
        problem = new CelError(
          `cannot initialize optional list element from non-optional value ${shown(value)}`,
        );
        break;
      } else if (value.value !== undefined) items.push(value.value);
    }
    frame.charge(LIST_COST);
    return problem ?? new ValueList(items);
  };
}

export interface FieldPlan {
  readonly name: string;
  readonly value: Evaluator;
  readonly isOptional: boolean;
}

export function messageBuilder(
  fields: readonly FieldPlan[],
  make: (given: ReadonlyMap<string, CelValue>) => Result,
): Evaluator {
  return (frame) => {
    const given = new Map<string, CelValue>();
    let problem: CelError | undefined;
    for (const { name, value: evaluate, isOptional } of fields) {
      const value = evaluate(frame);
      if (isError(value)) {
        problem = value;
        break;
      }
      if (!isOptional) given.set(name, value);
      else if (value instanceof Optional && value.value !== undefined) given.set(name, value.value);
    }
    frame.charge(MESSAGE_COST);
    return problem ?? make(given);
  };
}

export interface EntryPlan {
  readonly key: Evaluator;
  readonly value: Evaluator;
  readonly isOptional: boolean;
}

export function mapBuilder(entries: readonly EntryPlan[]): Evaluator {
  return (frame) => {
    const made: (readonly [CelValue, CelValue])[] = [];
    for (const { key: keyOf, value: valueOf, isOptional } of entries) {
      const key = keyOf(frame);
      if (isError(key)) return key;
      const value = valueOf(frame);
      if (isError(value)) return value;
      if (!isOptional) made.push([key, value]);
      else if (!(value instanceof Optional))
        return new CelError(
          `cannot initialize optional entry '${shown(key)}' from non-optional value ${shown(value)}`,
        );
      else if (value.value !== undefined) made.push([key, value.value]);
    }
    frame.charge(MAP_COST);
    return new ValueMap(made);
  };
}
