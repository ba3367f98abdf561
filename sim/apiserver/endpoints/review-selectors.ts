/**
 * What reviews say of the objects that somebody would list: raw, or as requirements. A raw text is not read, and an operator
 * that is unknown is another release's. Specification: "Virtual resources" (not shown: Kubernetes 1.31).
 */
import type { FieldError } from '../../api/status.ts';
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
