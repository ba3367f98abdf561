/**
 * Checking a value against a declared schema, in the words of the real server. Values that an update
 * leaves as they were pass, even if they are wrong (ratcheting). Specification: "Errors".
 */
import { append } from '../../api/append.ts';
import { goQuote } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import { MOST_FINDINGS } from '../../api/validation/error-budget.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
} from './json-schema.ts';
import { isAmong, textOfValues } from './enumerations.ts';
import { isKnownFormat } from './formats.ts';
import { itemsByKeys } from './keyed-items.ts';
import { bodyError, scalarErrors, shown, typeErrors } from './scalar-errors.ts';

export interface ValueSettings {
  /** What was there before, if the value replaces something. */
  readonly old?: unknown;
  /** Formats that nobody knows say something about types, too: so it is where defaults are checked. */
  readonly everyFormatCounts?: boolean;
}

export function validateValue(
  value: unknown,
  schema: JSONSchemaProps,
  path: string,
  { old, everyFormatCounts = false }: ValueSettings = {},
): readonly FieldError[] {
  const errors: FieldError[] = [];
  check({ value, schema, path, old, errors, everyFormatCounts });
  return toldOnce(errors);
}

/** Alternatives may say the same of a value. */
function toldOnce(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length < 2) return errors;
  return [...new Map(errors.map((error) => [`${error.field}: ${error.message}`, error])).values()];
}

interface Check {
  readonly value: unknown;
  readonly schema: JSONSchemaProps;
  readonly path: string;
  readonly old: unknown;
  readonly errors: FieldError[];
  readonly everyFormatCounts: boolean;
}

/**
 * How many looks it took, whatever they found: of alternatives that all fail, the one with the most is thought to be
 * meant, and its errors are told.
 */
function check(task: Check): number {
  const { value, schema, path, old, errors, everyFormatCounts } = task;
  if (old !== undefined && isEqualJson(value, old)) return 0;
  if (value === null && schema.nullable) {
    // It may be there and yet is none of the values, whatever they are.
    if (schema.enum) errors.push(unsupported(path, value, schema.enum));
    return 0;
  }
  append(errors, typeErrors(value, schema, path, everyFormatCounts));
  let looks = 0;
  if (value !== null) {
    looks += LOOKS_AT_ALL + checkJunctors(task);
    append(errors, scalarErrors(value, schema, path));
    if (Array.isArray(value)) looks += checkArray(value, task);
  }
  if (schema.enum && !isAmong(schema.enum, value)) errors.push(unsupported(path, value, schema.enum));
  return looks + (isMap(value) ? checkObject(value, task) : 0) + looksAtType(schema, value);
}

/** At what is said of values of its kind, at junctors, at enumerations, and at the whole. */
const LOOKS_AT_ALL = 4;

const looksAtType = ({ type, format }: JSONSchemaProps, value: unknown): number =>
  (type || format ? 1 : 0) + (format && typeof value === 'string' && isKnownFormat(format) ? 1 : 0);

function checkArray(value: readonly unknown[], task: Check): number {
  const { schema, path, old, errors } = task;
  let looks = 0;
  const items = itemsOf(schema);
  const before = itemsByKeys(schema, old);
  for (const [index, item] of value.entries()) {
    if (!items || errors.length > MOST_FINDINGS) break;
    const inside = { value: item, schema: items, path: `${path}[${index}]`, old: before?.(item) };
    looks += check({ ...task, ...inside });
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    errors.push(bodyError(path, value.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  return looks;
}

const tooMany = (path: string, count: number, most: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field: path,
  message: `Too many: ${count}: ${most < 0 ? 'has too many items' : `must have at most ${most} items`}`,
});

const unsupported = (path: string, value: unknown, allowed: readonly Json[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: path,
  message: `Unsupported value: ${shown(value)}: supported values: ${textOfValues(allowed)}`,
});

function checkObject(value: JsonMap, task: Check): number {
  const { schema, path, old, errors } = task;
  let looks = 0;
  const names = Object.keys(value);
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(bodyError(path, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties)
    errors.push(tooMany(path, names.length, maxProperties));
  const additional = additionalOf(schema);
  for (const name of names) {
    const declared = propertyOf(schema, name);
    const inner = declared ?? (additional === true ? undefined : additional);
    if (!inner) continue;
    looks += check({
      ...task,
      value: value[name],
      schema: inner,
      path: declared ? below(path, name) : `${path}.${name}`,
      old: isMap(old) ? old[name] : undefined,
    });
    if (errors.length > MOST_FINDINGS) break;
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name))
      errors.push({ reason: 'FieldValueRequired', field: below(path, name), message: 'Required value' });
  }
  return looks;
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const junctorError = (path: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message: `Invalid value: "": ${goQuote(path)} must ${detail}`,
});

interface Judged {
  readonly errors: readonly FieldError[];
  readonly looks: number;
}

const judged = (task: Check, schema: JSONSchemaProps): Judged => {
  const errors: FieldError[] = [];
  const looks = check({ ...task, schema, old: undefined, errors });
  return { errors, looks };
};

const isValid = ({ errors }: Judged): boolean => errors.length === 0;

function checkJunctors(task: Check): number {
  const { allOf = [], anyOf = [], oneOf = [], not } = task.schema;
  let looks = anyOf.length > 0 ? checkAnyOf(task, anyOf) : 0;
  if (oneOf.length > 0) looks += checkOneOf(task, oneOf);
  if (allOf.length > 0) looks += checkAllOf(task, allOf);
  if (not && isValid(judged(task, not)))
    task.errors.push(junctorError(task.path, 'not validate the schema (not)'));
  return looks;
}

function checkAnyOf(task: Check, parts: readonly JSONSchemaProps[]): number {
  const results = parts.map((part) => judged(task, part));
  const success = results.find(isValid);
  if (success) return success.looks;
  const nearest = nearestOf(results);
  append(task.errors, [
    junctorError(task.path, 'validate at least one schema (anyOf)'),
    ...(nearest?.errors ?? []),
  ]);
  return nearest?.looks ?? 0;
}

function checkOneOf(task: Check, parts: readonly JSONSchemaProps[]): number {
  const results = parts.map((part) => judged(task, part));
  const valid = results.filter(isValid);
  if (valid.length === 1) return valid[0]?.looks ?? 0;
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  task.errors.push(junctorError(task.path, `validate one and only one schema (oneOf). ${found}`));
  const nearest = valid.length === 0 ? nearestOf(results) : undefined;
  append(task.errors, nearest?.errors ?? []);
  return nearest?.looks ?? 0;
}

function checkAllOf(task: Check, parts: readonly JSONSchemaProps[]): number {
  const results = parts.map((part) => judged(task, part));
  for (const { errors } of results) append(task.errors, errors);
  const failed = results.filter((result) => !isValid(result)).length;
  const none = failed === parts.length ? '. None validated' : '';
  if (failed > 0) task.errors.push(junctorError(task.path, `validate all the schemas (allOf)${none}`));
  return results.reduce((sum, { looks }) => sum + looks, 0);
}

/** The alternative that fits the value's form best, the first of several. */
const nearestOf = (results: readonly Judged[]): Judged | undefined =>
  results.reduce<Judged | undefined>(
    (best, result) => (best && best.looks >= result.looks ? best : result),
    undefined,
  );
