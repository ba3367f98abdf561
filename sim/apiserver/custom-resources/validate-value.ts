/**
 * Checking a value against a declared schema, in the words of the real server. Values that an update
 * leaves as they were pass, even if they are wrong (ratcheting). Specification: "Errors".
 */
import { append } from '../../api/append.ts';
import { goQuote, goUntyped, GoSyntax } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { FieldError } from '../../api/status.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import { hasFormat } from './formats.ts';
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
  typeOfJson,
} from './json-schema.ts';
import { patternOf } from './patterns.ts';

/** `old`: what was there before, if the value replaces something. */
export function validateValue(
  value: unknown,
  schema: JSONSchemaProps,
  path: string,
  old?: unknown,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  check({ value, schema, path, old, errors });
  return errors;
}

interface Check {
  readonly value: unknown;
  readonly schema: JSONSchemaProps;
  readonly path: string;
  readonly old: unknown;
  readonly errors: FieldError[];
}

const shown = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  return value === null ? '"null"' : goUntyped(value as Json);
};

const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path === '' ? '' : path,
  message: `Invalid value: ${value instanceof GoSyntax ? value.text : shown(value)}: ${path} in body ${detail}`,
});

function check(task: Check): void {
  const { value, schema, path, old, errors } = task;
  if (old !== undefined && isEqualJson(value, old)) return;
  if (value === null && schema.nullable) return;
  checkType(task);
  checkJunctors(task);
  if (typeof value === 'string') checkString(value, schema, path, errors);
  if (typeof value === 'number') checkNumber(value, schema, path, errors);
  if (Array.isArray(value)) checkArray(value, task);
  if (schema.enum && !schema.enum.some((allowed) => isEqualJson(allowed, value)))
    errors.push(unsupported(path, value, schema.enum));
  if (isMap(value)) checkObject(value, task);
}

function checkType({ value, schema, path, errors }: Check): void {
  const allowed = schema['x-kubernetes-int-or-string']
    ? ['integer', 'string']
    : schema.type
      ? [schema.type]
      : [];
  if (allowed.length === 0) return;
  const type = typeOfJson(value);
  if (allowed.includes(type) || (type === 'integer' && allowed.includes('number'))) return;
  const name = goQuote(type);
  errors.push({
    reason: 'FieldValueTypeInvalid',
    field: path,
    message: `Invalid value: ${name}: ${path} in body must be of type ${allowed.join(',')}: ${name}`,
  });
}

function checkString(value: string, schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: path,
      message: `Too long: may not be longer than ${schema.maxLength}`,
    });
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(invalid(path, value, `should be at least ${schema.minLength} chars long`));
  }
  if (schema.pattern && !(patternOf(schema.pattern)?.test(value) ?? true)) {
    errors.push(invalid(path, value, `should match '${schema.pattern}'`));
  }
  if (schema.format && !hasFormat(value, schema.format)) {
    const text = shown(value);
    errors.push({
      reason: 'FieldValueTypeInvalid',
      field: path,
      message: `Invalid value: ${text}: ${path} in body must be of type ${schema.format}: ${text}`,
    });
  }
}

function checkNumber(value: number, schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf !== undefined) {
    if (multipleOf <= 0 || (Number.isInteger(value) && !Number.isInteger(multipleOf))) {
      errors.push({
        reason: 'FieldValueInvalid',
        field: path,
        message: `Invalid value: ${Math.trunc(multipleOf)}: factor MultipleOf declared for ${path} must be positive: ${Math.trunc(multipleOf)}`,
      });
    } else if (!Number.isInteger(value / multipleOf))
      errors.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(
      invalid(path, value, `should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`),
    );
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(
      invalid(
        path,
        value,
        `should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`,
      ),
    );
  }
}

function checkArray(value: readonly unknown[], { schema, path, old, errors }: Check): void {
  const items = itemsOf(schema);
  const before = oldItems(schema, old);
  for (const [index, item] of value.entries()) {
    if (items) check({ value: item, schema: items, path: `${path}[${index}]`, old: before?.(item), errors });
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    errors.push(invalid(path, value.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
}

/** Only elements with keys can be told from one another. */
function oldItems(schema: JSONSchemaProps, old: unknown): ((item: unknown) => unknown) | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (item) =>
    old.find((candidate: unknown) =>
      keys.every((key) => isEqualJson(keyOf(candidate, key), keyOf(item, key))),
    );
}

const keyOf = (item: unknown, key: string): unknown => (isMap(item) ? item[key] : undefined);

const tooMany = (path: string, count: number, most: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field: path,
  message: `Too many: ${count}: must have at most ${most} items`,
});

const unsupported = (path: string, value: unknown, allowed: readonly Json[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: path,
  message: `Unsupported value: ${shown(value)}: supported values: ${allowed.map((item) => goQuote(typeof item === 'string' ? item : encodeJson(item))).join(', ')}`,
});

function checkObject(value: JsonMap, { schema, path, old, errors }: Check): void {
  const names = Object.keys(value);
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(invalid(path, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties)
    errors.push(tooMany(path, names.length, maxProperties));
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name))
      errors.push({ reason: 'FieldValueRequired', field: below(path, name), message: 'Required value' });
  }
  const additional = additionalOf(schema);
  for (const name of names) {
    const inner = propertyOf(schema, name) ?? (additional === true ? undefined : additional);
    if (!inner) continue;
    check({
      value: value[name],
      schema: inner,
      path: below(path, name),
      old: isMap(old) ? old[name] : undefined,
      errors,
    });
  }
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const junctorError = (path: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message: `Invalid value: "": ${goQuote(path)} must ${detail}`,
});

function checkJunctors({ value, schema, path, errors }: Check): void {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  if (anyOf.length > 0) {
    const results = anyOf.map((part) => validateValue(value, part, path));
    if (results.every((result) => result.length > 0)) {
      append(errors, [junctorError(path, 'validate at least one schema (anyOf)'), ...fewest(results)]);
    }
  }
  if (oneOf.length > 0) {
    const results = oneOf.map((part) => validateValue(value, part, path));
    const valid = results.filter((result) => result.length === 0).length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      errors.push(junctorError(path, `validate one and only one schema (oneOf). ${found}`));
      if (valid === 0) append(errors, fewest(results));
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map((part) => validateValue(value, part, path));
    const failed = results.filter((result) => result.length > 0);
    append(errors, failed.flat());
    if (failed.length > 0) {
      errors.push(
        junctorError(
          path,
          failed.length === allOf.length
            ? 'validate all the schemas (allOf). None validated'
            : 'validate all the schemas (allOf)',
        ),
      );
    }
  }
  if (not && validateValue(value, not, path).length === 0)
    errors.push(junctorError(path, 'not validate the schema (not)'));
}

/** The alternative that came nearest. */
const fewest = (results: readonly (readonly FieldError[])[]): readonly FieldError[] =>
  results.reduce((best, result) => (result.length < best.length ? result : best));
