/** Query parameters as Go's strconv reads them. */
import { goQuote } from '../../api/go-text.ts';
import { badRequest } from '../../api/status.ts';

const INTEGER = /^[+-]?[0-9]+$/;
const INT64_LIMIT = 2n ** 63n;
const UINT64_LIMIT = 2n ** 64n;

/** Longer ones may have leading zeros, but nobody writes them. */
const LONGEST_INTEGER = 1_000;

const outOfRange = (parse: string, value: string): string =>
  `strconv.${parse}: parsing ${goQuote(value)}: value out of range`;

/** @throws ApiError BadRequest with the text of strconv.ParseInt */
export function integerParameter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!INTEGER.test(value)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: invalid syntax`);
  if (value.length > LONGEST_INTEGER) throw badRequest(outOfRange('ParseInt', value));
  const number = BigInt(value.startsWith('+') ? value.slice(1) : value);
  if (number >= INT64_LIMIT || number < -INT64_LIMIT) {
    throw badRequest(outOfRange('ParseInt', value));
  }
  return Number(number);
}

/** The error text of strconv.ParseUint, or the number; as bigint where a number could not tell it from its neighbours. */
export function parseUint(value: string): number | bigint | { readonly error: string } {
  if (!/^[0-9]+$/.test(value))
    return { error: `strconv.ParseUint: parsing ${goQuote(value)}: invalid syntax` };
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const exact = value.length > LONGEST_INTEGER ? UINT64_LIMIT : BigInt(value);
  return exact < UINT64_LIMIT ? exact : { error: outOfRange('ParseUint', value) };
}
