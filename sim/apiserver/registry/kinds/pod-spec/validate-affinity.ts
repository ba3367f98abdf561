/** Rules of affinities: which nodes and which other pods a pod wants near. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../../api/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelName, validateLabelSelector } from '../../../../api/validation/labels.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';

const NONE: readonly FieldError[] = [];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Affinity | undefined, path: FieldPath): readonly FieldError[] {
  if (!affinity) return NONE;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const errors: FieldError[] = [];
  if (nodeAffinity) {
    const own = path.child('nodeAffinity');
    const { requiredDuringSchedulingIgnoredDuringExecution: terms } = nodeAffinity;
    if (terms) append(errors, validateNodeSelector(terms, own.child(REQUIRED)));
    nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, preference }, at) => {
      const term = own.child(PREFERRED).index(at);
      append(errors, validateWeight(weight, term.child('weight')));
      append(errors, validateNodeTerm(preference ?? {}, term.child('preference')));
    });
  }
  if (podAffinity) append(errors, validatePodAffinity(podAffinity, path.child('podAffinity')));
  if (podAntiAffinity) append(errors, validatePodAffinity(podAntiAffinity, path.child('podAntiAffinity')));
  return errors;
}

const validateWeight = (weight: number, path: FieldPath): readonly FieldError[] =>
  weight >= 1 && weight <= 100 ? NONE : [invalid(path, weight, 'must be in the range 1-100')];

export function validateNodeSelector(
  { nodeSelectorTerms }: NodeSelector,
  path: FieldPath,
): readonly FieldError[] {
  const own = path.child('nodeSelectorTerms');
  if (!nodeSelectorTerms || nodeSelectorTerms.length === 0) {
    return [required(own, 'must have at least one node selector term')];
  }
  return nodeSelectorTerms.flatMap((term, at) => validateNodeTerm(term, own.index(at)));
}

function validateNodeTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  path: FieldPath,
): readonly FieldError[] {
  return [
    ...(matchExpressions ?? []).flatMap((requirement, at) =>
      validateNodeRequirement(requirement, path.child('matchExpressions').index(at)),
    ),
    ...(matchFields ?? []).flatMap((requirement, at) =>
      validateNodeField(requirement, path.child('matchFields').index(at)),
    ),
  ];
}

function validateNodeRequirement(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
): readonly FieldError[] {
  return [
    ...validateOperator(operator, values?.length ?? 0, path),
    ...validateLabelName(key, path.child('key')),
  ];
}

function validateOperator(operator: string, count: number, path: FieldPath): readonly FieldError[] {
  const values = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? NONE : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return NONE;
      return [forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (count === 1) return NONE;
      return [required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}

function validateNodeField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child('values'), why));
  }
  if (key !== 'metadata.name')
    return [...errors, invalid(path.child('key'), key, 'not a valid field selector key')];
  values.forEach((value, at) => {
    for (const finding of dns1123Subdomain(value))
      errors.push(invalid(path.child('values').index(at), value, finding));
  });
  return errors;
}

function validatePodAffinity(affinity: PodAffinity, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  affinity.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, at) => {
    append(errors, validatePodTerm(term, path.child(REQUIRED).index(at)));
  });
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, podAffinityTerm }, at) => {
    const own = path.child(PREFERRED).index(at);
    append(errors, validateWeight(weight, own.child('weight')));
    append(errors, validatePodTerm(podAffinityTerm, own.child('podAffinityTerm')));
  });
  return errors;
}

function validatePodTerm(term: PodAffinityTerm, path: FieldPath): readonly FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  const errors: FieldError[] = [
    ...validateLabelSelector(labelSelector, path.child('labelSelector')),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
  ];
  for (const name of namespaces) {
    for (const finding of dns1123Label(name)) errors.push(invalid(path.child('namespace'), name, finding));
  }
  for (const list of ['matchLabelKeys', 'mismatchLabelKeys'] as const) {
    const keys = term[list] ?? [];
    if (keys.length > 0 && !labelSelector)
      errors.push(forbidden(path.child(list), 'must not be specified when labelSelector is not set'));
    else keys.forEach((key, at) => append(errors, validateLabelName(key, path.child(list).index(at))));
  }
  const mismatched = new Set(term.mismatchLabelKeys);
  term.matchLabelKeys?.forEach((key, at) => {
    if (!mismatched.has(key)) return;
    const why = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(invalid(path.child('matchLabelKeys').index(at), key, why));
  });
  if (!topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  append(errors, validateLabelName(topologyKey ?? '', path.child('topologyKey')));
  return errors;
}
