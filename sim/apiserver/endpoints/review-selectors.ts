/**
 * What reviews say of the objects that somebody would list: raw, or as requirements. What cannot be read of them refuses
 * nobody; the answer tells that it was left out. Specification: "Virtual resources" (not shown: Kubernetes 1.31).
 */
import { parseFieldSelector } from '../../api/selector/field-selector.ts';
import { parseLabelSelector } from '../../api/selector/label-selector-parser.ts';
import { ApiError, type FieldError } from '../../api/status.ts';
import type { ResourceAttributes } from '../../api/types/authorization-k8s-io-v1.ts';
import { invalid, required } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import {
  type LabelSelectorRequirement,
  operatorFindings,
  validateLabelRequirement,
} from '../../api/validation/labels.ts';

type Requirement = Partial<LabelSelectorRequirement>;

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

/** `path`: of the attributes. */
export function selectorErrors(
  { fieldSelector, labelSelector }: ResourceAttributes,
  path: FieldPath,
): FieldError[] {
  return [
    ...errorsOf(fieldSelector, path.child('fieldSelector'), fieldErrors),
    ...errorsOf(labelSelector, path.child('labelSelector'), labelErrors),
  ];
}

function errorsOf(
  selector: Selector | undefined,
  path: FieldPath,
  errorsIn: (requirement: Requirement, path: FieldPath) => readonly FieldError[],
): readonly FieldError[] {
  if (!selector) return [];
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '' && requirements.length > 0)
    return [
      invalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'),
    ];
  const at = path.child('requirements');
  if (rawSelector === '' && requirements.length === 0)
    return [required(at, `when ${path.toString()} is specified, requirements or rawSelector is required`)];
  return requirements.flatMap((requirement, index) => errorsIn(requirement, at.index(index)));
}

const fieldErrors = (
  { key = '', operator = '', values }: Requirement,
  path: FieldPath,
): readonly FieldError[] => [
  ...(key === '' ? [required(path.child('key'), 'must be specified')] : []),
  ...(operatorFindings(operator, values ?? [], path) ?? []),
];

const labelErrors = (
  { key = '', operator = '', ...rest }: Requirement,
  path: FieldPath,
): readonly FieldError[] =>
  validateLabelRequirement({ key, operator, ...rest }, path, { allowsUnknownOperator: true });

/** What of the selectors was left out, as it could not be read. `path`: of the attributes. */
export function selectorProblems(
  { fieldSelector, labelSelector }: ResourceAttributes,
  path: FieldPath,
): readonly string[] {
  const [fields, labels] = [readable(fieldSelector, ofFields), readable(labelSelector, ofLabels)];
  return [
    ...problemOf(path.child('fieldSelector'), fields),
    ...problemOf(path.child('labelSelector'), labels),
  ];
}

type Readable = 'all' | 'some' | 'nothing';

interface Reading {
  readonly raw: (text: string) => unknown;
  readonly isRead: (requirement: Requirement) => boolean;
}

function readable(selector: Selector | undefined, { raw, isRead }: Reading): Readable {
  if (!selector) return 'all';
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '') return isReadBy(raw, rawSelector) ? 'all' : 'nothing';
  if (requirements.every(isRead)) return 'all';
  return requirements.some(isRead) ? 'some' : 'nothing';
}

function isReadBy(raw: Reading['raw'], text: string): boolean {
  try {
    raw(text);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Of fields only one value is understood. */
const ofFields: Reading = {
  raw: parseFieldSelector,
  isRead: ({ operator, values }) => (operator === 'In' || operator === 'NotIn') && values?.length === 1,
};
const OPERATORS: ReadonlySet<string | undefined> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);
const ofLabels: Reading = { raw: parseLabelSelector, isRead: ({ operator }) => OPERATORS.has(operator) };

const problemOf = (path: FieldPath, read: Readable): readonly string[] =>
  read === 'all'
    ? []
    : [`${path.toString()} ${read === 'some' ? 'partially ' : ''}ignored due to parse error`];
