import { beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../cluster/cluster.ts';
import { createCluster } from '../../../cluster/create-cluster.ts';
import { WireUser } from '../../../cluster/wire-user.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ALICE = { name: 'alice', groups: ['system:authenticated'] };
const ROLES = {
  verbs: ['get', 'create', 'update'],
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['roles', 'clusterroles'],
};
const URLS = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
const AGGREGATION = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };

let cluster: Cluster;
let user: WireUser;

/** Alice may write roles, and in `default` she has the rules of a ClusterRole with a URL. */
beforeEach(() => {
  cluster = createCluster({ authorizationMode: 'RBAC', controllers: [] });
  user = new WireUser(cluster);
  const { clusterRoles, clusterRoleBindings, roleBindings } = cluster.client;
  const toAlice = { subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }] };
  const ref = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
  clusterRoles.create({ metadata: { name: 'writer' }, rules: [ROLES] });
  clusterRoles.create({ metadata: { name: 'scraper' }, rules: [URLS] });
  clusterRoleBindings.create({ metadata: { name: 'writer' }, ...toAlice, roleRef: ref('writer') });
  roleBindings.create({
    metadata: { name: 'scraper', namespace: 'default' },
    ...toAlice,
    roleRef: ref('scraper'),
  });
});

function asAlice(method: 'POST' | 'PUT' | 'GET', path: string, body?: object) {
  const answer = user.request({
    method,
    path,
    body,
    user: ALICE,
    headers: { 'content-type': 'application/json' },
  });
  return { status: answer?.status, body: JSON.parse(String(answer?.body)) as Record<string, unknown> };
}

const role = (rules: readonly object[], more: object = {}): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'new' },
  rules,
  ...more,
});

describe('rights on URLs that a user has by a RoleBinding', () => {
  it('are told in a review of the rules of the namespace', () => {
    const { body } = asAlice('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: 'default' },
    });
    const { nonResourceRules } = body['status'] as { readonly nonResourceRules: readonly object[] };
    expect(nonResourceRules).toContainEqual(URLS);
  });

  it('do not let anybody use the URL', () => {
    expect(user.request({ method: 'GET', path: '/metrics', user: ALICE })?.status).toBe(403);
  });
});

describe('a role that gives what its writer does not have', () => {
  it('is refused with a line for each verb on a URL, and one for all verbs on a resource', () => {
    const rules = [
      { verbs: ['get', 'put'], nonResourceURLs: ['/metrics'] },
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
    ];
    const { status, body } = asAlice('POST', `${RBAC}/clusterroles`, role(rules));
    expect(status).toBe(403);
    expect(String(body['message']).split('\n').slice(1)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["put"]}',
    ]);
  });

  it('is refused for its rules first, and then for what it aggregates', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const both = asAlice('POST', `${RBAC}/clusterroles`, role(rules, { aggregationRule: AGGREGATION }));
    expect(both.body['message']).toContain('is attempting to grant RBAC permissions not currently held');
    const one = asAlice('POST', `${RBAC}/clusterroles`, role([], { aggregationRule: AGGREGATION }));
    expect(one.status).toBe(403);
    expect(one.body['message']).toContain('must have cluster-admin privileges to use the aggregationRule');
  });

  it('is refused as well when it takes an aggregation away', () => {
    cluster.client.clusterRoles.create({
      metadata: { name: 'new' },
      aggregationRule: AGGREGATION,
      rules: [],
    });
    const { status, body } = asAlice('PUT', `${RBAC}/clusterroles/new`, role([]));
    expect(status).toBe(403);
    expect(body['message']).toContain('must have cluster-admin privileges');
  });
});
