/** A valid object of each kind that verification generates: what mutations begin with. */
import type { Json, JsonObject } from '../../../api/object.ts';

export interface Subject {
  /** `apps/v1`, or `v1`. */
  readonly apiVersion: string;
  readonly resource: string;
  readonly kind: string;
  /** Objects of the whole cluster have the mark of the run in their names. */
  readonly isNamespaced: boolean;
  /** Everything but kind, version and metadata. */
  readonly members: Readonly<Record<string, Json>>;
  /** In place of the run's mark, where the kind says how its objects are called. */
  readonly name?: string;
  /** Others would feel it: it is only ever created dry. */
  readonly isDryOnly?: true;
}

const CONTAINERS = [{ name: 'c', image: 'i' }];
const POD = { containers: CONTAINERS };
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: POD };
const SELECTOR = { matchLabels: { app: 'a' } };
const JOB = { template: { spec: { restartPolicy: 'Never', containers: CONTAINERS } } };
const ROLE = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const SUBJECTS_OF_ROLE = [{ kind: 'User', name: 'somebody', apiGroup: 'rbac.authorization.k8s.io' }];
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const FLOW = {
  priorityLevelConfiguration: { name: 'catch-all' },
  matchingPrecedence: 5000,
  rules: [
    {
      subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/nowhere'] }],
    },
  ],
};

const inNamespace = (
  apiVersion: string,
  resource: string,
  kind: string,
  members: Subject['members'],
): Subject => ({ apiVersion, resource, kind, isNamespaced: true, members });

const ofCluster = (
  apiVersion: string,
  resource: string,
  kind: string,
  members: Subject['members'],
): Subject => ({ apiVersion, resource, kind, isNamespaced: false, members });

export const SUBJECTS: readonly Subject[] = [
  inNamespace('v1', 'configmaps', 'ConfigMap', { data: { a: 'b' } }),
  inNamespace('v1', 'secrets', 'Secret', { type: 'Opaque', data: { a: 'YQ==' } }),
  inNamespace('v1', 'serviceaccounts', 'ServiceAccount', {}),
  inNamespace('v1', 'services', 'Service', { spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } }),
  inNamespace('v1', 'endpoints', 'Endpoints', {
    subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
  }),
  inNamespace('v1', 'pods', 'Pod', { spec: POD }),
  inNamespace('v1', 'podtemplates', 'PodTemplate', { template: TEMPLATE }),
  inNamespace('v1', 'replicationcontrollers', 'ReplicationController', { spec: { template: TEMPLATE } }),
  inNamespace('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', { spec: CLAIM }),
  inNamespace('v1', 'resourcequotas', 'ResourceQuota', { spec: { hard: { pods: '10' } } }),
  inNamespace('v1', 'limitranges', 'LimitRange', {
    spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
  }),
  inNamespace('apps/v1', 'deployments', 'Deployment', { spec: { selector: SELECTOR, template: TEMPLATE } }),
  inNamespace('apps/v1', 'replicasets', 'ReplicaSet', { spec: { selector: SELECTOR, template: TEMPLATE } }),
  inNamespace('apps/v1', 'daemonsets', 'DaemonSet', { spec: { selector: SELECTOR, template: TEMPLATE } }),
  inNamespace('apps/v1', 'statefulsets', 'StatefulSet', {
    spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE },
  }),
  inNamespace('apps/v1', 'controllerrevisions', 'ControllerRevision', { revision: 1, data: { a: 1 } }),
  inNamespace('batch/v1', 'jobs', 'Job', { spec: JOB }),
  inNamespace('batch/v1', 'cronjobs', 'CronJob', {
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: JOB } },
  }),
  inNamespace('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }, maxReplicas: 3 },
  }),
  inNamespace('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector: SELECTOR },
  }),
  inNamespace('networking.k8s.io/v1', 'ingresses', 'Ingress', {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  }),
  inNamespace('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', { spec: { podSelector: {} } }),
  inNamespace('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }],
    ports: [{ name: 'a', port: 80 }],
  }),
  inNamespace('coordination.k8s.io/v1', 'leases', 'Lease', { spec: { holderIdentity: 'a' } }),
  inNamespace('rbac.authorization.k8s.io/v1', 'roles', 'Role', ROLE),
  inNamespace('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding', {
    roleRef: ROLE_REF,
    subjects: SUBJECTS_OF_ROLE,
  }),
  inNamespace('storage.k8s.io/v1', 'csistoragecapacities', 'CSIStorageCapacity', {
    storageClassName: 'none',
    capacity: '1Gi',
  }),
  ofCluster('v1', 'persistentvolumes', 'PersistentVolume', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      nfs: { server: 'nowhere.invalid', path: '/a' },
    },
  }),
  ofCluster('storage.k8s.io/v1', 'storageclasses', 'StorageClass', { provisioner: 'nothing.invalid/a' }),
  ofCluster('storage.k8s.io/v1', 'csidrivers', 'CSIDriver', { spec: {} }),
  ofCluster('storage.k8s.io/v1', 'volumeattachments', 'VolumeAttachment', {
    spec: { attacher: 'nothing.invalid', nodeName: 'none', source: { persistentVolumeName: 'none' } },
  }),
  ofCluster('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', { value: 10 }),
  ofCluster('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass', { handler: 'none' }),
  ofCluster('networking.k8s.io/v1', 'ingressclasses', 'IngressClass', {
    spec: { controller: 'nothing.invalid/a' },
  }),
  ofCluster('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', ROLE),
  ofCluster('rbac.authorization.k8s.io/v1', 'clusterrolebindings', 'ClusterRoleBinding', {
    roleRef: ROLE_REF,
    subjects: SUBJECTS_OF_ROLE,
  }),
  ofCluster('flowcontrol.apiserver.k8s.io/v1', 'flowschemas', 'FlowSchema', { spec: FLOW }),
  ofCluster('flowcontrol.apiserver.k8s.io/v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  }),
];

