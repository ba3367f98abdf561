/**
 * YAML as the server writes it: block style, keys in natural order, lists not indented under their
 * key, strings quoted only where they have to be, long lines folded at blanks behind column 80.
 */
import { isPlainString } from './yaml-scalar.ts';

const BEST_WIDTH = 80;
const LONGEST_SIMPLE_KEY = 128;

interface ScalarPlace {
  /** Column in which the scalar begins. */
  readonly column: number;
  /** Columns before continued lines. */
  readonly indent: number;
  readonly isKey: boolean;
}

/** Characters that YAML lets stand unescaped; neither tabs nor anything beyond the basic plane. */
const isPrintable = (code: number): boolean =>
  code === 0x0a ||
  (code >= 0x20 && code <= 0x7e) ||
  (code >= 0xa0 && code <= 0xfffd && code !== 0xfeff && !(code >= 0xd800 && code < 0xe000));

const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;

interface ScalarForms {
  readonly isPlainAllowed: boolean;
  readonly isSingleQuotedAllowed: boolean;
  readonly isBlockAllowed: boolean;
}

const hasSpecialCharacters = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (!isPrintable(text.charCodeAt(at))) return true;
  return false;
};

/** Beginnings and sequences that mean something in block context. */
const BLOCK_INDICATOR = /^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[-?](?:[ \t]|$)|:(?:[ \t]|$)|[ \t\n\r]#/;

const formsOf = (text: string): ScalarForms => {
  if (text === '') return { isPlainAllowed: true, isSingleQuotedAllowed: true, isBlockAllowed: false };
  const isSpecial = hasSpecialCharacters(text) || / [\n\r\u0085\u2028\u2029]/.test(text);
  const hasBreakBeforeSpace = /[\n\r\u0085\u2028\u2029] /.test(text);
  const hasBreak = /[\n\r\u0085\u2028\u2029]/.test(text);
  const hasOuterSpace = text.startsWith(' ') || text.endsWith(' ');
  return {
    isPlainAllowed: !isSpecial && !hasBreak && !hasOuterSpace && !BLOCK_INDICATOR.test(text),
    isSingleQuotedAllowed: !isSpecial && !hasBreakBeforeSpace,
    isBlockAllowed: !isSpecial && !text.endsWith(' '),
  };
};

/** Writes a scalar that may be folded at single blanks once the line is full. */
class FoldingWriter {
  text = '';
  #column: number;
  readonly #indent: number;
  readonly #mayFold: boolean;

  constructor({ column, indent, isKey }: ScalarPlace) {
    this.#column = column;
    this.#indent = indent;
    this.#mayFold = !isKey;
  }

  put(piece: string): void {
    this.text += piece;
    this.#column += piece.length;
  }

  get isFull(): boolean {
    return this.#mayFold && this.#column > BEST_WIDTH;
  }

  newLine(): void {
    this.text += `\n${' '.repeat(this.#indent)}`;
    this.#column = this.#indent;
  }
}

const plain = (text: string, place: ScalarPlace): string => {
  if (place.column + text.length <= BEST_WIDTH) return text;
  const writer = new FoldingWriter(place);
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const isFold = char === ' ' && text[at - 1] !== ' ' && text[at + 1] !== ' ' && writer.isFull;
    if (isFold) writer.newLine();
    else writer.put(char);
  }
  return writer.text;
};

const singleQuoted = (text: string, place: ScalarPlace): string => {
  const writer = new FoldingWriter(place);
  writer.put("'");
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const isInside = at > 0 && at < text.length - 1;
    const isFold = char === ' ' && isInside && text[at - 1] !== ' ' && text[at + 1] !== ' ' && writer.isFull;
    if (isFold) writer.newLine();
    else writer.put(char === "'" ? "''" : char);
  }
  writer.put("'");
  return writer.text;
};

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '\\0'],
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x1b, '\\e'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x85, '\\N'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

const escapeOf = (code: number): string => {
  const short = SHORT_ESCAPES.get(code);
  if (short) return short;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
};

const doubleQuoted = (text: string, place: ScalarPlace): string => {
  const writer = new FoldingWriter(place);
  const chars = [...text];
  writer.put('"');
  chars.forEach((char, at) => {
    const code = char.codePointAt(0) ?? 0;
    if (!isPrintable(code) || isBreak(code) || char === '"' || char === '\\')
      return writer.put(escapeOf(code));
    const isInside = at > 0 && at < chars.length - 1;
    if (char !== ' ' || chars[at - 1] === ' ' || !isInside || !writer.isFull) return writer.put(char);
    writer.newLine();
    if (chars[at + 1] === ' ') writer.put('\\');
  });
  writer.put('"');
  return writer.text;
};

const literal = (text: string, indent: number): string => {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const body = lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join('\n');
  return `|${hint}${chomp}\n${body}`;
};

const stringText = (text: string, place: ScalarPlace): string => {
  const forms = formsOf(text);
  if (text.includes('\n'))
    return forms.isBlockAllowed && !place.isKey ? literal(text, place.indent) : doubleQuoted(text, place);
  if (!isPlainString(text)) return doubleQuoted(text, place);
  if (forms.isPlainAllowed) return plain(text, place);
  return forms.isSingleQuotedAllowed ? singleQuoted(text, place) : doubleQuoted(text, place);
};

