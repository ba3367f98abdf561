/** Rules of what a pod says about where it may run: tolerations, spread, gates. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  PodSchedulingGate,
  Toleration,
  TopologySpreadConstraint,
} from '../../../../api/types/core-v1.ts';
import type { LabelSelector } from '../../../../api/types/meta-k8s-io-v1.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelName, validateLabelSelector } from '../../../../api/validation/labels.ts';
import { labelValue, qualifiedName } from '../../../../api/validation/names.ts';
import { goValue } from '../go-value.ts';

const NONE: readonly FieldError[] = [];

/** Effects of taints, as messages list them. */
export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(
  tolerations: readonly Toleration[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  return (tolerations ?? []).flatMap((toleration, at) => validateToleration(toleration, path.index(at)));
}

function validateToleration(toleration: Toleration, path: FieldPath): readonly FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key) append(errors, validateLabelName(key, path.child('key')));
  if (!key && operator !== 'Exists') {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(path.child('operator'), operator, why));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(
      invalid(path.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    );
  }
  append(errors, validateTolerationValue(toleration, path.child('operator')));
  if (effect && !TAINT_EFFECTS.includes(effect)) {
    errors.push(notSupported(path.child('effect'), effect, TAINT_EFFECTS));
  }
  return errors;
}

function validateTolerationValue(toleration: Toleration, path: FieldPath): readonly FieldError[] {
  const { operator = '', value = '' } = toleration;
  if (operator === '' || operator === 'Equal') {
    const findings = labelValue(value);
    return findings.length === 0 ? NONE : [invalid(path, value, findings.join(';'))];
  }
  if (operator !== 'Exists') return operatorErrors(operator, path);
  if (value === '') return NONE;
  const why = "value must be empty when `operator` is 'Exists'";
  return [
    ...until('1.32', [invalid(path, goValue('v1.Toleration', toleration), why)]),
    ...since('1.32', [invalid(path, value, why)]),
  ];
}

const OPERATORS = ['Equal', 'Exists'];
const COMPARISONS = ['Lt', 'Gt'];

/** Comparisons are off by default, and yet named to those who try them. */
function operatorErrors(operator: string, path: FieldPath): readonly FieldError[] {
  const errors = [notSupported(path, operator, OPERATORS)];
  if (!COMPARISONS.includes(operator)) return errors;
  const named = [notSupported(path, operator, [...OPERATORS, ...COMPARISONS])];
  return [...until('1.35', errors), ...since('1.35', named)];
}

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION = ['Honor', 'Ignore'];
const MUST_BE_POSITIVE = 'must be greater than zero';

export function validateSpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const pairOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
    `{${topologyKey}, ${whenUnsatisfiable}}`;
  const lastAt = new Map((constraints ?? []).map((constraint, at) => [pairOf(constraint), at]));
  return (constraints ?? []).flatMap((constraint, at) => {
    const own = path.index(at);
    const { topologyKey, whenUnsatisfiable, maxSkew } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(own.child('maxSkew'), maxSkew, MUST_BE_POSITIVE));
    if (!topologyKey) errors.push(required(own.child('topologyKey'), 'can not be empty'));
    if (!UNSATISFIABLE.includes(whenUnsatisfiable)) {
      errors.push(notSupported(own.child('whenUnsatisfiable'), whenUnsatisfiable, UNSATISFIABLE));
    }
    const pair = pairOf(constraint);
    if (lastAt.get(pair) !== at) errors.push(duplicate(own.child('{topologyKey, whenUnsatisfiable}'), pair));
    return [...errors, ...validateSpreadPolicies(constraint, own)];
  });
}

function validateSpreadPolicies(
  constraint: TopologySpreadConstraint,
  path: FieldPath,
): readonly FieldError[] {
  const { minDomains, whenUnsatisfiable, labelSelector, matchLabelKeys } = constraint;
  const errors: FieldError[] = [];
  if (minDomains !== undefined) {
    const own = path.child('minDomains');
    if (minDomains <= 0) errors.push(invalid(own, minDomains, MUST_BE_POSITIVE));
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(invalid(own, minDomains, why));
    }
  }
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[name];
    if (policy !== undefined && !INCLUSION.includes(policy)) {
      errors.push(notSupported(path.child(name), policy, INCLUSION));
    }
  }
  if (matchLabelKeys && matchLabelKeys.length > 0) {
    const own = path.child('matchLabelKeys');
    if (!labelSelector) errors.push(forbidden(own, 'must not be specified when labelSelector is not set'));
    const looksAt = selectorKeys(labelSelector ?? {});
    matchLabelKeys.forEach((key, at) => {
      append(errors, validateLabelName(key, own.index(at)));
      if (looksAt.has(key))
        errors.push(invalid(own.index(at), key, 'exists in both matchLabelKeys and labelSelector'));
    });
  }
  append(errors, validateLabelSelector(labelSelector, path.child('labelSelector')));
  return errors;
}

/** Labels that a selector looks at. */
export const selectorKeys = ({ matchLabels, matchExpressions }: LabelSelector): ReadonlySet<string> =>
  new Set([...Object.keys(matchLabels ?? {}), ...(matchExpressions ?? []).map(({ key }) => key)]);

export function validateGates(
  gates: readonly PodSchedulingGate[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const seen = new Set<string>();
  return (gates ?? []).flatMap(({ name }, at) => {
    const own = path.index(at);
    const errors = qualifiedName(name).map((finding) => invalid(own, name, finding));
    if (seen.has(name)) errors.push(duplicate(own, name));
    seen.add(name);
    return errors;
  });
}
