/** Versions of resources in a status: numbers that Go can keep, in its words for what is none. */
import { goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';

const MOST = 2n ** 63n;
/** Digits of it. */
const LONGEST = 19;

/** None at all is none that is wrong. */
export function resourceVersionErrors(text: string, path: FieldPath): readonly FieldError[] {
  if (text === '') return [];
  const number = numberIn(text);
  if (typeof number === 'bigint')
    return number < 0n ? [invalid(path, Number(number), 'must be greater than or equal to 0')] : [];
  const quoted = goQuote(text);
  return [
    invalid(
      path,
      text,
      `failed to parse resource version ${quoted}: strconv.ParseInt: parsing ${quoted}: ${number}`,
    ),
  ];
}

/** Or why there is none; what is far too long is not read to its end. */
function numberIn(text: string): bigint | 'invalid syntax' | 'value out of range' {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const digits = text.replace(/^[+-]?0*(?=\d)/, '');
  if (digits.length > LONGEST) return 'value out of range';
  const number = BigInt(digits) * (text.startsWith('-') ? -1n : 1n);
  return number >= MOST || number < -MOST ? 'value out of range' : number;
}