/** Go's shortest `%g`: an exponent of at least two digits below 1e-4 and from 1e21 down to six digits. */
const floatText = (value: number): string => {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  // JavaScript prints plain digits up to 1e21, and from 1e-6 down an exponent.
  if (exponent >= -4 && exponent < 21)
    return exponent < 6 || Number.isInteger(value) ? String(value) : withExponent(mantissa, exponent);
  return withExponent(mantissa, exponent);
};

const withExponent = (mantissa: string, exponent: number): string =>
  `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;

/** Whole numbers that fit 64 bits are integers to the reader, larger ones are floats. */
const numberText = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  if (Number.isInteger(value) && value > 0 && value < 2 ** 64) return BigInt(value).toString();
  if (Number.isInteger(value)) {
    const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
    return withExponent(mantissa, Number(exponentText));
  }
  return floatText(value);
};

const scalarText = (value: unknown, place: ScalarPlace): string => {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return stringText(value, place);
  if (typeof value === 'number') return numberText(value);
  return (value as boolean | bigint).toString();
};

const isDigit = (char: string | undefined): boolean => char !== undefined && /^\p{Nd}$/u.test(char);
const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);

/** The number that the digits from `from` on form, and where they end. */
const digitRun = (chars: readonly string[], from: number, start: bigint): { value: bigint; end: number } => {
  let value = start;
  let end = from;
  while (isDigit(chars[end])) value = value * 10n + BigInt((chars[end++]?.codePointAt(0) ?? 48) - 48);
  return { value, end };
};

/** Whether non-zero digits stand directly before `at`: a zero there is no leading one. */
const isBehindDigits = (chars: readonly string[], at: number): boolean => {
  for (let index = at - 1; index >= 0 && isDigit(chars[index]); index--)
    if (chars[index] !== '0') return true;
  return false;
};

const compareCodes = (left: string, right: string): number =>
  (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0);

/** Natural order: letters by code, numbers in names by value, other characters before letters. */
const compareKeys = (left: string, right: string): number => {
  const lefts = [...left];
  const rights = [...right];
  const shared = Math.min(lefts.length, rights.length);
  for (let at = 0; at < shared; at++) {
    const a = lefts[at] ?? '';
    const b = rights[at] ?? '';
    if (a === b) continue;
    if (isLetter(a) && isLetter(b)) return compareCodes(a, b);
    if (isLetter(a) || isLetter(b)) return isLetter(b) ? -1 : 1;
    const start = (a === '0' || b === '0') && isBehindDigits(lefts, at) ? 1n : 0n;
    const leftRun = digitRun(lefts, at, start);
    const rightRun = digitRun(rights, at, start);
    if (leftRun.value !== rightRun.value) return leftRun.value < rightRun.value ? -1 : 1;
    if (leftRun.end !== rightRun.end) return leftRun.end - rightRun.end;
    return compareCodes(a, b);
  }
  return lefts.length - rights.length;
};

const pad = (indent: number): string => ' '.repeat(indent);

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** A value behind `- ` in column `indent`, without line break at its end. */
const itemText = (value: unknown, indent: number): string => {
  if (typeof value !== 'object' || value === null)
    return scalarText(value, { column: indent, indent, isKey: false });
  if (isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  return Array.isArray(value) ? listText(value, indent) : mapText(value, indent);
};

const listText = (items: readonly unknown[], indent: number): string =>
  items.map((item) => `- ${itemText(item, indent + 2)}`).join(`\n${pad(indent)}`);

const mapText = (value: object, indent: number): string =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([name, member]) => memberText(name, member, indent))
    .join(`\n${pad(indent)}`);

const isSimpleKey = (name: string): boolean =>
  !name.includes('\n') && new TextEncoder().encode(name).length <= LONGEST_SIMPLE_KEY;

const memberText = (name: string, value: unknown, indent: number): string => {
  if (!isSimpleKey(name)) {
    const key = stringText(name, { column: indent + 2, indent: indent + 2, isKey: false });
    return `? ${key}\n${pad(indent)}: ${itemText(value, indent + 2)}`;
  }
  const key = stringText(name, { column: indent, indent: indent + 2, isKey: true });
  if (typeof value !== 'object' || value === null) {
    const place = { column: indent + key.length + 2, indent: indent + 2, isKey: false };
    return `${key}: ${scalarText(value, place)}`;
  }
  if (isEmpty(value)) return `${key}: ${Array.isArray(value) ? '[]' : '{}'}`;
  // A list stands in the column of its key.
  if (Array.isArray(value)) return `${key}:\n${pad(indent)}${listText(value, indent)}`;
  return `${key}:\n${pad(indent + 2)}${mapText(value, indent + 2)}`;
};

/** A JSON value as one YAML document. */
export const encodeYaml = (value: unknown): string => {
  if (typeof value !== 'object' || value === null)
    return `${scalarText(value, { column: 0, indent: 2, isKey: false })}\n`;
  return `${itemText(value, 0)}\n`;
};
