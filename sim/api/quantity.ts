/**
 * Resource quantities: `500m`, `1.5Gi`, `1e3`. Exact decimal arithmetic; nothing below one nano is
 * kept (it is rounded away from zero). The canonical text has no fraction, the largest suffix that
 * leaves a whole number, and keeps the family (decimal, binary, exponent) in which it was written.
 * Specification: "Quantities".
 */

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The value is `unscaled` × 10^`scale`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text as written, where the server keeps it although it is not quite canonical (`+5`, `1.500`). */
  readonly text?: string;
}

/** The text is no quantity; the message is the server's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const WRONG_FORM =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const SUFFIX_OF_DECIMAL = new Map([...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));
const SUFFIX_OF_BINARY = new Map([...BINARY_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));

const SMALLEST_SCALE = -9;
/** Most decimal digits that always fit 64 bits: up to there the server keeps the text as written. */
const SAFE_DIGITS = 18;
const LARGEST_BINARY = (1n << 63n) - 1n;

const FORM = /^[+-]?([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const suffixOf = (text: string): Suffix => {
  const decimal = DECIMAL_SUFFIXES.get(text);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.get(text);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  if (!/^[eE][-+]?[0-9]+$/.test(text)) throw new QuantityError(WRONG_SUFFIX);
  const exponent = BigInt.asIntN(64, BigInt(text.slice(1).replace('+', '')));
  if (exponent.toString() !== BigInt(text.slice(1).replace('+', '')).toString())
    throw new QuantityError(WRONG_SUFFIX);
  const wrapped = Number(BigInt.asIntN(32, exponent));
  if (wrapped > LARGEST_EXPONENT)
    throw new QuantityError(`quantities with exponents above ${LARGEST_EXPONENT} are not read`);
  return { base: 10, exponent: wrapped, format: 'DecimalExponent' };
};

/** The real server writes larger ones out in full, until the request has timed out. */
const LARGEST_EXPONENT = 10_000;

/** 10^exponent rounded-up division of a magnitude: `ceil(value / 10^places)`. */
const divideUp = (value: bigint, places: number): bigint => {
  if (places > value.toString().length) return value === 0n ? 0n : 1n;
  const divisor = 10n ** BigInt(places);
  return (value + divisor - 1n) / divisor;
};

const isKeptAsWritten = (
  { format, exponent }: Suffix,
  digits: string,
  magnitude: bigint,
  scale: number,
): boolean =>
  format === 'BinarySI'
    ? exponent % 10 === 0 && (magnitude & 7n) !== 0n
    : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');

/** Whether the server handles the number in 64 bits, where it may keep the text. */
const isSmall = ({ format, exponent }: Suffix, whole: string, fraction: string): boolean => {
  if (format !== 'BinarySI') return whole.length + fraction.length <= SAFE_DIGITS;
  return fraction === '' && 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
};

/** The same of a text that is a quantity. */
export const isSmallQuantity = (text: string): boolean => {
  const [, digits = '', fraction = '', suffixText = ''] = FORM.exec(text) ?? [];
  const suffix = suffixOf(suffixText);
  const isFine = suffix.base === 10 && suffix.exponent - fraction.length < SMALLEST_SCALE;
  return !isFine && isSmall(suffix, digits.replace(/^0+/, ''), fraction);
};

/** What follows from texts that were met lately: clusters have few that differ. */
const remembering = <T>(make: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (text.length > LONGEST_KNOWN) return made;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, made);
    return made;
  };
};
const MOST_KNOWN = 4_096;
const LONGEST_KNOWN = 32;

/**
 * Reads a quantity.
 * @throws QuantityError with the server's message
 */
export const parseQuantity = (text: string): Quantity => knownQuantity(text);

/** The real server reads longer ones until the request has timed out. */
const MOST_CHARACTERS = 100_000;

