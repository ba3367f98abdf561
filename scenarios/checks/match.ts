/**
 * Whether a value looks as expected. A mapping matches when all members that are named do, a list when it is as
 * long and each item matches its counterpart, anything else when it is equal. A mapping with one key that begins
 * with `$` is a matcher.
 */
import { RE2JS } from 're2js';
import { didYouMean } from '../language/suggest.ts';
import { ScenarioError } from '../language/variables.ts';
import type { Json, JsonMap } from '../language/shape.ts';

export interface Mismatch {
  /** `body.metadata.labels.app` */
  readonly path: string;
  readonly message: string;
}

interface Matcher {
  readonly doc: string;
  match(expected: Json, actual: Json | undefined, path: string): readonly Mismatch[];
}

const one = (path: string, message: string): readonly Mismatch[] => [{ path, message }];
const MATCHES: readonly Mismatch[] = [];

/** The matchers, with what they say of themselves. */
export const MATCHERS: Readonly<Record<string, Matcher>> = {
  $present: {
    doc: '`$present: true`: there is a value, whatever it is; `false`: there is none.',
    match: (expected, actual, path) =>
      (actual !== undefined) === (expected === true)
        ? MATCHES
        : one(path, expected === true ? 'is missing' : `should not be there, but is ${show(actual)}`),
  },
  $absent: {
    doc: '`$absent: true`: there is no such member.',
    match: (expected, actual, path) =>
      (MATCHERS['$present'] as Matcher).match(expected !== true, actual, path),
  },
  $matches: {
    doc: '`$matches: "^a.*"`: text in which the regular expression is found.',
    match: (expected, actual, path) =>
      typeof actual === 'string' && expression(expected).test(actual)
        ? MATCHES
        : one(path, `should match ${show(expected)}, but is ${show(actual)}`),
  },
  $contains: {
    doc: '`$contains: [x, y]`: a list with a matching item for each of these, in any order; or text that contains this one.',
    match: contains,
  },
  $unordered: {
    doc: '`$unordered: [x, y]`: a list of exactly these items, in any order.',
    match: (expected, actual, path) => {
      const found = contains(expected, actual, path);
      if (found.length > 0 || !Array.isArray(actual) || !Array.isArray(expected)) return found;
      return lengthOf(actual, expected.length, path);
    },
  },
  $each: {
    doc: '`$each: x`: a list whose items all match x; an empty one does.',
    match: (expected, actual, path) =>
      Array.isArray(actual)
        ? (actual as readonly Json[]).flatMap((item, index) => match(expected, item, `${path}[${index}]`))
        : one(path, `should be a list, but is ${show(actual)}`),
  },
  $length: {
    doc: '`$length: 3`: a list, mapping or text of this length (or a length that matches).',
    match: (expected, actual, path) => {
      if (
        actual === undefined ||
        actual === null ||
        (typeof actual !== 'object' && typeof actual !== 'string')
      )
        return one(path, `should have a length, but is ${show(actual)}`);
      const length = typeof actual === 'string' ? actual.length : Object.keys(actual).length;
      return match(expected, length, `${path}.length`);
    },
  },
  $not: {
    doc: '`$not: x`: does not match x.',
    match: (expected, actual, path) =>
      match(expected, actual, path).length > 0 ? MATCHES : one(path, `should not be ${show(expected)}`),
  },
  $oneOf: {
    doc: '`$oneOf: [x, y]`: matches at least one of these.',
    match: (expected, actual, path) =>
      listOf(expected, '$oneOf').some((option) => match(option, actual, path).length === 0)
        ? MATCHES
        : one(path, `should be one of ${show(expected)}, but is ${show(actual)}`),
  },
  $above: {
    doc: '`$above: 5`: a greater number, a later time, or a text of digits that counts more.',
    match: (expected, actual, path) =>
      compare(expected, actual, path, 'above', (difference) => difference > 0),
  },
  $below: {
    doc: '`$below: 5`: the opposite.',
    match: (expected, actual, path) =>
      compare(expected, actual, path, 'below', (difference) => difference < 0),
  },
  $equals: {
    doc: '`$equals: {a: 1}`: exactly this value, with no other members.',
    match: (expected, actual, path) =>
      isEqual(expected, actual)
        ? MATCHES
        : one(path, `should be exactly ${show(expected)}, but is ${show(actual)}`),
  },
};

