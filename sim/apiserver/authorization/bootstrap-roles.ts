/**
 * The roles and bindings that a server starts with, as far as requests of ordinary users depend on
 * them: discovery and health for everyone, reviews of oneself for users. Specification: "Authentication" 3.
 */
import type { ApiObject } from '../../api/object.ts';

interface RuleFields {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const METADATA = {
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
};

const role = (name: string, rules: readonly RuleFields[] | null, more: object = {}): ApiObject => ({
  kind: 'ClusterRole',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name, ...METADATA },
  rules,
  ...more,
});

const binding = (name: string, groups: readonly string[]): ApiObject => ({
  kind: 'ClusterRoleBinding',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name, ...METADATA },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: groups.map((group) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group })),
});

const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY_PATHS = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];
const AUTHENTICATED = 'system:authenticated';

const aggregated = (label: string): object => ({
  aggregationRule: {
    clusterRoleSelectors: [{ matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${label}`]: 'true' } }],
  },
});

export const BOOTSTRAP_ROLES: readonly ApiObject[] = [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  role('admin', null, aggregated('admin')),
  role('edit', null, aggregated('edit')),
  role('view', null, aggregated('view')),
  role('system:discovery', [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ['get'] }]),
  role('system:public-info-viewer', [{ nonResourceURLs: PUBLIC_PATHS, verbs: ['get'] }]),
  role('system:basic-user', [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ]),
  role('system:service-account-issuer-discovery', [
    {
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
      verbs: ['get'],
    },
  ]),
];

export const BOOTSTRAP_BINDINGS: readonly ApiObject[] = [
  binding('cluster-admin', ['system:masters']),
  binding('system:discovery', [AUTHENTICATED]),
  binding('system:public-info-viewer', [AUTHENTICATED, 'system:unauthenticated']),
  binding('system:basic-user', [AUTHENTICATED]),
  binding('system:service-account-issuer-discovery', ['system:serviceaccounts']),
];
