/**
 * Label selectors, as conjunctions of requirements: from a query's text, or from a LabelSelector in an
 * object. Promises the real server's grammar and its error texts. Specification: "Label selectors".
 */

import { compareStrings } from '../go-text.ts';
import type { FieldError } from '../status.ts';
import { aggregateText, invalid } from '../validation/field-error.ts';
import type { FieldPath } from '../validation/field-path.ts';
import { FieldPath as Path } from '../validation/field-path.ts';
import type { LabelSelectorFields } from '../validation/labels.ts';
import { labelValue, qualifiedName } from '../validation/names.ts';
import { GoSyntax, goStringSlice } from '../go-text.ts';

export type Labels = Readonly<Record<string, string>>;

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without repetitions; empty for `exists` and `!`. */
  readonly values: readonly string[];
}

/** A selector; `text` is canonical: equal selectors mostly have equal texts, and it parses to the same selector. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly text: string;
  /** Whether nothing is required. */
  readonly isEverything: boolean;
  matches(labels: Labels | undefined): boolean;
}

const NO_LABELS: Labels = {};

/** The selector of all requirements together; in the order of their keys. */
export const selectorOfRequirements = (requirements: readonly LabelRequirement[]): LabelSelector => {
  const sorted = [...requirements].sort((a, b) => compareStrings(a.key, b.key));
  const [only] = sorted;
  const matches =
    sorted.length === 1 && only
      ? (labels: Labels = NO_LABELS): boolean => meets(labels, only)
      : (labels: Labels = NO_LABELS): boolean => meetsAll(labels, sorted);
  return {
    requirements: sorted,
    text: sorted.map(requirementText).join(','),
    isEverything: sorted.length === 0,
    matches,
  };
};

/** A loop, for selectors are asked about each of many objects. */
function meetsAll(labels: Labels, requirements: readonly LabelRequirement[]): boolean {
  for (let index = 0; index < requirements.length; index++) {
    const requirement = requirements[index];
    if (requirement && !meets(labels, requirement)) return false;
  }
  return true;
}

const meets = (labels: Labels, { key, operator, values }: LabelRequirement): boolean => {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && compareIntegers(value, operator, values[0] ?? '');
  }
};

const INTEGER = /^[+-]?[0-9]+$/;
const INT64_MAX = 2n ** 63n - 1n;

/** Go's ParseInt of a decimal int64; nothing where it fails. */
const parseInt64 = (text: string): bigint | undefined => {
  if (!INTEGER.test(text) || text.length > 4096) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
};

const compareIntegers = (label: string, operator: 'gt' | 'lt', bound: string): boolean => {
  const left = parseInt64(label);
  const right = parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
};

const requirementText = ({ key, operator, values }: LabelRequirement): string => {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted(compareStrings).join(',')})`;
    case 'gt':
      return `${key}>${values[0] ?? ''}`;
    case 'lt':
      return `${key}<${values[0] ?? ''}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
};

/** Findings about one requirement; `path` prints as `<nil>` where a query's text is checked. */
export const validateLabelRequirement = (
  { key, operator, values }: LabelRequirement,
  path?: FieldPath,
): readonly FieldError[] => {
  const valuesPath = path?.child('values') ?? Path.of('values');
  const errors: FieldError[] = [];
  const ofKey = qualifiedName(key);
  if (ofKey.length > 0) errors.push(invalid(path, key, ofKey.join('; ')));
  if (operator === 'gt' || operator === 'lt') {
    values.forEach((value, at) => {
      if (parseInt64(value) === undefined) {
        errors.push(
          invalid(valuesPath.index(at), value, "for 'Gt', 'Lt' operators, the value must be an integer"),
        );
      }
    });
  }
  values.forEach((value, at) => {
    const findings = labelValue(value);
    if (findings.length > 0) errors.push(invalid(valuesPath.index(at).key(key), value, findings.join('; ')));
  });
  return errors;
};

const API_OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Why a LabelSelector of an object cannot be used: a text, as loops and validation show it. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

/**
 * The selector that a LabelSelector of an object stands for: absent selects nothing, empty everything.
 * Throws LabelSelectorError for operators, keys and values that are none.
 */
export const labelSelectorOf = (fields: LabelSelectorFields | null | undefined): LabelSelector => {
  if (!fields) return NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = fields;
  const requirements: LabelRequirement[] = Object.keys(matchLabels).map((key) => ({
    key,
    operator: '=',
    values: [matchLabels[key] ?? ''],
  }));
  for (const { key, operator, values } of matchExpressions) {
    const known = Object.hasOwn(API_OPERATORS, operator) ? API_OPERATORS[operator] : undefined;
    if (known === undefined)
      throw new LabelSelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push({ key, operator: known, values: values ?? [] });
  }
  for (const requirement of requirements) {
    const errors = [...arityFindings(requirement), ...validateLabelRequirement(requirement)];
    if (errors.length > 0) throw new LabelSelectorError(aggregateText(errors));
  }
  return requirements.length === 0 ? EVERYTHING : selectorOfRequirements(requirements);
};

export const sortedValues = (values: readonly string[]): readonly string[] =>
  values.length < 2 ? values : [...new Set(values)].sort(compareStrings);

/** How many values an operator takes. */
const arityFindings = ({ operator, values }: LabelRequirement): readonly FieldError[] => {
  const path = Path.of('values');
  const isSet = operator === 'in' || operator === 'notin';
  if (isSet && values.length === 0) {
    return [
      invalid(
        path,
        new GoSyntax('[]string{}', '[]'),
        "for 'in', 'notin' operators, values set can't be empty",
      ),
    ];
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    return [invalid(path, goStringSlice(values), 'values set must be empty for exists and does not exist')];
  }
  return [];
};

/** The selector of labels that must be equal: a workload's `matchLabels`, a service's selector. */
export const selectorOfLabels = (labels: Labels): LabelSelector =>
  selectorOfRequirements(
    Object.keys(labels).map((key) => ({ key, operator: '=', values: [labels[key] ?? ''] })),
  );

/** Selects every object. */
export const EVERYTHING: LabelSelector = selectorOfRequirements([]);

/** Selects no object: what an absent LabelSelector means. */
export const NOTHING: LabelSelector = {
  requirements: [],
  text: '',
  isEverything: false,
  matches: () => false,
};
