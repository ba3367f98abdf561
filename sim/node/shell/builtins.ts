/** What the shell does itself, without a program: `test`, `printf`, and the like, as far as they change nothing in it. */
import { ShellSyntaxError } from './syntax.ts';

const USAGE_EXIT = 2;

/** The outcome of `test`; undefined: it is about files, which the container knows. */
export function testOutcome(words: readonly string[]): number | undefined {
  if (words[0] === '!') {
    const inner = testOutcome(words.slice(1));
    return inner === undefined || inner === USAGE_EXIT ? inner : 1 - inner;
  }
  for (const [operator, decides] of [
    ['-o', 0],
    ['-a', 1],
  ] as const) {
    const at = words.indexOf(operator);
    if (at <= 0) continue;
    const [left, right] = [testOutcome(words.slice(0, at)), testOutcome(words.slice(at + 1))];
    return left === decides || left === undefined ? left : right;
  }
  const [first, operator, second] = words;
  if (first === undefined) return 1;
  if (operator === undefined) return exitOf(first !== '');
  if (second === undefined) return unary(first, operator);
  return words.length > 3 ? USAGE_EXIT : binary(first, operator, second);
}

const exitOf = (isTrue: boolean): number => (isTrue ? 0 : 1);

function unary(operator: string, value: string): number | undefined {
  if (operator === '-z') return exitOf(value === '');
  if (operator === '-n') return exitOf(value !== '');
  return /^-[edfsrwx]$/.test(operator) ? undefined : USAGE_EXIT;
}

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
};

function binary(left: string, operator: string, right: string): number {
  if (operator === '=' || operator === '==') return exitOf(left === right);
  if (operator === '!=') return exitOf(left !== right);
  const compare = COMPARISONS[operator];
  if (!compare || !isNumber(left) || !isNumber(right)) return USAGE_EXIT;
  return exitOf(compare(Number(left), Number(right)));
}

const isNumber = (text: string): boolean => /^\s*[-+]?\d+\s*$/.test(text);

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '0': '\0',
  e: '\u001b',
};

/** Texts with `\n` and the like as `printf` and `echo -e` know them. */
export const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/gs, (whole, sign: string) => ESCAPES[sign] ?? whole);

/** What `echo` writes of its words. */
export function echoed(words: readonly string[]): string {
  const flags = /^-[neE]+$/.test(words[0] ?? '') ? (words[0] ?? '') : '';
  const text = (flags === '' ? words : words.slice(1)).join(' ');
  return `${flags.includes('e') ? unescaped(text) : text}${flags.includes('n') ? '' : '\n'}`;
}

const SECONDS_IN: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };

/** How long `sleep` takes of a word; undefined: it is no time. */
export function sleepSeconds(word: string): number | undefined {
  if (word === 'infinity') return Infinity;
  const [, number, unit = ''] = /^([0-9]+(?:\.[0-9]+)?)([smhd]?)$/.exec(word) ?? [];
  return number === undefined ? undefined : Number(number) * (SECONDS_IN[unit] ?? 0);
}

const PLACE = /%(-?)(0?)(\d*)(?:\.(\d+))?([sdiuoxXcb%])/g;
const MOST_PLACES = 1_000;

/** `printf format words…`: the format again and again, until all words are used. @throws ShellSyntaxError */
export function formatted([format = '', ...words]: readonly string[]): string {
  const left = [...words];
  let text = '';
  for (let round = 0; round === 0 || left.length > 0; round++) {
    const before = left.length;
    text += unescaped(format).replaceAll(PLACE, (_place, isLeft, zero, width, precision, kind: string) => {
      if (kind === '%') return '%';
      const value = shown(left.shift() ?? '', kind, precision as string | undefined);
      const size = Math.min(Number(width), MOST_PLACES);
      return isLeft ? value.padEnd(size) : value.padStart(size, zero && kind !== 's' ? '0' : ' ');
    });
    if (left.length === before) break;
  }
  return text;
}

function shown(word: string, kind: string, precision: string | undefined): string {
  switch (kind) {
    case 's':
      return precision === undefined ? word : word.slice(0, Number(precision));
    case 'b':
      return unescaped(word);
    case 'c':
      return word.slice(0, 1);
    default: {
      const number = word.trim() === '' ? 0 : Number(word);
      if (!Number.isFinite(number)) throw new ShellSyntaxError(`printf: ${word}: expected numeric value`);
      return digitsOf(Math.trunc(number), kind);
    }
  }
}

function digitsOf(number: number, kind: string): string {
  switch (kind) {
    case 'x':
      return number.toString(16);
    case 'X':
      return number.toString(16).toUpperCase();
    case 'o':
      return number.toString(8);
    default:
      return String(number);
  }
}
