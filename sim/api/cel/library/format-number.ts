/** Numbers in English, as the Go library prints them: thousands are grouped, exponents stand as powers of ten. */

const special = (value: number): string | undefined => {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '∞' : '-∞';
};

/** That library counts zeros at the end in one byte. Zero has no sign. */
export function fixed(value: number, precision: number): string {
  const known = special(value);
  if (known !== undefined) return known;
  const digits = exact(value === 0 ? 0 : value, precision);
  return withZeros(digits, precision, precision % 256).replace(
    /\B(?=(?:[0-9]{3})+(?![0-9]))(?<!\.[0-9]*)/g,
    ',',
  );
}

function withZeros(digits: string, most: number, least: number): string {
  if (most === least) return digits;
  let end = digits.length;
  while (end > digits.length - most + least && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, digits[end - 1] === '.' ? end - 1 : end);
}

/** Inside lists and maps nothing is grouped, and what is no number stands in quotes. */
export function plainFixed(value: number, precision: number): string {
  if (Number.isFinite(value)) return exact(value, precision);
  if (Number.isNaN(value)) return '"NaN"';
  return value > 0 ? '"+Inf"' : '"-Inf"';
}

/** All digits of a double, rounded half to even at the place wanted. */
function exact(value: number, precision: number): string {
  const { digits, scale } = decimalOf(Math.abs(value));
  const shift = scale - precision;
  let rounded = digits;
  if (shift > 0) {
    const unit = 10n ** BigInt(shift);
    const rest = digits % unit;
    rounded = digits / unit;
    if (rest * 2n > unit || (rest * 2n === unit && rounded % 2n === 1n)) rounded++;
  } else rounded *= 10n ** BigInt(-shift);
  const text = rounded.toString().padStart(precision + 1, '0');
  const whole = text.slice(0, text.length - precision);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return precision === 0 ? sign + whole : `${sign}${whole}.${text.slice(text.length - precision)}`;
}

/** `digits` / 10^`scale`, exactly. */
function decimalOf(value: number): { readonly digits: bigint; readonly scale: number } {
  let [numerator, power] = [value, 0];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    power++;
  }
  // n / 2^p = n * 5^p / 10^p
  return { digits: BigInt(numerator) * 5n ** BigInt(power), scale: power };
}

/** Always six places: what is written as the precision is a width, filled with blanks. */
export const scientific = (value: number, width: number): string => {
  const text = special(value) ?? powered(value);
  return ' '.repeat(Math.max(0, width - text.length)) + text;
};

function powered(value: number): string {
  const [digits = '0', exponent = '0'] = value.toExponential(6).split('e');
  const power = Number(exponent);
  const sign = power < 0 ? '-' : '';
  return `${digits}\u202f×\u202f10${sign === '' ? '' : '\u207b'}${superscript(String(Math.abs(power)).padStart(2, '0'))}`;
}

const SUPERSCRIPTS = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
const superscript = (digits: string): string =>
  [...digits].map((digit) => SUPERSCRIPTS[Number(digit)] ?? digit).join('');