const dryOnly = (subject: Subject): Subject => ({ ...subject, isDryOnly: true });

const HOOK = {
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { service: { namespace: 'n', name: 's', path: '/a', port: 443 } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }],
  matchPolicy: 'Exact',
  timeoutSeconds: 5,
  failurePolicy: 'Ignore',
  objectSelector: SELECTOR,
  matchConditions: [{ name: 'a', expression: 'true' }],
};
const INVOLVED = { apiVersion: 'v1', kind: 'Pod', name: 'p' };

/** Kinds that steer the cluster, or that it makes itself. */
export const STEERING_SUBJECTS: readonly Subject[] = [
  inNamespace('v1', 'events', 'Event', {
    involvedObject: INVOLVED,
    reason: 'r',
    message: 'm',
    type: 'Normal',
    firstTimestamp: '2024-01-02T03:04:05Z',
    count: 1,
  }),
  inNamespace('events.k8s.io/v1', 'events', 'Event', {
    regarding: INVOLVED,
    eventTime: '2024-01-02T03:04:05.123456Z',
    reason: 'r',
    action: 'a',
    type: 'Normal',
    note: 'n',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    series: { count: 2, lastObservedTime: '2024-01-02T03:04:05.123456Z' },
  }),
  inNamespace('autoscaling/v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    },
  }),
  ofCluster('storage.k8s.io/v1', 'csinodes', 'CSINode', {
    spec: {
      drivers: [{ name: 'a.example.com', nodeID: 'i', topologyKeys: ['zone'], allocatable: { count: 3 } }],
    },
  }),
  dryOnly(
    ofCluster('v1', 'nodes', 'Node', {
      spec: {
        podCIDR: '10.0.0.0/24',
        podCIDRs: ['10.0.0.0/24'],
        providerID: 'a://b',
        unschedulable: true,
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      },
    }),
  ),
  dryOnly(ofCluster('v1', 'namespaces', 'Namespace', { spec: { finalizers: ['kubernetes'] } })),
  dryOnly(
    ofCluster(
      'admissionregistration.k8s.io/v1',
      'validatingwebhookconfigurations',
      'ValidatingWebhookConfiguration',
      {
        webhooks: [HOOK],
      },
    ),
  ),
  dryOnly(
    ofCluster(
      'admissionregistration.k8s.io/v1',
      'mutatingwebhookconfigurations',
      'MutatingWebhookConfiguration',
      {
        webhooks: [{ ...HOOK, reinvocationPolicy: 'Never' }],
      },
    ),
  ),
  dryOnly(
    ofCluster('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', {
      spec: {
        failurePolicy: 'Ignore',
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: {
          resourceRules: [{ ...HOOK.rules[0], resourceNames: ['a'] }],
          namespaceSelector: SELECTOR,
        },
        validations: [{ expression: 'true', message: 'm', reason: 'Invalid' }],
        auditAnnotations: [{ key: 'a', valueExpression: "'b'" }],
        variables: [{ name: 'a', expression: '1' }],
        matchConditions: [{ name: 'a', expression: 'true' }],
      },
    }),
  ),
  dryOnly(
    ofCluster(
      'admissionregistration.k8s.io/v1',
      'validatingadmissionpolicybindings',
      'ValidatingAdmissionPolicyBinding',
      {
        spec: {
          policyName: 'p',
          paramRef: { name: 'a', namespace: 'n', parameterNotFoundAction: 'Deny' },
          validationActions: ['Deny'],
          matchResources: { resourceRules: [{ ...HOOK.rules[0] }] },
        },
      },
    ),
  ),
  dryOnly({
    ...ofCluster('apiregistration.k8s.io/v1', 'apiservices', 'APIService', {
      spec: {
        group: 'a.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'n', name: 's', port: 443 },
        insecureSkipTLSVerify: true,
      },
    }),
    name: 'v1.a.example.com',
  }),
];

/** Catalog's name of the type: `v1.Pod`, `apps/v1.Deployment`. */
export const typeKeyOf = ({ apiVersion, kind }: Subject): string => `${apiVersion}.${kind}`;

export function collectionOf({ apiVersion, resource, isNamespaced }: Subject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced ? `${root}/namespaces/\${ns}/${resource}` : `${root}/${resource}`;
}

export const nameOf = ({ isNamespaced }: Subject): string => (isNamespaced ? 'x' : '${unique}');

export function objectOf(subject: Subject, name = nameOf(subject), members = subject.members): JsonObject {
  const { apiVersion, kind } = subject;
  return { apiVersion, kind, metadata: { name }, ...structuredClone(members) };
}
