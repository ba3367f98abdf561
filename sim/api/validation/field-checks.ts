/** Checks that many kinds make of single fields, with the server's words. */
import type { FieldError } from '../status.ts';
import { compareQuantities, int64Value, parseQuantity, quantityOf } from '../quantity.ts';
import { type BadValue, duplicate, invalid, notSupported, required } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import type { NameFindings } from './names.ts';
import { portName, portNumber } from './names.ts';
import { IMMUTABLE, NOT_NEGATIVE } from './numbers.ts';

/** A finding for each message of a check of the text. */
export const checkedBy = (
  check: (text: string) => NameFindings,
  text: string,
  path: FieldPath,
): readonly FieldError[] => check(text).map((finding) => invalid(path, text, finding));

/** The value has to be one of those supported, which are shown sorted unless `inOrder`. */
export const oneOf = (
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  { inOrder = false }: { readonly inOrder?: boolean } = {},
): readonly FieldError[] => {
  if (value !== undefined && supported.includes(value)) return [];
  return [notSupported(path, value ?? '', inOrder ? supported : [...supported].sort())];
};

/** As `oneOf`, but an empty value is told to be missing. */
export const requiredOneOf = (
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): readonly FieldError[] => (value ? oneOf(value, supported, path) : [required(path)]);

/** What may never change again. `isEqual` is the caller's comparison; `shown` stands in the message. */
export const immutable = (isEqual: boolean, shown: BadValue, path: FieldPath): readonly FieldError[] =>
  isEqual ? [] : [invalid(path, shown, IMMUTABLE)];

/** Findings for every item that an earlier one equals. */
export const noDuplicates = (items: readonly string[], path: FieldPath): readonly FieldError[] =>
  items.flatMap((item, at) => (items.indexOf(item) < at ? [duplicate(path.index(at), item)] : []));

export const validatePortNumberOrName = (
  port: number | string | undefined,
  path: FieldPath,
): readonly FieldError[] => {
  const value = port ?? 0;
  const findings = typeof value === 'number' ? portNumber(value) : portName(value);
  return findings.map((finding) => invalid(path, value, finding));
};

const ZERO = quantityOf(0);

export const isNegativeQuantity = (text: string): boolean => compareQuantities(parseQuantity(text), ZERO) < 0;
export const isPositiveQuantity = (text: string): boolean => compareQuantities(parseQuantity(text), ZERO) > 0;

/** A whole value or none at all, told in the unit that Go's `Value()` gives. */
export const nonNegativeQuantity = (text: string, path: FieldPath): readonly FieldError[] =>
  isNegativeQuantity(text) ? [invalid(path, text, NOT_NEGATIVE)] : [];

/** `Value()` of a quantity: rounded up to a whole number. */
export const wholeValue = (text: string): bigint => int64Value(text, 0);
