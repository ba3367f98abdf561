/** Rules of labels, annotations and label selectors inside objects. Specification: "Common object metadata", "Label selectors". */

import { append } from '../append.ts';
import type { FieldError } from '../status.ts';
import { compareStrings, goLength } from '../go-text.ts';
import { invalid, forbidden, required, tooLong } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import { labelValue, qualifiedName } from './names.ts';

type TextMap = Readonly<Record<string, string>>;

const NONE: readonly FieldError[] = [];

/** All keys and values of all annotations of one object, in bytes. */
export const TOTAL_ANNOTATION_SIZE_LIMIT_BYTES = 256 * 1024;

const invalidEach = (path: FieldPath, value: string, findings: readonly string[]): readonly FieldError[] =>
  findings.length === 0 ? NONE : findings.map((finding) => invalid(path, value, finding));

/** A key where only keys stand (node selectors, `matchExpressions`). */
export const validateLabelName = (name: string, path: FieldPath): readonly FieldError[] =>
  invalidEach(path, name, qualifiedName(name));

/** Keys and values of a map of labels; keys in order, as the findings name no key's path. */
export const validateLabels = (labels: TextMap | undefined, path: FieldPath): readonly FieldError[] => {
  if (labels === undefined) return NONE;
  let broken: string[] | undefined;
  for (const key in labels)
    if (qualifiedName(key).length + labelValue(labels[key] ?? '').length > 0) (broken ??= []).push(key);
  if (!broken) return NONE;
  const errors: FieldError[] = [];
  for (const key of broken.sort(compareStrings)) {
    const value = labels[key] ?? '';
    append(errors, [
      ...invalidEach(path, key, qualifiedName(key)),
      ...invalidEach(path, value, labelValue(value)),
    ]);
  }
  return errors;
};

/** Keys are checked in lower case; values may be anything, up to a total size. */
export const validateAnnotations = (
  annotations: TextMap | undefined,
  path: FieldPath,
): readonly FieldError[] => {
  if (annotations === undefined) return NONE;
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(annotations).sort(compareStrings)) {
    const findings = qualifiedName(/[A-Z]/.test(key) ? key.toLowerCase() : key);
    for (const finding of findings) errors.push(invalid(path, key, finding));
    size += goLength(key) + goLength(annotations[key] ?? '');
  }
  if (size > TOTAL_ANNOTATION_SIZE_LIMIT_BYTES) errors.push(tooLong(path, TOTAL_ANNOTATION_SIZE_LIMIT_BYTES));
  return errors;
};

/** A LabelSelector as it stands in objects. */
export interface LabelSelectorFields {
  readonly matchLabels?: TextMap;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

export interface LabelSelectorRules {
  /** Objects stored before the rule may keep values that are no label values. */
  readonly allowsInvalidValues?: boolean;
  /** Whoever is asked about requirements of a later release cannot know its operators. */
  readonly allowsUnknownOperator?: boolean;
}

export const validateLabelSelector = (
  selector: LabelSelectorFields | null | undefined,
  path: FieldPath,
  rules: LabelSelectorRules = {},
): readonly FieldError[] => {
  if (!selector) return NONE;
  return [
    ...validateLabels(selector.matchLabels, path.child('matchLabels')),
    ...(selector.matchExpressions ?? []).flatMap((requirement, at) =>
      validateLabelRequirement(requirement, path.child('matchExpressions').index(at), rules),
    ),
  ];
};

export const validateLabelRequirement = (
  { key, operator, values }: LabelSelectorRequirement,
  path: FieldPath,
  { allowsInvalidValues = false, allowsUnknownOperator = false }: LabelSelectorRules,
): readonly FieldError[] => {
  const given = values ?? [];
  const ofValues = allowsInvalidValues
    ? NONE
    : given.flatMap((value, at) => invalidEach(path.child('values').index(at), value, labelValue(value)));
  return [
    ...(operatorFindings(operator, given, path) ??
      (allowsUnknownOperator
        ? NONE
        : [invalid(path.child('operator'), operator, 'not a valid selector operator')])),
    ...validateLabelName(key, path.child('key')),
    ...ofValues,
  ];
};

/** Whether there are values where there have to be; undefined: the operator is unknown. */
export const operatorFindings = (
  operator: string,
  values: readonly string[],
  path: FieldPath,
): readonly FieldError[] | undefined => {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? NONE
        : [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? NONE
        : [
            forbidden(
              path.child('values'),
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return undefined;
  }
};
