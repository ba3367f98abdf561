/**
 * Nobody gives away rights that he does not have: roles and bindings are held against the rights of
 * whoever writes them, unless the verbs `escalate` or `bind` lift that. Specification: "Authentication" 4.
 */
import { goQuote } from '../../../api/go-text.ts';
import { forbidden, notFound, plainError } from '../../../api/status.ts';
import type {
  ClusterRole,
  PolicyRule,
  Role,
  RoleBinding,
} from '../../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { KnownRules } from '../../authorization/authorizer.ts';
import { uncoveredRights } from '../../authorization/covering-rules.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import { isSameButForCollection } from './same-but-for-collection.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';

const GROUP = 'rbac.authorization.k8s.io';
const MASTERS = 'system:masters';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const privilegeEscalation: AdmissionPlugin = {
  name: 'PrivilegeEscalation',
  asksAccess: true,
  handles: (operation, { group }) => (operation === 'CREATE' || operation === 'UPDATE') && group === GROUP,
  admit: (attributes) => {
    const { context, resource, oldObject, object } = attributes;
    if (context.allowsEverything || context.user.groups.includes(MASTERS)) return;
    if (oldObject && object && isSameButForCollection(object, oldObject) && !isEqualJson(object, oldObject))
      return;
    if (resource.resource.endsWith('bindings')) checkBinding(attributes);
    else checkRole(attributes);
  },
};

function checkRole(attributes: AdmissionAttributes): void {
  const { object, oldObject, resource, name, context } = attributes;
  if (isAllowed(attributes, { verb: 'escalate', resource: resource.resource, name: context.nameInPath }))
    return;
  const role = object as Role & ClusterRole;
  confirm(attributes, role.rules ?? []);
  // It can gather anything, and one that is taken away may have kept others out.
  const aggregates = role.aggregationRule ?? (oldObject as Partial<ClusterRole> | undefined)?.aggregationRule;
  if (aggregates && uncoveredRights(ownRights(attributes).rules, EVERYTHING).length > 0) {
    throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

/** What a binding may refer to. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['Role', 'roles'],
  ['ClusterRole', 'clusterroles'],
]);

function checkBinding(attributes: AdmissionAttributes): void {
  const { roleRef } = attributes.object as Draft<RoleBinding>;
  if (!roleRef) return;
  const resource = ROLES.get(roleRef.kind);
  if (resource === undefined) throw plainError(`unsupported role reference kind: ${goQuote(roleRef.kind)}`);
  if (isAllowed(attributes, { verb: 'bind', group: roleRef.apiGroup, resource, name: roleRef.name })) return;
  const namespace = resource === 'roles' ? attributes.namespace : '';
  const role: Role | ClusterRole | undefined = attributes.context.lookup(
    `${resource}.${GROUP}`,
    namespace,
    roleRef.name,
  );
  if (!role) throw notFound({ group: GROUP, resource }, roleRef.name);
  confirm(attributes, role.rules ?? []);
}

function isAllowed(
  { context, namespace }: AdmissionAttributes,
  question: { verb: string; group?: string; resource: string; name: string },
): boolean {
  const decision = context.authorizer.authorize({
    user: context.user,
    isResourceRequest: true,
    path: '',
    group: GROUP,
    version: '*',
    subresource: '',
    namespace,
    ...question,
  });
  return decision.isAllowed;
}

function ownRights({ context: { authorizer, user }, namespace }: AdmissionAttributes): KnownRules {
  return authorizer.rightsFor?.(user, namespace) ?? authorizer.rulesFor(user, namespace);
}

function confirm(attributes: AdmissionAttributes, wanted: readonly PolicyRule[]): void {
  const { rules, problems } = ownRights(attributes);
  const missing = uncoveredRights(rules, wanted);
  if (missing.length === 0) return;
  const { resource, name, context } = attributes;
  const groups = context.user.groups.map(goQuote).join(' ');
  throw forbidden(
    resource,
    name,
    `user ${goQuote(context.user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${problemsText(problems)}`,
  );
}

/** Bindings to roles that are not there, named as resources. */
function problemsText(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  const named = problems.map((problem) => problem.replace(/^(cluster)?role(?=\.)/, '$&s'));
  return `; resolution errors: [${named.join(', ')}]`;
}
