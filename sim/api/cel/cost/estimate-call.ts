/** What one call may cost, and how large its result may be. */
import { isInt } from '../values/value.ts';
import type { Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/type.ts';
import { ONE, plus, priced, type Range, range, sum, times, UNBOUNDED, union } from './range.ts';

/** A part of an expression, as far as costs go. */
export interface Estimated {
  readonly expression?: Expression;
  readonly type: CelType;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
}

export interface CallToEstimate {
  readonly name: string;
  readonly overload: string;
  readonly target: Estimated | undefined;
  readonly args: readonly Estimated[];
  /** Of the arguments. */
  readonly costs: readonly Range[];
  readonly size: (node: Estimated) => Range;
  readonly librarySize: (node: Estimated) => Range;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
/** The pattern of a named format is taken to have 128 characters. */
const NAMED_FORMAT_COST = 128 * PER_PATTERN_CHARACTER;

export function estimateCall(call: CallToEstimate): CallEstimate {
  const library = estimateSets(call) ?? estimateLibrary(call);
  if (!library) return estimateLanguage(call);
  return { ...library, cost: plus(library.cost, sum(call.costs)) };
}

const SETS: Readonly<Record<string, number>> = {
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
};

function estimateSets({ overload, args, librarySize }: CallToEstimate): CallEstimate | undefined {
  const factor = Object.hasOwn(SETS, overload) ? SETS[overload] : undefined;
  const [a, b] = args;
  if (factor === undefined || !a || !b) return undefined;
  return { cost: plus(priced(times(librarySize(a), librarySize(b)), factor), ONE) };
}

const ONE_STEP: ReadonlySet<string> = new Set([
  ...['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason'],
  ...['error', 'errored', 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'],
  ...['isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast', 'sign', 'asInteger', 'isInteger'],
  ...['asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'getScheme'],
  ...['getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery', 'format.named'],
]);

/** Functions of Kubernetes and the string extension, by name. */
function estimateLibrary(call: CallToEstimate): CallEstimate | undefined {
  const { name, overload, target, args, librarySize: size } = call;
  const [first, second] = args;
  if (ONE_STEP.has(name)) return { cost: ONE };
  const traversal = (node: Estimated, factor = 1): CallEstimate => ({
    cost: priced(size(node), factor * PER_CHARACTER),
  });
  switch (name) {
    case 'check':
      return { cost: range(350_000) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target && estimateElements(target, size);
    case 'url':
      return first && args.length === 1 ? traversal(first) : undefined;
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { ...traversal(target), size: size(target) };
    case 'replace':
      return target && first && second
        ? { ...traversal(target, 2), size: replacedSize(size(target), size(first), size(second)) }
        : undefined;
    case 'split':
      return target && { ...traversal(target, 2), size: range(0, splitLimit(second) ?? size(target).max) };
    case 'join':
      return target && estimateJoin(target, first, size);
    case 'find':
    case 'findAll':
      return (
        target && first && { cost: patternCost(size(target), size(first)), size: range(0, size(target).max) }
      );
    // The real estimate asks whether there is a target where it means an argument: there always seems to be one.
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
      return first && traversal(first);
    case 'validate':
      return target && first && { cost: priced(priced(size(first), PER_CHARACTER), NAMED_FORMAT_COST) };
    case 'ip':
      if (!first) return { cost: ONE };
      return overload === 'cidr_ip' ? { cost: ONE } : traversal(first);
    case 'ip.isCanonical':
      return first && traversal(first, 2);
    case 'containsIP':
    case 'containsCIDR':
      return first && { cost: containedCost(name, overload, first, size) };
    default:
      return undefined;
  }
}

type SizeOfNode = (node: Estimated) => Range;

const elementsOf = ({ type, path }: Estimated): Estimated | undefined => {
  const [element] = type.parameters;
  return element && { type: element, path: path && [...path, '@items'], size: undefined };
};

function estimateElements(target: Estimated, size: SizeOfNode): CallEstimate {
  const element = elementsOf(target);
  if (!element) return { cost: priced(size(target), PER_CHARACTER) };
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = isText ? plus(ONE, priced(size(element), PER_CHARACTER)) : ONE;
  return { cost: times(size(target), each) };
}

function replacedSize(text: Range, old: Range, by: Range): Range {
  const most =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : by.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  return plus(times(range(least.count, most.count), by), range(least.kept, most.kept));
}

function splitLimit(limit: Estimated | undefined): number | undefined {
  const literal = limit?.expression;
  if (literal?.kind !== 'literal' || literal.value === null || !isInt(literal.value)) return undefined;
  const count = Number(literal.value);
  return count < 0 ? UNBOUNDED + count : count;
}

function estimateJoin(target: Estimated, separator: Estimated | undefined, size: SizeOfNode): CallEstimate {
  const list = size(target);
  const element = elementsOf(target);
  let text = element ? times(list, size(element)) : range(0);
  if (separator) {
    const between = range(Math.max(list.min - 1, 0), Math.max(list.max - 1, 0));
    text = plus(text, times(size(separator), between));
  }
  return { cost: priced(text, PER_CHARACTER), size: text };
}

const patternCost = (text: Range, pattern: Range): Range =>
  times(priced(plus(text, ONE), PER_CHARACTER), priced(pattern, PER_PATTERN_CHARACTER));

function containedCost(name: string, overload: string, other: Estimated, size: SizeOfNode): Range {
  const bytes = range(4, 16);
  let cost = priced(plus(bytes, bytes), PER_CHARACTER);
  if (name === 'containsCIDR') cost = plus(plus(cost, priced(bytes, PER_CHARACTER)), ONE);
  return overload.endsWith('_string') ? plus(cost, priced(size(other), PER_CHARACTER)) : cost;
}

/** Operators and functions of the language itself, by overload. */
function estimateLanguage(call: CallToEstimate): CallEstimate {
  const { overload, target, args, costs, size } = call;
  const [first, second, third] = args;
  const all = sum(costs);
  const traversal = (bounds: Range): Range => plus(priced(bounds, PER_CHARACTER), all);
  switch (overload) {
    case 'string_format':
      if (target) return { cost: traversal(size(target)) };
      break;
    case 'string_to_bytes':
      if (first) return { cost: traversal(size(first)), size: range(size(first).min, size(first).max * 4) };
      break;
    case 'bytes_to_string':
      if (first)
        return {
          cost: traversal(size(first)),
          size: range(Math.trunc(size(first).min / 4), size(first).max),
        };
      break;
    case 'strings_quote':
      if (first)
        return { cost: traversal(size(first)), size: range(size(first).min + 2, size(first).max * 2 + 2) };
      break;
    case 'starts_with_string':
    case 'ends_with_string':
      if (first) return { cost: traversal(size(first)) };
      break;
    case 'in_list':
      if (second) return { cost: plus(size(second), all) };
      break;
    case 'matches_string':
      if (target && first) return { cost: plus(patternCost(size(target), size(first)), all) };
      break;
    case 'contains_string':
      if (target && first) {
        const cost = times(priced(size(target), PER_CHARACTER), priced(size(first), PER_CHARACTER));
        return { cost: plus(cost, all) };
      }
      break;
    case 'logical_or':
    case 'logical_and':
      return { cost: range(costs[0]?.min ?? 0, all.max) };
    case 'conditional':
      if (second && third) {
        const [condition = ONE, yes = ONE, no = ONE] = costs;
        return { cost: plus(condition, union(yes, no)), size: union(size(second), size(third)) };
      }
      break;
    case 'add_string':
    case 'add_bytes':
    case 'add_list':
      if (first && second) {
        const together = plus(size(first), size(second));
        return { cost: overload === 'add_list' ? plus(ONE, all) : traversal(together), size: together };
      }
      break;
    default:
      if (first && second && COMPARED.test(overload)) {
        const smallest = Math.min(size(first).max, size(second).max);
        return { cost: plus(priced(range(smallest > 0 ? 1 : 0, smallest), PER_CHARACTER), all) };
      }
  }
  return { cost: plus(ONE, all) };
}

const COMPARED = /^(?:equals|not_equals|(?:less|less_equals|greater|greater_equals)_(?:string|bytes))$/;
