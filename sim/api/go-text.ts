/**
 * Text as Go prints it: the server's messages quote strings, count bytes and print values by Go's
 * rules (`%q`, `%#v`, `%v`), and clients compare those messages. Pure; knows nothing of objects' kinds.
 */

import type { Json, JsonObject } from './object.ts';

const PLAIN = /^[ !#-[\]-~]*$/;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Whether Go's `unicode.IsPrint` accepts the character (one code point). */
export const isPrintable = (character: string): boolean => PRINTABLE.test(character);

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const quoteCharacter = (character: string): string => {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  if (isPrintable(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
};

/** `%q`: the text in double quotes, escaped as a Go string literal. */
export const goQuote = (text: string): string => {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) quoted += quoteCharacter(character);
  return `${quoted}"`;
};

/** One byte in single quotes, as Go's JSON scanner names what it did not expect. */
export const goQuoteByte = (byte: number): string => {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
};

/** Length in bytes of the UTF-8 form: what Go's `len` says of a string. */
export const goLength = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    const isPair = code >= 0xd800 && code < 0xdc00 && at + 1 < text.length;
    bytes += code < 0x800 ? 1 : 2;
    // A surrogate pair is two UTF-16 units and four bytes.
    if (isPair) at++;
  }
  return bytes;
};

/**
 * A value already printed in Go's syntax; the error builders write it as it is. `json`: the same value as releases
 * print it that show JSON instead; undefined: they print it alike.
 */
export class GoSyntax {
  readonly text: string;
  readonly #json: string | (() => string) | undefined;
  constructor(text: string, json?: string | (() => string)) {
    this.text = text;
    this.#json = json;
  }

  /** Undefined: it is the same in Go's syntax. */
  get json(): string | undefined {
    return typeof this.#json === 'function' ? this.#json() : this.#json;
  }

  get hasJson(): boolean {
    return this.#json !== undefined;
  }
}

export const goStringSlice = (items: readonly string[] | undefined, type = 'string'): GoSyntax =>
  new GoSyntax(
    items === undefined ? `[]${type}(nil)` : `[]${type}{${items.map(goQuote).join(', ')}}`,
    JSON.stringify(items ?? null),
  );

/** `map[string]string{"a":"b"}`, keys sorted as Go's `%#v` sorts them. */
export const goStringMap = (map: Readonly<Record<string, string>> | undefined): GoSyntax => {
  if (map === undefined) return new GoSyntax('map[string]string(nil)', 'null');
  const entries = Object.entries(map).sort(byKey);
  return new GoSyntax(
    `map[string]string{${entries.map(([key, value]) => `${goQuote(key)}:${goQuote(value)}`).join(', ')}}`,
    jsonMembers(entries.map(([key, value]) => [key, JSON.stringify(value)])),
  );
};

/** `v1.Taint{Key:"a", Effect:""}`: `fields` are Go field names with values in Go syntax. */
export const goStruct = (
  type: string,
  fields: readonly (readonly [name: string, value: GoSyntax | string])[],
): GoSyntax =>
  new GoSyntax(
    `${type}{${fields.map(([name, value]) => `${name}:${typeof value === 'string' ? goQuote(value) : value.text}`).join(', ')}}`,
    jsonMembers(
      fields.map(([name, value]) => [
        name,
        typeof value === 'string' ? JSON.stringify(value) : (value.json ?? value.text),
      ]),
    ),
  );

/** An object of members that are JSON already, in this order. */
export const jsonMembers = (members: readonly (readonly [name: string, json: string])[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** `%#v` of JSON decoded into Go's untyped values: `map[string]interface {}{"x":1}`. */
export const goUntyped = (value: Json | undefined): string => {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goNested).join(', ')}}`;
  if (typeof value === 'object') return goUntypedMap(value as JsonObject);
  return goNumberOrBoolean(value);
};

/** The same, shown as JSON where a release shows that. */
export const goUntypedValue = (value: Json | undefined): GoSyntax =>
  new GoSyntax(goUntyped(value), () => untypedJson(value));

/** As Go writes what may be anything: members in order of their names, whole numbers in full. */
export const untypedJson = (value: Json | undefined): string => {
  if (Array.isArray(value)) return `[${value.map(untypedJson).join(',')}]`;
  const whole: unknown = value;
  // Beyond 2^53.
  if (typeof whole === 'bigint') return String(whole);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const map = value as JsonObject;
  return jsonMembers(
    Object.keys(map)
      .filter((key) => map[key] !== undefined)
      .sort(compareStrings)
      .map((key) => [key, untypedJson(map[key])]),
  );
};

const goNested = (value: Json | undefined): string =>
  value === null || value === undefined ? 'interface {}(nil)' : goUntyped(value);

const goUntypedMap = (map: JsonObject): string => {
  const members = Object.keys(map)
    .filter((key) => map[key] !== undefined)
    .sort(compareStrings)
    .map((key) => `${goQuote(key)}:${goNested(map[key])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
};

/** `%v` of JSON decoded into Go's untyped values: `map[a:1 b:[x y]]`, as patch errors print documents. */
export const goPlain = (value: Json | undefined): string => {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (typeof value === 'object') {
    const map = value as JsonObject;
    const members = Object.keys(map)
      .filter((key) => map[key] !== undefined)
      .sort(compareStrings)
      .map((key) => `${key}:${goPlain(map[key])}`);
    return `map[${members.join(' ')}]`;
  }
  return goNumberOrBoolean(value);
};

/** `%v` of a number or boolean. */
export const goNumberOrBoolean = (value: number | bigint | boolean): string => {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) return goFraction(Number(value));
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return String(value);
  return goFraction(value);
};

/** `%v` of a float64: other than JavaScript, Go takes an exponent from a million on, and gives it two digits. */
export const goFraction = (value: number): string => {
  if (value === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent < 6 && exponent >= -4) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
};

/** Order of Go strings: by bytes of UTF-8, which is by code point. */
export const compareStrings = (a: string, b: string): number => {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
};

/** Orders the entries of a map as Go sorts their keys. */
export const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  compareStrings(left, right);

/** Surrogates stand for code points above all other UTF-16 units. */
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON text as Go writes it: with `<`, `>`, `&` and two line separators escaped. */
export const escapeHtml = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);

/** What becomes of a text that Go takes for a format, without anything to put into it: `80%` is `80%!(NOVERB)`. */
export const goUnfilled = (format: string): string =>
  format.replace(
    /%[-+# 0]*(\[[0-9]*\])?[0-9]*(?:\.[0-9]*)?(.?)/gsu,
    (_all, index: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (verb === '') return '%!(NOVERB)';
      return `%!${verb}(${index === undefined ? 'MISSING' : 'BADINDEX'})`;
    },
  );

const BYTES = Array.from({ length: 256 }, (_, byte) => `0x${byte.toString(16)}`);

/** The elements of a slice of bytes in Go's syntax. */
export const goBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => BYTES[byte] ?? '').join(', ');