/** Every place where the value is not as expected; none when it matches. @throws ScenarioError for an unknown matcher */
export function match(expected: Json, actual: Json | undefined, path: string): readonly Mismatch[] {
  if (Array.isArray(expected)) return matchList(expected as readonly Json[], actual, path);
  if (typeof expected === 'object' && expected !== null) {
    const names = Object.keys(expected);
    const [first = ''] = names;
    if (first.startsWith('$')) {
      return names.flatMap((name) =>
        matcherOf(name).match((expected as JsonMap)[name] ?? null, actual, path),
      );
    }
    return matchMembers(expected as JsonMap, actual, path);
  }
  return expected === actual
    ? MATCHES
    : one(
        path,
        actual === undefined
          ? `should be ${show(expected)}, but is missing`
          : `should be ${show(expected)}, but is ${show(actual)}`,
      );
}

function matcherOf(name: string): Matcher {
  const matcher = Object.hasOwn(MATCHERS, name) ? MATCHERS[name] : undefined;
  if (!matcher)
    throw new ScenarioError(`there is no matcher \`${name}\`${didYouMean(name, Object.keys(MATCHERS))}`);
  return matcher;
}

function matchMembers(expected: JsonMap, actual: Json | undefined, path: string): readonly Mismatch[] {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
    return one(path, `should be a mapping, but is ${show(actual)}`);
  return Object.entries(expected).flatMap(([name, member]) => {
    const value = Object.hasOwn(actual, name) ? (actual as JsonMap)[name] : undefined;
    return match(member, value, memberPath(path, name));
  });
}

function matchList(expected: readonly Json[], actual: Json | undefined, path: string): readonly Mismatch[] {
  if (!Array.isArray(actual)) return one(path, `should be a list, but is ${show(actual)}`);
  const items = actual as readonly Json[];
  if (items.length !== expected.length) return lengthOf(items, expected.length, path);
  return expected.flatMap((item, index) => match(item, items[index], `${path}[${index}]`));
}

function contains(expected: Json, actual: Json | undefined, path: string): readonly Mismatch[] {
  if (typeof actual === 'string' && typeof expected === 'string')
    return actual.includes(expected)
      ? MATCHES
      : one(path, `should contain ${show(expected)}, but is ${show(actual)}`);
  if (!Array.isArray(actual)) return one(path, `should be a list, but is ${show(actual)}`);
  const left = [...(actual as readonly Json[])];
  return listOf(expected, '$contains').flatMap((wanted) => {
    const index = left.findIndex((item) => match(wanted, item, path).length === 0);
    if (index < 0) return one(path, `has no item like ${show(wanted)}; it is ${show(actual)}`);
    left.splice(index, 1);
    return MATCHES;
  });
}

const lengthOf = (actual: readonly Json[], length: number, path: string): readonly Mismatch[] =>
  actual.length === length
    ? MATCHES
    : one(path, `should have ${length} items, but has ${actual.length}: ${show(actual)}`);

function compare(
  expected: Json,
  actual: Json | undefined,
  path: string,
  word: string,
  holds: (difference: number) => boolean,
): readonly Mismatch[] {
  const difference = order(actual, expected);
  return difference !== undefined && holds(difference)
    ? MATCHES
    : one(path, `should be ${word} ${show(expected)}, but is ${show(actual)}`);
}

function order(left: Json | undefined, right: Json): number | undefined {
  const isCount = (value: unknown): boolean =>
    typeof value === 'number' || (typeof value === 'string' && /^[0-9]+$/.test(value));
  if (isCount(left) && isCount(right)) return Number(left) - Number(right);
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Of an engine that never backtracks: no text and no expression can hold a run up. */
function expression(expected: Json): { test(text: string): boolean } {
  if (typeof expected !== 'string') throw new ScenarioError('`$matches` needs text');
  try {
    const pattern = RE2JS.compile(expected);
    return { test: (text) => pattern.matcher(text).find() };
  } catch (error) {
    throw new ScenarioError(
      `${show(expected)} is not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function listOf(expected: Json, matcher: string): readonly Json[] {
  if (!Array.isArray(expected)) throw new ScenarioError(`\`${matcher}\` needs a list`);
  return expected as readonly Json[];
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => isEqual((left as JsonMap)[name], (right as JsonMap)[name]));
}

const memberPath = (path: string, name: string): string =>
  /^[A-Za-z0-9_-]+$/.test(name) ? `${path}.${name}` : `${path}["${name}"]`;

const MOST_SHOWN = 160;

function show(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}
