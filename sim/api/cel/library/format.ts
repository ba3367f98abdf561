/** `"…".format([…])`: clauses such as `%s` and `%.2f`, in the words and digits of the Go library. */
import { goQuote } from '../../go-text.ts';
import { itemsOf } from '../values/containers.ts';
import { spend } from '../values/effort.ts';
import { compareTexts } from '../values/equality.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isError,
  isInt,
  type ListValue,
  type MapValue,
  type Result,
  Timestamp,
  typeOfValue,
  Uint,
} from '../values/value.ts';
import { toDouble, toText } from './conversions.ts';
import { fixed, plainFixed, scientific } from './format-number.ts';

/** What a clause wants, said when the argument is something else. */
export const WANTED = {
  b: 'only integers and bools can be formatted as binary',
  d: 'decimal clause can only be used on integers',
  e: 'scientific clause can only be used on doubles',
  f: 'fixed-point clause can only be used on doubles',
  o: 'octal clause can only be used on integers',
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
} as const;

export type Clause = keyof typeof WANTED;

export interface FormatClause {
  readonly clause: Clause;
  readonly isUpper: boolean;
  readonly precision: number | undefined;
}

/** Thrown while a format is walked through; what users read. */
export class FormatProblem extends Error {}

/** Walks through a format and hands every clause to `write`. */
export function walkFormat(
  format: string,
  size: number,
  write: (clause: FormatClause, index: number) => string,
): string {
  let text = '';
  let index = 0;
  for (let at = 0; at < format.length;) {
    if (format[at] !== '%') {
      text += format[at] ?? '';
      at++;
    } else if (format[at + 1] === '%') {
      text += '%';
      at += 2;
    } else {
      if (index >= size) throw new FormatProblem(`index ${index} out of range`);
      if (at + 1 >= format.length) throw new FormatProblem('unexpected end of string');
      const { clause, length } = clauseAt(format, at + 1);
      text += write(clause, index);
      at += 1 + length;
      index++;
    }
  }
  return text;
}

function clauseAt(format: string, at: number): { readonly clause: FormatClause; readonly length: number } {
  const fail = (detail: string): never => {
    throw new FormatProblem(`could not parse formatting clause: ${detail}`);
  };
  let end = at;
  let precision: number | undefined;
  if (format[end] === '.') {
    const digits = /^[0-9]*/.exec(format.slice(end + 1))?.[0] ?? '';
    end += 1 + digits.length;
    if (end >= format.length)
      fail('error while parsing precision: could not find end of precision specifier');
    if (digits === '')
      fail(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    precision = Number(digits);
  }
  const letter = String.fromCodePoint(format.codePointAt(end) ?? 0);
  const lower = letter === 'X' ? 'x' : letter;
  if (!Object.hasOwn(WANTED, lower)) fail(`unrecognized formatting clause "${letter}"`);
  const clause: FormatClause = { clause: lower as Clause, isUpper: letter === 'X', precision };
  return { clause, length: end + 1 - at };
}

export function formatText(format: string, args: ListValue): Result {
  const items = itemsOf(args);
  if (items instanceof CelError) return items;
  try {
    return walkFormat(format, items.length, (clause, index) => formatted(clause, items[index] ?? null));
  } catch (error) {
    if (error instanceof FormatProblem) return new CelError(error.message);
    throw error;
  }
}

function formatted({ clause, isUpper, precision = 6 }: FormatClause, value: CelValue): string {
  const text = textOf(clause, isUpper, precision, value);
  spend(text?.length ?? 0);
  if (text === undefined)
    throw new FormatProblem(
      `error during formatting: ${WANTED[clause]}, was given ${typeOfValue(value).name}`,
    );
  return text;
}

function textOf(clause: Clause, isUpper: boolean, precision: number, value: CelValue): string | undefined {
  switch (clause) {
    case 's':
      return asText(value);
    case 'd':
      return wholeOf(value)?.toString();
    case 'f':
    case 'e':
      return asNumber(clause, precision, value);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : wholeOf(value)?.toString(2);
    case 'o':
      return wholeOf(value)?.toString(8);
    case 'x': {
      const text = asHex(value);
      return isUpper ? text?.toUpperCase() : text;
    }
  }
}

const wholeOf = (value: CelValue): bigint | undefined =>
  isInt(value) ? BigInt(value) : value instanceof Uint ? value.value : undefined;

const EXCEPTIONS: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

function asNumber(clause: 'e' | 'f', precision: number, value: CelValue): string | undefined {
  if (!(value instanceof Double) && !EXCEPTIONS.has(value)) return undefined;
  const double = toDouble(value);
  if (!(double instanceof Double)) return undefined;
  return clause === 'f' ? fixed(double.value, precision) : scientific(double.value, precision);
}

function asHex(value: CelValue): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array)
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return wholeOf(value)?.toString(16);
}

function asText(value: CelValue): string | undefined {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'list') return listText(value);
    if (value.kind === 'map') return mapText(value);
    if (value.kind === 'opaque' || value.kind === 'optional') return undefined;
  }
  const text = toText(value);
  if (typeof text === 'string') return text;
  const shownError = goQuote(isError(text) ? text.message : '');
  throw new FormatProblem(`error during formatting: could not convert argument ${shownError} to string`);
}

const noFunction = (value: CelValue): FormatProblem =>
  new FormatProblem(`error during formatting: no formatting function for ${typeOfValue(value).name}`);

/** Inside lists and maps. */
function innerText(value: CelValue): string {
  spend(1);
  if (value instanceof Timestamp) return `timestamp(${goQuote(asText(value) ?? '')})`;
  if (value instanceof Duration) return `duration(${goQuote(asText(value) ?? '')})`;
  if (value instanceof Double) return plainFixed(value.value, 6);
  const text = asText(value);
  if (text === undefined) throw noFunction(value);
  if (typeof value === 'string') return goQuote(text);
  return value instanceof Uint8Array ? `b${goQuote(text)}` : text;
}

function listText(list: ListValue): string {
  const items = itemsOf(list);
  if (items instanceof CelError) throw new FormatProblem(items.message);
  return `[${items.map(innerText).join(', ')}]`;
}

function mapText(map: MapValue): string {
  const pairs = map.keys().map((key): readonly [string, string] => {
    if (typeof key !== 'string' && typeof key !== 'boolean' && wholeOf(key) === undefined)
      throw new FormatProblem(
        `error during formatting: no formatting function for map key of type ${typeOfValue(key).name}`,
      );
    const value = map.find(key) ?? null;
    if (isError(value)) throw new FormatProblem(value.message);
    return [innerText(key), innerText(value)];
  });
  pairs.sort(([a], [b]) => compareTexts(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
