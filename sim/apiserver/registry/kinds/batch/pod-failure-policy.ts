/** Rules of what a job makes of failed pods. */
import { append } from '../../../../api/append.ts';
import { goQuote, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { JobSpec, PodFailurePolicyRule } from '../../../../api/types/batch-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';

type Errors = readonly FieldError[];

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const MAX_RULES = 20;
const MAX_CODES = 255;
const MAX_PATTERNS = 20;

const validValues = (values: readonly string[]): string => `valid values: [${values.map(goQuote).join(' ')}]`;

/** A finding that shows no value. */
const plainInvalid = (path: FieldPath, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path.text,
  message: `Invalid value: ${why}`,
});

export function failurePolicyErrors(spec: JobSpec, path: FieldPath): Errors {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const own = path.child('rules');
  if (rules.length > MAX_RULES) return [tooMany(own, rules.length, MAX_RULES)];
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  return rules.flatMap((rule, at) => ruleErrors(rule, spec, names, own.index(at)));
}

function ruleErrors(
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  path: FieldPath,
): Errors {
  const { action, onExitCodes, onPodConditions } = rule;
  const own = path.child('action');
  const errors: FieldError[] = [];
  if (!action) errors.push(required(own, validValues(ACTIONS)));
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.push(invalid(own, action, 'requires the backoffLimitPerIndex to be set'));
  else append(errors, oneOf(action, ACTIONS, own));
  if (onExitCodes) append(errors, exitCodesErrors(onExitCodes, names, path.child('onExitCodes')));
  const patterns = onPodConditions ?? [];
  if (patterns.length > 0) append(errors, patternsErrors(patterns, path.child('onPodConditions')));
  if (onExitCodes && patterns.length > 0)
    errors.push(plainInvalid(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && patterns.length === 0)
    errors.push(plainInvalid(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function exitCodesErrors(
  { operator, values, containerName }: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  names: ReadonlySet<string>,
  path: FieldPath,
): Errors {
  const errors: FieldError[] = [];
  const own = path.child('operator');
  if (!operator) errors.push(required(own, validValues(OPERATORS)));
  else append(errors, oneOf(operator, OPERATORS, own));
  if (containerName !== undefined && !names.has(containerName)) {
    const why = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(path.child('containerName'), containerName, why));
  }
  return [...errors, ...codesErrors(values ?? undefined, operator, path.child('values'))];
}

function codesErrors(values: readonly number[] | undefined, operator: string, path: FieldPath): Errors {
  const shown = new GoSyntax(
    `[]int32${values ? `{${values.join(', ')}}` : '(nil)'}`,
    JSON.stringify(values ?? null),
  );
  if (!values || values.length === 0) return [invalid(path, shown, 'at least one value is required')];
  if (values.length > MAX_CODES) return [tooMany(path, values.length, MAX_CODES)];
  const errors: FieldError[] = [];
  values.forEach((value, at) => {
    if (operator === 'In' && value === 0)
      errors.push(invalid(path.index(at), value, 'must not be 0 for the In operator'));
    if (values.indexOf(value) < at) errors.push(duplicate(path.index(at), value));
  });
  const isOrdered = values.every((value, at) => at === 0 || (values[at - 1] ?? value) <= value);
  return isOrdered ? errors : [...errors, invalid(path, shown, 'must be ordered')];
}

function patternsErrors(
  patterns: NonNullable<PodFailurePolicyRule['onPodConditions']>,
  path: FieldPath,
): Errors {
  if (patterns.length > MAX_PATTERNS) return [tooMany(path, patterns.length, MAX_PATTERNS)];
  return patterns.flatMap(({ type = '', status }, at) => {
    const own = path.index(at);
    const errors: FieldError[] = [...checkedBy(qualifiedName, type, own.child('type'))];
    if (!status) errors.push(required(own.child('status'), validValues(STATUSES)));
    else if (!STATUSES.includes(status)) errors.push(notSupported(own.child('status'), status, STATUSES));
    return errors;
  });
}