const readQuantity = (text: string): Quantity => {
  if (text.length > MOST_CHARACTERS)
    throw new QuantityError(`quantities of more than ${MOST_CHARACTERS} characters are not read`);
  if (text === '') throw new QuantityError(WRONG_FORM);
  const match = FORM.exec(text);
  if (!match) throw new QuantityError(WRONG_FORM);
  const [, digits = '', fraction = '', suffixText = ''] = match;
  const suffix = suffixOf(suffixText);
  const isNegative = text.startsWith('-');
  const whole = digits.replace(/^0+/, '') || '0';
  const shifted = whole + fraction;
  const magnitude = BigInt(shifted);
  if (suffix.base === 10) return parsedDecimal(text, suffix, { whole, fraction, magnitude, isNegative });
  return parsedBinary(text, suffix, { whole, fraction, magnitude, isNegative });
};

const knownQuantity = remembering(readQuantity);

interface Digits {
  readonly whole: string;
  readonly fraction: string;
  /** The digits of both as one number. */
  readonly magnitude: bigint;
  readonly isNegative: boolean;
}

const signed = (magnitude: bigint, isNegative: boolean): bigint => (isNegative ? -magnitude : magnitude);

const parsedDecimal = (text: string, suffix: Suffix, digits: Digits): Quantity => {
  const { whole, fraction, magnitude, isNegative } = digits;
  const { format } = suffix;
  const scale = suffix.exponent - fraction.length;
  if (scale >= SMALLEST_SCALE) {
    const isKept =
      isSmall(suffix, whole, fraction) &&
      magnitude !== 0n &&
      isKeptAsWritten(suffix, whole + fraction, magnitude, scale);
    return { unscaled: signed(magnitude, isNegative), scale, format, ...(isKept && { text }) };
  }
  const rounded = divideUp(magnitude, SMALLEST_SCALE - scale);
  return { unscaled: signed(rounded, isNegative), scale: SMALLEST_SCALE, format };
};

const parsedBinary = (text: string, suffix: Suffix, digits: Digits): Quantity => {
  const { whole, fraction, magnitude, isNegative } = digits;
  const shifted = magnitude << BigInt(suffix.exponent);
  if (isSmall(suffix, whole, fraction)) {
    const isKept = isKeptAsWritten(suffix, whole, magnitude, 0);
    return { unscaled: signed(shifted, isNegative), scale: 0, format: 'BinarySI', ...(isKept && { text }) };
  }
  let unscaled = shifted;
  let scale = -fraction.length;
  if (scale < SMALLEST_SCALE) {
    unscaled = divideUp(unscaled, SMALLEST_SCALE - scale);
    scale = SMALLEST_SCALE;
  }
  const one = 10n ** BigInt(-scale);
  if (unscaled > LARGEST_BINARY * one) {
    unscaled = LARGEST_BINARY;
    scale = 0;
  }
  const format = unscaled > 0n && unscaled < one && scale < 0 ? 'DecimalSI' : 'BinarySI';
  return { unscaled: signed(unscaled, isNegative), scale, format };
};

/** Moves all factors of ten into the scale, then brings the scale to a multiple of three. */
const decimalForm = ({ unscaled, scale }: Quantity): { amount: bigint; exponent: number } => {
  const zeros = /0*$/.exec(unscaled.toString())?.[0].length ?? 0;
  const exponent = scale + zeros;
  const excess = ((exponent % 3) + 3) % 3;
  const amount = (unscaled / 10n ** BigInt(zeros)) * 10n ** BigInt(excess);
  return { amount, exponent: exponent - excess };
};

/** The number in full, if it is whole. */
const wholeNumber = ({ unscaled, scale }: Quantity): bigint | undefined => {
  if (scale >= 0) return unscaled * 10n ** BigInt(scale);
  const one = 10n ** BigInt(-scale);
  return unscaled % one === 0n ? unscaled / one : undefined;
};

const binaryText = (value: bigint): string => {
  let amount = value;
  let exponent = 0;
  while (amount % 1024n === 0n) {
    amount /= 1024n;
    exponent += 10;
  }
  return amount.toString() + (SUFFIX_OF_BINARY.get(exponent) ?? '');
};

/** The canonical text, as the server writes it. */
export const formatQuantity = (quantity: Quantity): string => {
  if (quantity.unscaled === 0n) return '0';
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.format === 'BinarySI') {
    const value = wholeNumber(quantity);
    if (value !== undefined && (value <= -1024n || value >= 1024n)) return binaryText(value);
  }
  const { amount, exponent } = decimalForm(quantity);
  if (quantity.format !== 'DecimalExponent')
    return amount.toString() + (SUFFIX_OF_DECIMAL.get(exponent) ?? '');
  return exponent === 0 ? amount.toString() : `${amount}e${exponent}`;
};

