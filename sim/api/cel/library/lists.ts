/** Lists of Kubernetes: `isSorted`, `sum`, `min`, `max`, `indexOf`; and the sets of the CEL extension. */
import { type FunctionDeclaration, type Library, method, overload } from '../types/declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from '../types/type.ts';
import { add } from '../values/arithmetic.ts';
import { itemsOf } from '../values/containers.ts';
import { compare, equals, isComparable } from '../values/equality.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isError,
  isList,
  type ListValue,
  NO_OVERLOAD,
  type Result,
  Uint,
} from '../values/value.ts';

const A = parameter('A');

const SUMMABLE: readonly (readonly [string, CelType, CelValue])[] = [
  ['int', INT, 0],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, new Double(0)],
  ['duration', DURATION, new Duration(0n)],
];

const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];

const withItems =
  (call: (items: readonly CelValue[]) => Result) =>
  (list: CelValue = null): Result => {
    if (!isList(list)) return NO_OVERLOAD;
    const items = itemsOf(list);
    return items instanceof CelError ? items : call(items);
  };

function isSorted(items: readonly CelValue[]): Result {
  for (const [index, item] of items.entries()) {
    if (!isComparable(item)) return NO_OVERLOAD;
    const before = items[index - 1];
    if (index === 0 || before === undefined) continue;
    const order = compare(before, item);
    if (typeof order === 'number' && order > 0) return false;
  }
  return true;
}

function sumFrom(zero: CelValue, items: readonly CelValue[]): Result {
  let sum: Result = zero;
  for (const item of items) {
    sum = add(sum, item);
    if (isError(sum)) return sum;
  }
  return sum;
}

function extreme(name: 'min' | 'max', items: readonly CelValue[]): Result {
  let best: CelValue | undefined;
  for (const item of items) {
    if (!isComparable(item)) return NO_OVERLOAD;
    const order = best === undefined ? 0 : compare(best, item);
    if (best === undefined || (typeof order === 'number' && (name === 'min' ? order > 0 : order < 0)))
      best = item;
  }
  return best === undefined ? new CelError(`${name} called on empty list`) : best;
}

const found =
  (isLast: boolean) =>
  (list: CelValue = null, item: CelValue = null): Result => {
    if (!isList(list)) return NO_OVERLOAD;
    const items = itemsOf(list);
    if (items instanceof CelError) return items;
    const isIt = (candidate: CelValue): boolean => equals(candidate, item) === true;
    return isLast ? items.findLastIndex(isIt) : items.findIndex(isIt);
  };

const templated = (
  name: string,
  result: (type: CelType) => CelType,
  id: (word: string) => string,
  call: (items: readonly CelValue[]) => Result,
): FunctionDeclaration => ({
  name,
  overloads: COMPARABLE.map(([word, type]) =>
    method(id(word), [listOf(type)], result(type), withItems(call)),
  ),
});

export const LISTS: Library = {
  functions: [
    templated(
      'isSorted',
      () => BOOL,
      (word) => `list_${word}_is_sorted_bool`,
      isSorted,
    ),
    {
      name: 'sum',
      overloads: SUMMABLE.map(([word, type, zero]) =>
        method(
          `list_${word}_sum_${word}`,
          [listOf(type)],
          type,
          withItems((items) => sumFrom(zero, items)),
        ),
      ),
    },
    templated(
      'max',
      (type) => type,
      (word) => `list_${word}_max_${word}`,
      (items) => extreme('max', items),
    ),
    templated(
      'min',
      (type) => type,
      (word) => `list_${word}_min_${word}`,
      (items) => extreme('min', items),
    ),
    { name: 'indexOf', overloads: [method('list_a_index_of_int', [listOf(A), A], INT, found(false))] },
    {
      name: 'lastIndexOf',
      overloads: [method('list_a_last_index_of_int', [listOf(A), A], INT, found(true))],
    },
  ],
};

function containsAll(list: ListValue, part: ListValue): Result {
  const items = itemsOf(part);
  if (items instanceof CelError) return items;
  for (const item of items) {
    const is = list.contains(item);
    if (is !== true) return is;
  }
  return true;
}

function intersects(a: ListValue, b: ListValue): Result {
  const items = itemsOf(a);
  return items instanceof CelError ? items : items.some((item) => b.contains(item) === true);
}

function equivalent(a: ListValue, b: ListValue): Result {
  const is = containsAll(a, b);
  return is === true ? containsAll(b, a) : is;
}

const ofLists =
  (call: (a: ListValue, b: ListValue) => Result) =>
  (a: CelValue = null, b: CelValue = null): Result =>
    isList(a) && isList(b) ? call(a, b) : NO_OVERLOAD;

const BOTH = [listOf(A), listOf(A)];

export const SETS: Library = {
  functions: [
    {
      name: 'sets.contains',
      overloads: [overload('list_sets_contains_list', BOTH, BOOL, ofLists(containsAll))],
    },
    {
      name: 'sets.equivalent',
      overloads: [overload('list_sets_equivalent_list', BOTH, BOOL, ofLists(equivalent))],
    },
    {
      name: 'sets.intersects',
      overloads: [overload('list_sets_intersects_list', BOTH, BOOL, ofLists(intersects))],
    },
  ],
};
