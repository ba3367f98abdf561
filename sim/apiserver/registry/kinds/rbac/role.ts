/** Role and ClusterRole: named sets of permissions. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ClusterRole, Role } from '../../../../api/types/rbac-authorization-k8s-io-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { pathSegmentName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { policyRuleErrors } from './policy-rules.ts';

export const roleKind = defineKind<Role>({
  group: 'rbac.authorization.k8s.io',
  resource: 'roles',
  strategy: {
    nameCheck: (name) => pathSegmentName(name),
    metadataChecks: ['object', 'rules', 'object', 'rules', 'change'],
    asksOnceSince: '1.35',
    allowsCreateOnUpdate: true,
    validate: ({ rules }) => policyRuleErrors(rules, true),
  },
});

export const clusterRoleKind = defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  strategy: {
    nameCheck: (name) => pathSegmentName(name),
    metadataChecks: ['object', 'rules', 'object', 'rules', 'change'],
    asksOnceSince: '1.35',
    allowsCreateOnUpdate: true,
    validate: clusterRoleErrors,
  },
});

function clusterRoleErrors({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const errors = policyRuleErrors(rules, false);
  if (!aggregationRule) return errors;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  for (const [at, selector] of selectors.entries()) {
    const wrong = validateLabelSelector(selector, path.index(at));
    append(errors, wrong);
    // The server fails to make a selector of it and shows nothing of what it failed on.
    if (wrong.length > 0) errors.push(invalid(path.index(at), null, 'invalid label selector.'));
  }
  return errors;
}
