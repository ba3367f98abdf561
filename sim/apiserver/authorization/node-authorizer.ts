/**
 * What the agents of nodes may do, as `--authorization-mode=Node` of kube-apiserver has it: the rules are
 * those of Kubernetes 1.31, but all nodes have the same rights; that an object belongs to the node that asks
 * for it is not looked at. Whoever is no node is a matter for the next authorizer.
 */
import type { PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { UserInfo } from '../request/request.ts';
import type { AccessAttributes, AccessDecision, Authorizer, KnownRules } from './authorizer.ts';
import { ruleAllows } from './rbac.ts';

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

const READ = ['get', 'list', 'watch'];

const NODE_RULES: readonly PolicyRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews', 'localsubjectaccessreviews'], ['create']),
  rule('', ['services'], READ),
  rule('', ['nodes'], ['create', ...READ, 'update', 'patch']),
  rule('', ['nodes/status'], ['update', 'patch']),
  rule('', ['events'], ['create', 'update', 'patch']),
  rule('', ['pods'], [...READ, 'create', 'delete']),
  rule('', ['pods/status'], ['update', 'patch']),
  rule('', ['pods/eviction'], ['create']),
  rule('', ['secrets', 'configmaps'], READ),
  rule('', ['persistentvolumeclaims', 'persistentvolumes', 'endpoints'], ['get']),
  rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', ...READ]),
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('storage.k8s.io', ['volumeattachments'], ['get']),
  rule('', ['serviceaccounts/token'], ['create']),
  rule('', ['persistentvolumeclaims/status'], ['get', 'update', 'patch']),
  rule('storage.k8s.io', ['csidrivers'], READ),
  rule('storage.k8s.io', ['csinodes'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('node.k8s.io', ['runtimeclasses'], READ),
];

const ALLOWED: AccessDecision = { isAllowed: true, reason: '' };

export class NodeAuthorizer implements Authorizer {
  readonly #next: Authorizer;

  constructor(next: Authorizer) {
    this.#next = next;
  }

  authorize(attributes: AccessAttributes): AccessDecision {
    const isOfNodes = isNode(attributes.user) && NODE_RULES.some((each) => ruleAllows(each, attributes));
    return isOfNodes ? ALLOWED : this.#next.authorize(attributes);
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const known = this.#next.rulesFor(user, namespace);
    return isNode(user) ? { ...known, rules: [...NODE_RULES, ...known.rules] } : known;
  }
}

const isNode = ({ name, groups }: UserInfo): boolean =>
  name.startsWith('system:node:') && groups.includes('system:nodes');
