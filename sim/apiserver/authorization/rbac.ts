/**
 * Role-based access: what the bindings of a user (or of the user's groups, or of a service account)
 * give by the rules of roles. `system:masters` may do anything. Rights only add up; nothing denies.
 * Specification: "Authentication" 3 and 4.
 */
import type { ApiObject } from '../../api/object.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { UserInfo } from '../request/request.ts';
import type { AccessAttributes, AccessDecision, Authorizer, KnownRules } from './authorizer.ts';

/** Present roles and bindings, by resource; an empty namespace for cluster-scoped ones. */
export interface RbacObjects {
  get(resource: 'roles' | 'clusterroles', namespace: string, name: string): ApiObject | undefined;
  list(resource: 'rolebindings' | 'clusterrolebindings', namespace: string): readonly ApiObject[];
}

const MASTERS = 'system:masters';
const ALLOWED: AccessDecision = { isAllowed: true, reason: '' };
const SERVICE_ACCOUNT = 'system:serviceaccount:';

export class RbacAuthorizer implements Authorizer {
  readonly #objects: RbacObjects;

  constructor(objects: RbacObjects) {
    this.#objects = objects;
  }

  authorize(attributes: AccessAttributes): AccessDecision {
    if (attributes.user.groups.includes(MASTERS)) return ALLOWED;
    const missing = new Set<string>();
    for (const grant of this.grants(attributes.user, attributes.namespace, missing)) {
      if (!grant.rules.some((rule) => ruleAllows(rule, attributes))) continue;
      return { isAllowed: true, reason: `RBAC: allowed by ${grant.text}` };
    }
    if (missing.size === 0) return { isAllowed: false, reason: '' };
    const texts = [...missing];
    return { isAllowed: false, reason: `RBAC: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}` };
  }

  /** All rules that a user has in a namespace (cluster-wide only if it is empty). */
  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const missing = new Set<string>();
    const rules = [...this.grants(user, namespace, missing)].flatMap((grant) => [...grant.rules]);
    return { rules, problems: [...missing] };
  }

  /** Rules by binding; `missing` hears of bindings to roles that are not there. */
  *grants(user: UserInfo, namespace: string, missing: Set<string>): Generator<Grant> {
    for (const binding of this.#objects.list('clusterrolebindings', '') as readonly ClusterRoleBinding[]) {
      yield* this.#grantOf(binding, '', user, missing);
    }
    if (namespace === '') return;
    for (const binding of this.#objects.list('rolebindings', namespace) as readonly RoleBinding[]) {
      yield* this.#grantOf(binding, namespace, user, missing);
    }
  }

  *#grantOf(
    binding: ClusterRoleBinding | RoleBinding,
    namespace: string,
    user: UserInfo,
    missing: Set<string>,
  ): Generator<Grant> {
    const subject = (binding.subjects ?? []).find((candidate) => isSubject(candidate, user, namespace));
    if (!subject) return;
    const { kind, name } = binding.roleRef;
    const resource = kind === 'Role' ? 'roles' : 'clusterroles';
    const role: Role | ClusterRole | undefined = this.#objects.get(
      resource,
      resource === 'roles' ? namespace : '',
      name,
    );
    if (!role) {
      missing.add(`${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`);
      return;
    }
    const bindingName = binding.metadata.name ?? '';
    const bindingText = namespace
      ? `RoleBinding ${JSON.stringify(`${bindingName}/${namespace}`)}`
      : `ClusterRoleBinding ${JSON.stringify(bindingName)}`;
    // Rules about URLs are of no use in a namespace, and yet they count as held there.
    yield {
      rules: role.rules ?? [],
      text: `${bindingText} of ${kind} ${JSON.stringify(name)} to ${subjectText(subject)}`,
    };
  }
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly text: string;
}

function subjectText({ kind, name, namespace }: Subject): string {
  return kind === 'ServiceAccount'
    ? `ServiceAccount ${JSON.stringify(`${name}/${namespace ?? ''}`)}`
    : `${kind} ${JSON.stringify(name)}`;
}

function isSubject(subject: Subject, user: UserInfo, bindingNamespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace ?? bindingNamespace;
      return namespace !== '' && user.name === `${SERVICE_ACCOUNT}${namespace}:${subject.name}`;
    }
    default:
      return false;
  }
}

export function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!rule.verbs.includes('*') && !rule.verbs.includes(attributes.verb)) return false;
  if (!attributes.isResourceRequest)
    return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, attributes.path));
  const { apiGroups = [], resourceNames = [] } = rule;
  if (!apiGroups.includes('*') && !apiGroups.includes(attributes.group)) return false;
  if (!resourceMatches(rule.resources ?? [], attributes)) return false;
  return resourceNames.length === 0 || resourceNames.includes(attributes.name);
}

function resourceMatches(resources: readonly string[], { resource, subresource }: AccessAttributes): boolean {
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  return resources.some(
    (candidate) =>
      candidate === '*' || candidate === wanted || (subresource !== '' && candidate === `*/${subresource}`),
  );
}

const urlMatches = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