/** The canonical text of a text. @throws QuantityError */
export const canonicalQuantity = (text: string): string => knownCanonical(text);

const knownCanonical = remembering((text) => formatQuantity(parseQuantity(text)));

/** Digits left of the decimal point; tells sizes apart without writing out large exponents. */
const magnitudeOf = ({ unscaled, scale }: Quantity): number =>
  (unscaled < 0n ? -unscaled : unscaled).toString().length + scale;

const aligned = (left: Quantity, right: Quantity): { left: bigint; right: bigint; scale: number } => {
  const scale = Math.min(left.scale, right.scale);
  return {
    left: left.unscaled * 10n ** BigInt(left.scale - scale),
    right: right.unscaled * 10n ** BigInt(right.scale - scale),
    scale,
  };
};

const signOf = (value: bigint): -1 | 0 | 1 => (value > 0n ? 1 : value < 0n ? -1 : 0);

/** −1, 0 or 1. */
export const compareQuantities = (left: Quantity, right: Quantity): -1 | 0 | 1 => {
  const leftSign = signOf(left.unscaled);
  const rightSign = signOf(right.unscaled);
  if (leftSign !== rightSign) return leftSign < rightSign ? -1 : 1;
  if (leftSign === 0) return 0;
  const difference = magnitudeOf(left) - magnitudeOf(right);
  if (difference !== 0) return difference > 0 === leftSign > 0 ? 1 : -1;
  const values = aligned(left, right);
  return signOf(values.left - values.right);
};

const combined = (left: Quantity, right: Quantity, sign: 1n | -1n): Quantity => {
  const values = aligned(left, right);
  const format = left.unscaled === 0n ? right.format : left.format;
  return { unscaled: values.left + sign * values.right, scale: values.scale, format };
};

/** The sum, in the first's family unless the first is zero. */
export const addQuantities = (left: Quantity, right: Quantity): Quantity => combined(left, right, 1n);

/** The difference, in the first's family unless the first is zero. */
export const subtractQuantities = (left: Quantity, right: Quantity): Quantity => combined(left, right, -1n);

/** Rounded away from zero to a multiple of 10^`scale`: −3 leaves whole thousandths. */
export const roundUpQuantity = (quantity: Quantity, scale: number): Quantity => {
  if (quantity.scale >= scale) return quantity;
  const magnitude = quantity.unscaled < 0n ? -quantity.unscaled : quantity.unscaled;
  const rounded = divideUp(magnitude, scale - quantity.scale);
  return { unscaled: signed(rounded, quantity.unscaled < 0n), scale, format: quantity.format };
};

/** The value in units of 10^`scale`, rounded away from zero: scale −3 gives milli-units, 0 whole ones. */
export const scaledValue = (quantity: Quantity, scale: number): bigint => {
  if (quantity.scale >= scale) return quantity.unscaled * 10n ** BigInt(quantity.scale - scale);
  return roundUpQuantity(quantity, scale).unscaled;
};

/**
 * The value in units of 10^`scale` as the server counts it in 64 bits, rounded up: of what does not fit nothing is
 * left if the server read the text as an integer with a scale, else the lower bits.
 */
export const int64Value = (text: string, scale: number): bigint => {
  const exact = scaledValue(parseQuantity(text), scale);
  const wrapped = BigInt.asIntN(64, exact);
  return wrapped === exact || !isSmallQuantity(text) ? wrapped : 0n;
};

/** Approximate floating-point value, as for utilisation and scoring. */
export const approximateNumber = ({ unscaled, scale }: Quantity): number => Number(`${unscaled}e${scale}`);

/** A whole number as a quantity of the decimal family. */
export const quantityOf = (value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity => ({
  unscaled: BigInt(value),
  scale: 0,
  format,
});

/** Of two texts. */
export const isEqualQuantity = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) === 0;

export const isZero = (text: string): boolean => parseQuantity(text).unscaled === 0n;
