/**
 * The roles and bindings that an API server puts into an empty storage: those of users, of the parts of the control
 * plane, and of each controller. Specification: "Authentication" 3.
 */
import type { ApiObject } from '../../api/object.ts';
import { RBAC_DEFAULTS } from './tables/rbac-defaults.ts';

const METADATA = {
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
};
const KINDS = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
} as const;

type RbacResource = keyof typeof KINDS;

interface Row {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** By resource, in the order in which they are made. */
export type RbacDefaults = Readonly<Record<RbacResource, readonly ApiObject[]>>;

let known: RbacDefaults | undefined;

export function rbacDefaults(): RbacDefaults {
  if (known) return known;
  const tables = JSON.parse(RBAC_DEFAULTS) as Readonly<Record<RbacResource, readonly Row[]>>;
  const objectsOf = (resource: RbacResource): readonly ApiObject[] =>
    tables[resource].map((row) => rbacObject(KINDS[resource], row));
  known = {
    clusterroles: objectsOf('clusterroles'),
    clusterrolebindings: objectsOf('clusterrolebindings'),
    roles: objectsOf('roles'),
    rolebindings: objectsOf('rolebindings'),
  };
  return known;
}

export const rbacObject = (kind: string, { name, namespace, labels, ...content }: Row): ApiObject => ({
  kind,
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: {
    name,
    ...(namespace !== undefined && { namespace }),
    ...METADATA,
    ...(labels && { labels: { ...METADATA.labels, ...labels } }),
  },
  ...content,
});
