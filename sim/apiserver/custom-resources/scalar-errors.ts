/** What schemas say of a value that is no list and no object: its type, its text, its number. */
import { goFraction, goQuote, goUntyped, GoSyntax } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import { type JSONSchemaProps, type JsonType, typeOfJson } from './json-schema.ts';
import { patternOf } from './patterns.ts';

/** A value as messages show it. */
export const shown = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  return value === null ? '"null"' : goUntyped(value as Json);
};

export const bodyError = (path: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path === '' ? '' : path,
  message: `Invalid value: ${value instanceof GoSyntax ? value.text : shown(value)}: ${path} in body ${detail}`,
});

const ofWrongType = (path: string, type: string, value: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field: path,
  message: `Invalid value: ${value}: ${path} in body must be of type ${type}: ${value}`,
});

/** Formats of values that have one by themselves. */
const NUMBERS: Readonly<Partial<Record<JsonType, string>>> = { integer: 'int64', number: 'float64' };

export function typeErrors(
  value: unknown,
  schema: JSONSchemaProps,
  path: string,
  everyFormatCounts: boolean,
): readonly FieldError[] {
  const allowed = schema['x-kubernetes-int-or-string']
    ? ['integer', 'string']
    : schema.type
      ? [schema.type]
      : [];
  const { format } = schema;
  // A format says something of the type as well, also where no type is said.
  const counts = format !== undefined && format !== '' && (everyFormatCounts || isKnownFormat(format));
  if (allowed.length === 0 && (!counts || value === null)) return [];
  const type = typeOfJson(value);
  if (allowed.includes(type) || (type === 'integer' && allowed.includes('number'))) return [];
  if (value !== null && counts) {
    const isText = type === 'string' || type === 'array';
    // Its format is all that is asked of it.
    if (isText && !allowed.includes('number') && !allowed.includes('integer')) return [];
    const own = NUMBERS[type] ?? '';
    if (!isText && format !== own) return [ofWrongType(path, format, goQuote(own))];
  }
  return [ofWrongType(path, allowed.join(','), goQuote(type))];
}

export function scalarErrors(value: unknown, schema: JSONSchemaProps, path: string): readonly FieldError[] {
  if (typeof value === 'number' || typeof value === 'bigint') return numberErrors(value, schema, path);
  if (typeof value !== 'string') return [];
  const wrong = textError(value, schema, path);
  const hasOwnForm = !schema.format || hasFormat(value, schema.format);
  return [
    ...(wrong ? [wrong] : []),
    ...(hasOwnForm ? [] : [ofWrongType(path, schema.format ?? '', shown(value))]),
  ];
}

/** Of its length and its pattern, the first that is wrong. */
function textError(value: string, schema: JSONSchemaProps, path: string): FieldError | undefined {
  const length = [...value].length;
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && length > maxLength)
    return {
      reason: 'FieldValueTooLong',
      field: path,
      message: `Too long: ${maxLength < 0 ? 'value is too long' : `may not be longer than ${maxLength}`}`,
    };
  if (minLength !== undefined && length < minLength)
    return bodyError(path, value, `should be at least ${minLength} chars long`);
  return pattern && !(patternOf(pattern)?.test(value) ?? true)
    ? bodyError(path, value, `should match '${pattern}'`)
    : undefined;
}

/** A whole number is compared with the whole part of a bound, as 64 bits hold both. */
function numberErrors(value: number | bigint, schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { exclusiveMaximum, exclusiveMinimum } = schema;
  const errors = [...multipleErrors(value, schema, path)];
  const boundText = (bound: number | bigint): string =>
    typeof bound === 'bigint' ? String(bound) : goFraction(bound);
  const isWhole = typeOfJson(value) === 'integer';
  const [minimum, maximum] = isWhole
    ? [wholeBound(schema.minimum), wholeBound(schema.maximum)]
    : [schema.minimum, schema.maximum];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    errors.push(
      bodyError(
        path,
        value,
        `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${boundText(minimum)}`,
      ),
    );
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    errors.push(
      bodyError(
        path,
        value,
        `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${boundText(maximum)}`,
      ),
    );
  return errors;
}

const LEAST = -(2n ** 63n);

/** What does not fit becomes the least of all. */
function wholeBound(bound: number | bigint | undefined): number | bigint | undefined {
  if (bound === undefined) return undefined;
  const whole = typeof bound === 'bigint' ? bound : BigInt(Math.trunc(bound));
  return whole < LEAST || whole >= -LEAST ? LEAST : whole;
}

function multipleErrors(
  value: number | bigint,
  { multipleOf }: JSONSchemaProps,
  path: string,
): readonly FieldError[] {
  if (multipleOf === undefined) return [];
  const isInteger = typeOfJson(value) === 'integer';
  // Whole numbers are divided by whole numbers.
  const factor = isInteger ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) {
    const message = `Invalid value: ${factor}: factor MultipleOf declared for ${path} must be positive: ${factor}`;
    return [{ reason: 'FieldValueInvalid', field: path, message }];
  }
  return isMultiple(value, factor, isInteger)
    ? []
    : [bodyError(path, value, `should be a multiple of ${factor}`)];
}

function isMultiple(value: number | bigint, factor: number, isInteger: boolean): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
  return isInteger
    ? value % factor === 0
    : Number.isSafeInteger(factor < 1 ? (1 / factor) * value : value / factor);
}
