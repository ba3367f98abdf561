/** Roles of controllers that a server has only while it serves what they tend. Kubernetes 1.31. */
import type { ApiObject } from '../../api/object.ts';
import type { Registry } from '../registry/registry.ts';
import { rbacObject } from './rbac-defaults.ts';

const NAME = 'system:controller:storage-version-garbage-collector';
const GROUP = 'internal.apiserver.k8s.io';
const READ = ['get', 'list', 'watch'];
const RULES = [
  { verbs: READ, apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
  { verbs: ['delete', ...READ, 'patch', 'update'], apiGroups: [GROUP], resources: ['storageversions'] },
  { verbs: ['get', 'patch', 'update'], apiGroups: [GROUP], resources: ['storageversions/status'] },
];
const SUBJECT = {
  kind: 'ServiceAccount',
  name: 'storage-version-garbage-collector',
  namespace: 'kube-system',
};
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME };

const STORAGE_VERSION_ROLES: readonly (readonly [resource: string, objects: readonly ApiObject[]])[] = [
  ['clusterroles.rbac.authorization.k8s.io', [rbacObject('ClusterRole', { name: NAME, rules: RULES })]],
  [
    'clusterrolebindings.rbac.authorization.k8s.io',
    [rbacObject('ClusterRoleBinding', { name: NAME, subjects: [SUBJECT], roleRef: ROLE_REF })],
  ],
];

export const alphaRoles = (registry: Registry): typeof STORAGE_VERSION_ROLES =>
  registry.findByText(`storageversions.${GROUP}`) ? STORAGE_VERSION_ROLES : [];
