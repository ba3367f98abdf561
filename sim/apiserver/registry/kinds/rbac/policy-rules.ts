/** Rules of roles. */
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PolicyRule } from '../../../../api/types/rbac-authorization-k8s-io-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';

export function policyRuleErrors(
  rules: readonly PolicyRule[] | null | undefined,
  isNamespaced: boolean,
): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => ruleErrors(rule, isNamespaced, FieldPath.of('rules').index(at)));
}

function ruleErrors(rule: PolicyRule, isNamespaced: boolean, path: FieldPath): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (!verbs?.length) errors.push(required(path.child('verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const field = path.child('nonResourceURLs');
    const shown = goStringSlice(nonResourceURLs);
    if (isNamespaced)
      errors.push(invalid(field, shown, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      errors.push(
        invalid(field, shown, 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  return errors;
}
