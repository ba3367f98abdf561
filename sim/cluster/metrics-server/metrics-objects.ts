/**
 * The objects of a metrics server that an administrator has installed: its APIService, the service behind it, its
 * account, and what that may do. The server itself runs outside of the nodes, so its Endpoints are written by hand.
 */
import type { ApiObject } from '../../api/object.ts';
import type { LeftBehind } from '../../apiserver/bootstrap/bootstrap.ts';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const LABELS = { 'k8s-app': NAME };
const RBAC = 'rbac.authorization.k8s.io';
const IP = '192.0.2.5';
const CLUSTER_IP = '10.96.0.5';
export const PORT = 10_250;

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  content: object,
  namespace?: string,
): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }), labels: LABELS },
  ...content,
});

const role = (name: string, rules: readonly object[]): ApiObject =>
  object(`${RBAC}/v1`, 'ClusterRole', name, { rules });

const reading = (
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): object => ({
  apiGroups,
  resources,
  verbs,
});

const binding = (kind: 'ClusterRoleBinding' | 'RoleBinding', name: string, roleName: string): ApiObject =>
  object(
    `${RBAC}/v1`,
    kind,
    name,
    {
      roleRef: { apiGroup: RBAC, kind: kind === 'RoleBinding' ? 'Role' : 'ClusterRole', name: roleName },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
    },
    kind === 'RoleBinding' ? NAMESPACE : undefined,
  );

const READER: ApiObject = {
  ...role('system:aggregated-metrics-reader', [
    reading(['metrics.k8s.io'], ['pods', 'nodes'], ['get', 'list', 'watch']),
  ]),
  metadata: {
    name: 'system:aggregated-metrics-reader',
    labels: {
      ...LABELS,
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
      'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    },
  },
};

export const METRICS_OBJECTS: LeftBehind = {
  serviceaccounts: [object('v1', 'ServiceAccount', NAME, {}, NAMESPACE)],
  [`clusterroles.${RBAC}`]: [
    READER,
    role('system:metrics-server', [
      reading([''], ['nodes/metrics'], ['get']),
      reading([''], ['pods', 'nodes'], ['get', 'list', 'watch']),
    ]),
  ],
  [`rolebindings.${RBAC}`]: [
    binding('RoleBinding', 'metrics-server-auth-reader', 'extension-apiserver-authentication-reader'),
  ],
  [`clusterrolebindings.${RBAC}`]: [
    binding('ClusterRoleBinding', 'metrics-server:system:auth-delegator', 'system:auth-delegator'),
    binding('ClusterRoleBinding', 'system:metrics-server', 'system:metrics-server'),
  ],
  services: [
    object(
      'v1',
      'Service',
      NAME,
      {
        spec: {
          clusterIP: CLUSTER_IP,
          clusterIPs: [CLUSTER_IP],
          internalTrafficPolicy: 'Cluster',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: PORT }],
          sessionAffinity: 'None',
          type: 'ClusterIP',
        },
        status: { loadBalancer: {} },
      },
      NAMESPACE,
    ),
  ],
  endpoints: [
    object(
      'v1',
      'Endpoints',
      NAME,
      { subsets: [{ addresses: [{ ip: IP }], ports: [{ name: 'https', port: PORT, protocol: 'TCP' }] }] },
      NAMESPACE,
    ),
  ],
  'apiservices.apiregistration.k8s.io': [
    object('apiregistration.k8s.io/v1', 'APIService', 'v1beta1.metrics.k8s.io', {
      spec: {
        group: 'metrics.k8s.io',
        groupPriorityMinimum: 100,
        insecureSkipTLSVerify: true,
        service: { name: NAME, namespace: NAMESPACE, port: 443 },
        version: 'v1beta1',
        versionPriority: 100,
      },
      status: {},
    }),
  ],
};
