/** What is checked of a well-typed expression besides its types: literals that cannot be what they are used for. */
import { type Expression, partsOf } from '../syntax/expression.ts';
import type { SourceError } from '../syntax/source.ts';
import { parseDuration } from '../../time-format.ts';
import { FormatProblem, walkFormat, WANTED, type FormatClause } from '../library/format.ts';
import { patternOf } from '../library/regex.ts';
import { parseTimestamp } from '../library/timestamp-text.ts';
import { CelError, type CelValue, isInt } from '../values/value.ts';
import type { Checked } from './checker.ts';
import { type CelType, DYN, typeText, unwrapped } from './type.ts';

export function literalErrors(checked: Checked): readonly SourceError[] {
  const all: Visited[] = [];
  collect(checked.expression, false, all);
  return [
    ...all.flatMap(({ expression }) => wrongArgument(expression, 'duration', isDuration)),
    ...all.flatMap(({ expression }) => wrongArgument(expression, 'timestamp', isTimestamp)),
    ...all.flatMap(({ expression }) => wrongArgument(expression, 'matches', isPattern)),
    ...all.flatMap((visited) => listMismatch(visited, checked)),
    ...all.flatMap((visited) => mapMismatch(visited, checked)),
    ...all.flatMap(({ expression }) => formatProblem(expression, checked)),
  ];
}

interface Visited {
  readonly expression: Expression;
  /** Arguments of `format` may be of any types. */
  readonly isInFormat: boolean;
}

function collect(expression: Expression, isInFormat: boolean, into: Visited[]): void {
  into.push({ expression, isInFormat });
  const isFormat = expression.kind === 'call' && expression.name === 'format';
  for (const part of partsOf(expression)) collect(part, isInFormat || isFormat, into);
}

function wrongArgument(
  expression: Expression,
  name: string,
  isRight: (value: CelValue) => boolean,
): readonly SourceError[] {
  if (expression.kind !== 'call' || expression.name !== name) return [];
  const [first] = expression.args;
  if (first?.kind !== 'literal' || isRight(first.value)) return [];
  return [{ at: first.at, message: `invalid ${name} argument` }];
}

function isDuration(value: CelValue): boolean {
  if (typeof value !== 'string') return false;
  try {
    parseDuration(value);
    return true;
  } catch {
    return false;
  }
}

const isTimestamp = (value: CelValue): boolean =>
  typeof value === 'string'
    ? parseTimestamp(value) !== undefined
    : isInt(value ?? '') && Number(value) >= -62_135_596_800 && Number(value) <= 253_402_300_799;

const isPattern = (value: CelValue): boolean =>
  typeof value !== 'string' || !(patternOf(value) instanceof CelError);

/** Dynamic types are like any other here. */
function isEquivalent(a: CelType, b: CelType): boolean {
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((each, index) => isEquivalent(each, b.parameters[index] ?? DYN));
}

const mismatch = (expression: Expression, wanted: CelType, found: CelType): SourceError => ({
  at: expression.at,
  message: `expected type '${typeText(wanted)}' but found '${typeText(found)}'`,
});

function listMismatch({ expression, isInFormat }: Visited, { types }: Checked): readonly SourceError[] {
  if (expression.kind !== 'list' || isInFormat) return [];
  let wanted: CelType | undefined;
  for (const [index, element] of expression.elements.entries()) {
    const own = types.get(element) ?? DYN;
    const type = expression.optional.has(index) ? unwrapped(own) : own;
    if (wanted && !isEquivalent(wanted, type)) return [mismatch(element, wanted, type)];
    wanted ??= type;
  }
  return [];
}

function mapMismatch({ expression, isInFormat }: Visited, { types }: Checked): readonly SourceError[] {
  if (expression.kind !== 'map' || isInFormat) return [];
  const errors: SourceError[] = [];
  let first: { readonly key: CelType; readonly value: CelType } | undefined;
  for (const { key, value, isOptional } of expression.entries) {
    const own = types.get(value) ?? DYN;
    const pair = { key: types.get(key) ?? DYN, value: isOptional ? unwrapped(own) : own };
    if (first && !isEquivalent(first.key, pair.key)) errors.push(mismatch(key, first.key, pair.key));
    if (first && !isEquivalent(first.value, pair.value))
      errors.push(mismatch(value, first.value, pair.value));
    first ??= pair;
  }
  return errors;
}

/** A clause does not fit the type of its argument. */
class WrongClause extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function formatProblem(expression: Expression, { types }: Checked): readonly SourceError[] {
  if (expression.kind !== 'call' || expression.name !== 'format') return [];
  const { target, args, at } = expression;
  const [list] = args;
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  let count = 0;
  try {
    walkFormat(target.value, list.elements.length, (clause, index) => {
      count = index + 1;
      const element = list.elements[index];
      if (element) checkClause(clause, element, types);
      return '';
    });
  } catch (error) {
    if (error instanceof WrongClause) return [{ at: error.at, message: error.message }];
    if (error instanceof FormatProblem) return [{ at, message: error.message }];
    throw error;
  }
  const given = list.elements.length;
  if (given <= count) return [];
  const message = `too many arguments supplied to string.format (expected ${count}, got ${given})`;
  return [{ at, message }];
}

const KINDS: Readonly<Record<FormatClause['clause'], readonly string[]>> = {
  b: ['int', 'uint', 'bool'],
  d: ['int', 'uint'],
  e: ['double', 'string'],
  f: ['double', 'string'],
  o: ['int', 'uint'],
  s: [
    'list',
    'map',
    'int',
    'uint',
    'double',
    'bool',
    'string',
    'timestamp',
    'bytes',
    'duration',
    'type',
    'null',
  ],
  x: ['int', 'uint', 'string', 'bytes'],
};

function checkClause(clause: FormatClause, argument: Expression, types: Checked['types']): void {
  const type = types.get(argument) ?? DYN;
  if (type.kind !== 'dyn' && !KINDS[clause.clause].includes(type.kind)) {
    const detail = `${WANTED[clause.clause]}, was given ${type.name}`;
    throw new WrongClause(argument.at, `error during formatting: ${detail}`);
  }
  if (clause.clause !== 's' || (argument.kind !== 'list' && argument.kind !== 'map')) return;
  for (const part of partsOf(argument)) checkClause(clause, part, types);
}
