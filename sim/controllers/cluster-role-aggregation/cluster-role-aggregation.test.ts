import { expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { aggregatedRules } from './cluster-role-aggregation.ts';

const { clusterRoles } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const USER = 'system:serviceaccount:kube-system:clusterrole-aggregation-controller';
const rule = { apiGroups: ['shop.example.com'], resources: ['widgets'], verbs: ['get'] };
const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };

it('rules are taken by the names of their roles, each once, and never from the role itself', () => {
  const named = (name: string, rules: (typeof rule)[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
  });
  const other = { ...rule, resources: ['gadgets'] };
  const sum = {
    ...named('sum', [other]),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
  };
  expect(aggregatedRules(sum, [named('b', [rule]), sum, named('a', [rule, { ...rule }])])).toEqual([rule]);
});

it('a role that came while writes were refused, or the manager was away, is in the sum afterwards', () => {
  const cluster = createCluster();
  cluster.advance(seconds(1));
  const roles = cluster.client.resource(clusterRoles);
  const isIn = (name: string): boolean =>
    (roles.get(name).rules ?? []).some(({ apiGroups }) => apiGroups?.includes('shop.example.com'));
  cluster.faults.failWrites({ user: USER });
  roles.create({ metadata: { name: 'widgets', labels }, rules: [rule] });
  cluster.advance(seconds(2));
  expect(isIn('view')).toBe(false);
  cluster.faults.allowWrites({ user: USER });
  cluster.advance(seconds(30));
  expect(['view', 'edit', 'admin'].map(isIn)).toEqual([true, true, true]);
  cluster.faults.crash(MANAGER);
  roles.delete('widgets');
  cluster.faults.restart(MANAGER);
  cluster.advance(seconds(5));
  expect(['view', 'edit', 'admin'].map(isIn)).toEqual([false, false, false]);
});
