/** What a policy or a binding of one matches. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { checkedBy, oneOf, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { pathSegmentName } from '../../../../api/validation/names.ts';
import { matchRuleErrors } from './match-rules.ts';

export function matchResourcesErrors(match: MatchResources, path: FieldPath): FieldError[] {
  const {
    matchPolicy,
    namespaceSelector,
    objectSelector,
    resourceRules = [],
    excludeResourceRules = [],
  } = match;
  const policyPath = path.child('matchPolicy');
  const errors: FieldError[] =
    matchPolicy === undefined
      ? [required(policyPath)]
      : [...oneOf(matchPolicy, ['Equivalent', 'Exact'], policyPath)];
  if (!namespaceSelector) errors.push(required(path.child('namespaceSelector')));
  else append(errors, validateLabelSelector(namespaceSelector, path.child('namespaceSelector')));
  if (!objectSelector) errors.push(required(path.child('objectSelector')));
  else append(errors, validateLabelSelector(objectSelector, path.child('objectSelector')));
  return [
    ...errors,
    ...resourceRules.flatMap((rule, at) => ruleErrors(rule, path.child('resourceRules').index(at))),
    ...excludeResourceRules.flatMap((rule, at) =>
      ruleErrors(rule, path.child('excludeResourceRules').index(at)),
    ),
  ];
}

function ruleErrors(rule: NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  const repeated = repeatedAt(names);
  const ofNames = names.flatMap((name, at): readonly FieldError[] => {
    const field = path.child('resourceNames').index(at);
    const wrong = checkedBy(pathSegmentName, name, field);
    return repeated.has(at) ? [...wrong, duplicate(field, name)] : wrong;
  });
  return [...ofNames, ...matchRuleErrors(rule, path)];
}
