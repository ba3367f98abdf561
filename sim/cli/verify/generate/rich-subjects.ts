/** Fuller objects of some kinds: mutations reach what a smallest object does not have. */
import type { Json } from '../../../api/object.ts';

type Members = Readonly<Record<string, Json>>;

const PROBE = { httpGet: { path: '/a', port: 80 }, periodSeconds: 5, failureThreshold: 2 };
const CONTAINER = {
  name: 'c',
  image: 'i:1',
  command: ['a'],
  args: ['$(A)'],
  env: [
    { name: 'A', value: 'b' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
  ],
  envFrom: [{ prefix: 'p', configMapRef: { name: 'm' } }],
  ports: [{ containerPort: 80, name: 'web' }],
  resources: { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  livenessProbe: PROBE,
  readinessProbe: { tcpSocket: { port: 'web' } },
  startupProbe: { exec: { command: ['a'] } },
  lifecycle: { preStop: { exec: { command: ['a'] } } },
  volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
  securityContext: { runAsUser: 1, capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
};
const VOLUMES = [
  { name: 'v', emptyDir: { sizeLimit: '1Gi' } },
  { name: 'm', configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } },
  { name: 's', secret: { secretName: 's', optional: true } },
  { name: 'h', hostPath: { path: '/h', type: 'Directory' } },
  { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'a' } }] } },
  { name: 'd', downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
];
const TERM = { key: 'a', operator: 'In', values: ['b'] };
const POD_TERM = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a' } } };
const POD = {
  containers: [CONTAINER],
  initContainers: [{ name: 'first', image: 'i' }],
  volumes: VOLUMES,
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  topologySpreadConstraints: [
    { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...POD_TERM, matchLabelKeys: ['b'] },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [TERM] }] },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchFields: [{ ...TERM, key: 'metadata.name' }] } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: POD_TERM }],
    },
  },
  securityContext: {
    runAsNonRoot: true,
    fsGroup: 1,
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }],
  },
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'ndots', value: '1' }] },
  hostAliases: [{ ip: '1.1.1.1', hostnames: ['a'] }],
  imagePullSecrets: [{ name: 's' }],
  readinessGates: [{ conditionType: 'example.com/a' }],
  terminationGracePeriodSeconds: 5,
};
const TEMPLATE = { metadata: { labels: { app: 'a' }, annotations: { a: 'b' } }, spec: POD };
const SELECTOR = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
const TEMPLATED = { replicas: 2, minReadySeconds: 1, selector: SELECTOR, template: TEMPLATE };
const CLAIM = {
  accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
  resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
  storageClassName: 'none',
  volumeMode: 'Block',
  selector: SELECTOR,
  dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
};
const FINISHING_POD = { ...POD, restartPolicy: 'Never' };
const JOB = {
  completions: 3,
  parallelism: 2,
  completionMode: 'Indexed',
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 1,
  activeDeadlineSeconds: 100,
  ttlSecondsAfterFinished: 5,
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ],
  },
  template: { metadata: { labels: { app: 'a' } }, spec: FINISHING_POD },
};
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
const RULES = { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] };
const BACKEND = { service: { name: 's', port: { number: 80 } } };
const PEERS = [
  { podSelector: SELECTOR, namespaceSelector: {} },
  { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
];

/** By `apiVersion/resource`: everything but kind, version and metadata. */
export const RICH_MEMBERS: Readonly<Record<string, readonly Members[]>> = {
  'v1/pods': [{ spec: POD }, { spec: { ...FINISHING_POD, volumes: [...VOLUMES, ...remoteDisks()] } }],
  'v1/podtemplates': [{ template: TEMPLATE }],
  'v1/configmaps': [{ data: { 'a.b': 'c' }, binaryData: { d: 'YQ==' }, immutable: true }],
  'v1/secrets': [
    { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } },
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{"auths":{}}' } },
    { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': 'a' }, immutable: false },
  ],
  'v1/serviceaccounts': [
    { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false },
  ],
  'v1/services': [
    {
      spec: {
        type: 'NodePort',
        selector: { app: 'a' },
        sessionAffinity: 'ClientIP',
        externalTrafficPolicy: 'Local',
        ports: [
          { name: 'a', port: 80, targetPort: 'web', appProtocol: 'example.com/a' },
          { name: 'b', port: 81, protocol: 'UDP' },
        ],
      },
    },
    { spec: { clusterIP: 'None', publishNotReadyAddresses: true, ports: [{ port: 80 }] } },
    { spec: { type: 'ExternalName', externalName: 'a.example.com' } },
    {
      spec: {
        type: 'LoadBalancer',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        externalIPs: ['1.2.3.4'],
        ports: [{ port: 80 }],
      },
    },
  ],
  'v1/replicationcontrollers': [{ spec: { ...TEMPLATED, selector: { app: 'a' } } }],
  'v1/persistentvolumeclaims': [{ spec: CLAIM }],
  'v1/persistentvolumes': [
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'none',
        mountOptions: ['a'],
        claimRef: { namespace: 'none', name: 'none' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [TERM] }] } },
        csi: {
          driver: 'a.example.com',
          volumeHandle: 'h',
          volumeAttributes: { a: 'b' },
          nodeStageSecretRef: { name: 's', namespace: 'n' },
        },
      },
    },
  ],
  'v1/resourcequotas': [
    {
      spec: {
        hard: { 'requests.cpu': '1', 'count/deployments.apps': '2' },
        scopes: ['NotTerminating'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
      },
    },
  ],
  'v1/limitranges': [
    {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2' },
            min: { cpu: '1m' },
            default: { cpu: '1' },
            defaultRequest: { cpu: '100m' },
            maxLimitRequestRatio: { cpu: '100' },
          },
          { type: 'PersistentVolumeClaim', min: { storage: '1' } },
        ],
      },
    },
  ],
  'apps/v1/deployments': [
    {
      spec: {
        ...TEMPLATED,
        progressDeadlineSeconds: 60,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      },
    },
  ],
  'apps/v1/replicasets': [{ spec: TEMPLATED }],
  'apps/v1/daemonsets': [
    {
      spec: {
        minReadySeconds: 1,
        selector: SELECTOR,
        template: TEMPLATE,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      },
    },
  ],
  'apps/v1/statefulsets': [
    {
      spec: {
        ...TEMPLATED,
        serviceName: 's',
        podManagementPolicy: 'Parallel',
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
      },
    },
  ],
  'batch/v1/jobs': [{ spec: JOB }],
  'batch/v1/cronjobs': [
    {
      spec: {
        schedule: '*/5 0-3 1 jan mon',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        startingDeadlineSeconds: 10,
        jobTemplate: { metadata: { labels: { a: 'b' } }, spec: JOB },
      },
    },
  ],
  'autoscaling/v2/horizontalpodautoscalers': [
    {
      spec: {
        scaleTargetRef: TARGET,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
          {
            type: 'External',
            external: { metric: { name: 'm', selector: SELECTOR }, target: { type: 'Value', value: '5' } },
          },
          {
            type: 'Object',
            object: { describedObject: TARGET, metric: { name: 'm' }, target: { type: 'Value', value: '1' } },
          },
        ],
        behavior: { scaleUp: { ...RULES, stabilizationWindowSeconds: 0 }, scaleDown: RULES },
      },
    },
  ],
  'networking.k8s.io/v1/ingresses': [
    {
      spec: {
        ingressClassName: 'none',
        tls: [{ hosts: ['a.example.com'], secretName: 's' }],
        rules: [
          { host: '*.example.com', http: { paths: [{ path: '/a', pathType: 'Prefix', backend: BACKEND }] } },
        ],
      },
    },
  ],
  'networking.k8s.io/v1/networkpolicies': [
    {
      spec: {
        podSelector: SELECTOR,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: PEERS, ports: [{ port: 80, endPort: 90 }] }],
        egress: [{ to: PEERS, ports: [{ protocol: 'UDP', port: 'web' }] }],
      },
    },
  ],
  'discovery.k8s.io/v1/endpointslices': [
    {
      addressType: 'IPv6',
      endpoints: [
        {
          addresses: ['2001:db8::1'],
          conditions: { ready: true, serving: false },
          hostname: 'h',
          nodeName: 'n',
          zone: 'z',
          hints: { forZones: [{ name: 'z' }] },
          targetRef: { kind: 'Pod', name: 'p' },
        },
      ],
      ports: [
        { name: 'a', port: 80, protocol: 'SCTP', appProtocol: 'http' },
        { name: 'b', port: 81 },
      ],
    },
  ],
  'rbac.authorization.k8s.io/v1/clusterroles': [
    {
      aggregationRule: { clusterRoleSelectors: [SELECTOR] },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*'] }],
    },
  ],
  'storage.k8s.io/v1/storageclasses': [
    {
      provisioner: 'example.com/p',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      mountOptions: ['a'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
  ],
  'storage.k8s.io/v1/csidrivers': [
    {
      spec: {
        attachRequired: false,
        volumeLifecycleModes: ['Ephemeral'],
        tokenRequests: [{ audience: 'a', expirationSeconds: 600 }],
        fsGroupPolicy: 'File',
      },
    },
  ],
  'node.k8s.io/v1/runtimeclasses': [
    {
      handler: 'none',
      overhead: { podFixed: { cpu: '10m' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
    },
  ],
  'scheduling.k8s.io/v1/priorityclasses': [{ value: -5, description: 'd', preemptionPolicy: 'Never' }],
  'coordination.k8s.io/v1/leases': [
    { spec: { holderIdentity: 'a', leaseDurationSeconds: 10, renewTime: '2024-01-02T03:04:05.000000Z' } },
  ],
  'policy/v1/poddisruptionbudgets': [
    { spec: { maxUnavailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: SELECTOR } },
  ],
};

function remoteDisks(): readonly Json[] {
  return [
    { name: 'nfs', nfs: { server: 's', path: '/p' } },
    { name: 'iscsi', iscsi: { targetPortal: '1.2.3.4:1', iqn: 'iqn.2001-04.com.example:a', lun: 1 } },
    { name: 'csi', csi: { driver: 'a.example.com', nodePublishSecretRef: { name: 's' } } },
    { name: 'rbd', rbd: { monitors: ['m'], image: 'i' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
    {
      name: 'ephemeral',
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
  ];
}
