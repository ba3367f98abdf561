/** What a call costs while it runs: one, or what it had to read. The figures are those of cel-go and Kubernetes. */
import { FormatValue } from '../library/formats.ts';
import { itemsOf } from '../values/containers.ts';
import { characterCount } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  isError,
  isList,
  isMapValue,
  type MapValue,
  type Result,
} from '../values/value.ts';
import { goLength } from '../../go-text.ts';

/** A fixed cost, or one by arguments and result. */
export type CallCost = number | ((args: readonly Result[], result: Result) => number);

/** Reading a character; a character of a pattern. */
const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
const CHECK_COST = 350_000;

export function sizeForCost(value: Result | undefined): number {
  if (typeof value === 'string') return characterCount(value);
  if (value === undefined || value === null || typeof value !== 'object' || isError(value)) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMapValue(value)) return value.size;
  return value.kind === 'opaque' ? (value.size ?? 1) : 1;
}

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * PER_CHARACTER);

export const equalityCost = (a: Result, b: Result): number =>
  typeof a === 'number' || typeof a === 'boolean' || a === null
    ? traversal(Math.min(1, sizeForCost(b)))
    : traversal(Math.min(sizeForCost(a), sizeForCost(b)));

/**
 * The real server counts the format alone: an expression that shows a large object for each of its members would keep it
 * busy for minutes. What is longer than anybody reads is counted here, too.
 */
const ofFormat: CallCost = ([first], result) => {
  const length = typeof result === 'string' ? result.length : 0;
  return traversal(sizeForCost(first)) + (length > LONG_TEXT ? traversal(length) : 0);
};
const LONG_TEXT = 10_000;

const ofFirst =
  (factor = 1): CallCost =>
  ([first]) =>
    traversal(sizeForCost(first), factor);

const ofPattern: CallCost = ([text, pattern]) =>
  traversal(1 + sizeForCost(text)) * Math.ceil(sizeForCost(pattern) * PER_PATTERN_CHARACTER);

const ofSelector: CallCost = ([, selector]) => {
  const size = sizeForCost(selector);
  return 10 + traversal(size) + Math.ceil(Math.ceil(size * 0.5) * 50);
};

const ofNamedFormat: CallCost = ([format, text]) =>
  format instanceof FormatValue
    ? traversal(1 + sizeForCost(text)) * Math.ceil(format.patternLength * PER_PATTERN_CHARACTER)
    : 1;

const ofElements: CallCost = ([list]) => deepCost(list ?? null);

/** All that is in a value, rounded down piece by piece. */
function deepCost(value: Result): number {
  if (typeof value === 'string') return Math.trunc(goLength(value) * PER_CHARACTER);
  if (value instanceof Uint8Array) return Math.trunc(value.length * PER_CHARACTER);
  if (isList(value)) {
    const items = itemsOf(value);
    return items instanceof CelError ? 1 : items.reduce<number>((sum, item) => sum + deepCost(item), 0);
  }
  return isMapValue(value) ? deepMapCost(value) : 1;
}

const deepMapCost = (map: MapValue): number =>
  map.keys().reduce<number>((sum, key: CelValue) => sum + deepCost(key) + deepCost(map.find(key) ?? null), 0);

/** The range, and for the other as a text its characters. */
const ofContained =
  (isRange: boolean, isText: boolean): CallCost =>
  ([range, other]) =>
    traversal(sizeForCost(range) * 2) +
    (isRange ? traversal(sizeForCost(range)) + 1 : 0) +
    (isText ? traversal(sizeForCost(other)) : 0);

const ofSets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.trunc(sizeForCost(a) * sizeForCost(b) * factor);

/** By the name of the function, whatever the overload. */
const BY_NAME: Readonly<Record<string, CallCost>> = {
  check: CHECK_COST,
  fieldSelector: ofSelector,
  labelSelector: ofSelector,
  isSorted: ofElements,
  sum: ofElements,
  max: ofElements,
  min: ofElements,
  indexOf: ofElements,
  lastIndexOf: ofElements,
  url: ofFirst(),
  lowerAscii: ofFirst(),
  upperAscii: ofFirst(),
  substring: ofFirst(),
  trim: ofFirst(),
  replace: ofFirst(2),
  split: ofFirst(2),
  join: (_args, result) => traversal(sizeForCost(result), 2),
  find: ofPattern,
  findAll: ofPattern,
  cidr: ofFirst(),
  isIP: ofFirst(),
  isCIDR: ofFirst(),
  'ip.isCanonical': ofFirst(2),
  quantity: ofFirst(),
  isQuantity: ofFirst(),
  validate: ofNamedFormat,
};

const OF_LIBRARIES = /^(?:string_to_ip|cidr_contains_.*)$/;
const STRING_ORDER = /^(?:less|less_equals|greater|greater_equals)_(?:string|bytes)$/;

/** By the one overload that was chosen; calls of several possible overloads cost one. */
const BY_OVERLOAD: Readonly<Record<string, CallCost>> = {
  starts_with_string: ofFirst(),
  ends_with_string: ofFirst(),
  string_to_bytes: ofFirst(),
  bytes_to_string: ofFirst(),
  strings_quote: ofFirst(),
  string_format: ofFormat,
  in_list: ([, list]) => sizeForCost(list),
  add_string: ([a, b]) => traversal(sizeForCost(a) + sizeForCost(b)),
  add_bytes: ([a, b]) => traversal(sizeForCost(a) + sizeForCost(b)),
  matches_string: ofPattern,
  contains_string: ([a, b]) => traversal(sizeForCost(a)) * traversal(sizeForCost(b)),
  list_sets_contains_list: ofSets(1),
  list_sets_intersects_list: ofSets(1),
  list_sets_equivalent_list: ofSets(2),
  string_to_ip: ofFirst(),
  cidr_contains_ip_string: ofContained(false, true),
  cidr_contains_ip_ip: ofContained(false, false),
  cidr_contains_cidr_string: ofContained(true, true),
  cidr_contains_cidr: ofContained(true, false),
};

/** Without the name of the function those of libraries cost one. */
export function callCost(name: string | undefined, overload: string): CallCost {
  if (STRING_ORDER.test(overload)) return ([a, b]) => traversal(Math.min(sizeForCost(a), sizeForCost(b)));
  if (name === undefined && OF_LIBRARIES.test(overload)) return 1;
  const known = name !== undefined && Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  return known ?? (Object.hasOwn(BY_OVERLOAD, overload) ? (BY_OVERLOAD[overload] ?? 1) : 1);
}
