/** What schemas say of a value that is no list and no object: its type, its text, its number. */
import { goQuote, goUntyped, GoSyntax } from '../../api/go-text.ts';
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
  if (allowed.length === 0) return [];
  const type = typeOfJson(value);
  if (allowed.includes(type) || (type === 'integer' && allowed.includes('number'))) return [];
  const { format } = schema;
  if (value !== null && format && (everyFormatCounts || isKnownFormat(format))) {
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

/** Whole numbers are held against the whole parts of bounds and factors. */
function numberErrors(value: number | bigint, schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const isInteger = typeOfJson(value) === 'integer';
  const boundOf = (bound: number | undefined): number | undefined =>
    isInteger && bound !== undefined ? Math.trunc(bound) : bound;
  const { exclusiveMaximum, exclusiveMinimum } = schema;
  const [minimum, maximum] = [boundOf(schema.minimum), boundOf(schema.maximum)];
  const errors = [...multipleErrors(value, boundOf(schema.multipleOf), path)];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    errors.push(
      bodyError(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`),
    );
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    errors.push(
      bodyError(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`),
    );
  return errors;
}

function multipleErrors(
  value: number | bigint,
  factor: number | undefined,
  path: string,
): readonly FieldError[] {
  if (factor === undefined) return [];
  if (factor <= 0) {
    const message = `Invalid value: ${factor}: factor MultipleOf declared for ${path} must be positive: ${factor}`;
    return [{ reason: 'FieldValueInvalid', field: path, message }];
  }
  return isMultiple(value, factor) ? [] : [bodyError(path, value, `should be a multiple of ${factor}`)];
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
  if (typeOfJson(value) === 'integer') return value % factor === 0;
  return Number.isSafeInteger(factor < 1 ? (1 / factor) * value : value / factor);
}
