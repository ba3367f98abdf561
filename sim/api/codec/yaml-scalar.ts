/**
 * What a plain YAML scalar means to the server: YAML 1.1 with its many booleans, base-0 integers and
 * dates. Both directions need it: reading, and deciding which strings must be quoted.
 */

export type ResolvedScalar =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number | bigint; readonly isInteger: boolean }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** A date is read as the string that it is, but a string must not be written like one. */
  | { readonly kind: 'timestamp'; readonly value: string };

const TRUE = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const NULL = ['', '~', 'null', 'Null', 'NULL'];
const NOT_FINITE: readonly (readonly [string, number])[] = [
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, -Infinity] as const),
];

const WORDS: ReadonlyMap<string, ResolvedScalar> = new Map<string, ResolvedScalar>([
  ...TRUE.map((text) => [text, { kind: 'boolean', value: true }] as const),
  ...FALSE.map((text) => [text, { kind: 'boolean', value: false }] as const),
  ...NULL.map((text) => [text, { kind: 'null' }] as const),
  ...NOT_FINITE.map(([text, value]) => [text, { kind: 'number', value, isInteger: false }] as const),
]);

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(?:(0[xX][0-9a-fA-F]+)|(0[bB][01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const DATE = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$/;
const DATE_TIME =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?)$/;

const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

const isTimestamp = (text: string): boolean => {
  const match = DATE.exec(text) ?? DATE_TIME.exec(text);
  if (!match) return false;
  const [, year, month, day] = match.map(Number);
  const [hour, minute, second] = [4, 5, 6].map((index) => Number(match[index] ?? match[index + 4] ?? 0));
  const isTime = (hour ?? 0) <= 23 && (minute ?? 0) <= 59 && (second ?? 0) <= 59;
  return isTime && isDay(year ?? 0, month ?? 0, day ?? 0);
};

const LARGEST_UNSIGNED = (1n << 64n) - 1n;
const LARGEST_SIGNED = (1n << 63n) - 1n;

/** An integer of 64 bits in base 2 with its sign and prefix; no more digits are ever looked at. */
const LONGEST_INTEGER = 80;

const integerOf = (text: string): number | bigint | undefined => {
  if (text.length > LONGEST_INTEGER) return undefined;
  const match = INTEGER.exec(text);
  if (!match) return undefined;
  const [, sign = '', hexadecimal, binary, octal, decimal] = match;
  const size = BigInt(hexadecimal ?? binary ?? (octal === undefined ? (decimal ?? '0') : `0o${octal}`));
  // Beyond 63 bits Go tries an unsigned number, which has no sign.
  const limit = sign === '-' ? LARGEST_SIGNED + 1n : sign === '' ? LARGEST_UNSIGNED : LARGEST_SIGNED;
  if (size > limit) return undefined;
  const value = sign === '-' ? -size : size;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
};

const numberOrDate = (text: string): ResolvedScalar | undefined => {
  if (isTimestamp(text)) return { kind: 'timestamp', value: text };
  const plain = text.replaceAll('_', '');
  const integer = integerOf(plain);
  if (integer !== undefined) return { kind: 'number', value: integer, isInteger: true };
  if (!FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? { kind: 'number', value, isInteger: false } : undefined;
};

/** The meaning of an unquoted scalar without a tag. */
export const resolvePlainScalar = (text: string): ResolvedScalar => {
  const word = WORDS.get(text);
  if (word) return word;
  const first = text.charAt(0);
  if (first === '.' && FLOAT.test(text)) return { kind: 'number', value: Number(text), isInteger: false };
  if (/[-+0-9]/.test(first)) return numberOrDate(text) ?? { kind: 'string', value: text };
  return { kind: 'string', value: text };
};

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether the text, unquoted, would be read as the same string by this and by stricter readers. */
export const isPlainString = (text: string): boolean =>
  resolvePlainScalar(text).kind === 'string' && !BASE_60.test(text);
