/** Rules of numbers and of values that are a number or a percentage. */
import type { FieldError } from '../status.ts';
import { goQuote, GoSyntax } from '../go-text.ts';
import { invalid } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import { percent } from './names.ts';

const NONE: readonly FieldError[] = [];

export const NOT_NEGATIVE = 'must be greater than or equal to 0';
export const POSITIVE = 'must be greater than 0';
export const IMMUTABLE = 'field is immutable';

/** An absent number is fine. */
export const notNegative = (value: number | null | undefined, path: FieldPath): readonly FieldError[] =>
  value !== undefined && value !== null && value < 0 ? [invalid(path, value, NOT_NEGATIVE)] : NONE;

export type IntOrString = number | string;

/** `%#v` of an int-or-string. */
export const goIntOrString = (value: IntOrString): GoSyntax =>
  new GoSyntax(
    typeof value === 'number'
      ? `intstr.IntOrString{Type:0, IntVal:${value}, StrVal:""}`
      : `intstr.IntOrString{Type:1, IntVal:0, StrVal:${goQuote(value)}}`,
    JSON.stringify(value),
  );

/** A percentage, or a number that is not negative. */
export const validateIntOrPercent = (value: IntOrString, path: FieldPath): readonly FieldError[] => {
  if (typeof value === 'number') return notNegative(value, path);
  return percent(value).map((finding) => invalid(path, goIntOrString(value), finding));
};

/** Percentages up to 100 %. */
export const notMoreThanAll = (value: IntOrString, path: FieldPath): readonly FieldError[] => {
  const share = percentOf(value);
  return share !== undefined && share > 100
    ? [invalid(path, goIntOrString(value), 'must not be greater than 100%')]
    : NONE;
};

/** The number or the percentage; of other texts those that are numbers count as such, the rest as none. */
export const amountOf = (value: IntOrString): number =>
  typeof value === 'number' ? value : (percentOf(value) ?? (WHOLE.test(value) ? Number(value) : 0));

const WHOLE = /^[+-]?\d+$/;

/** The number in front of `%`; undefined for everything else. */
const percentOf = (value: IntOrString): number | undefined =>
  typeof value === 'string' && percent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
