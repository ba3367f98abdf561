/** How the types that the server keeps objects in differ from those that it speaks, as far as messages show it. */

export interface InternalShape {
  /** JSON names in the other order. */
  readonly order?: readonly string[];
  /** Members that it keeps elsewhere. */
  readonly without?: readonly string[];
  /** Members that it keeps in front of those of another one, which is a struct. */
  readonly lends?: { readonly to: string; readonly members: readonly string[] };
  /** Go names of members that 1.31 does not have, behind the one that they follow. Only later releases show them. */
  readonly later?: Readonly<Record<string, readonly string[]>>;
  /** Members that are a struct of their own. */
  readonly inline?: { readonly at: number; readonly count: number; readonly type: string };
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];
const CONTAINER = [
  ...['name', 'image', 'command', 'args', 'workingDir', 'ports', 'envFrom', 'env', 'resources'],
  ...['resizePolicy', 'restartPolicy', 'volumeMounts', 'volumeDevices', ...PROBES],
  ...['terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'securityContext'],
  ...['stdin', 'stdinOnce', 'tty'],
];
const OF_HOST = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];
const VOLUME_SOURCES = [
  ...['hostPath', 'emptyDir', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'secret', 'nfs'],
  ...['iscsi', 'glusterfs', 'persistentVolumeClaim', 'rbd', 'quobyte', 'flexVolume', 'cinder', 'cephfs'],
  ...['flocker', 'downwardAPI', 'fc', 'azureFile', 'configMap', 'vsphereVolume', 'azureDisk'],
  ...[
    'photonPersistentDisk',
    'projected',
    'portworxVolume',
    'scaleIO',
    'storageos',
    'csi',
    'ephemeral',
    'image',
  ],
];

const PERSISTENT_SOURCES = [
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'hostPath', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi'],
  ...['flexVolume', 'cinder', 'cephfs', 'fc', 'flocker', 'azureFile', 'vsphereVolume', 'azureDisk'],
  ...['photonPersistentDisk', 'portworxVolume', 'scaleIO', 'local', 'storageos', 'csi'],
];

export const INTERNAL_SHAPES: Readonly<Record<string, InternalShape>> = {
  'v1.PersistentVolumeSpec': {
    order: [
      ...['capacity', ...PERSISTENT_SOURCES, 'accessModes', 'claimRef', 'persistentVolumeReclaimPolicy'],
      ...['storageClassName', 'mountOptions', 'volumeMode', 'nodeAffinity', 'volumeAttributesClassName'],
    ],
  },
  'v1.PodSpec': {
    order: [
      ...['volumes', 'initContainers', 'containers', 'ephemeralContainers', 'restartPolicy'],
      ...['terminationGracePeriodSeconds', 'activeDeadlineSeconds', 'dnsPolicy', 'nodeSelector'],
      ...['serviceAccountName', 'automountServiceAccountToken', 'nodeName', 'securityContext'],
      ...['imagePullSecrets', 'hostname', 'subdomain', 'setHostnameAsFQDN', 'affinity', 'schedulerName'],
      ...['tolerations', 'hostAliases', 'priorityClassName', 'priority', 'preemptionPolicy', 'dnsConfig'],
      ...['readinessGates', 'runtimeClassName', 'overhead', 'enableServiceLinks'],
      ...['topologySpreadConstraints', 'os', 'schedulingGates', 'resourceClaims'],
    ],
    without: ['serviceAccount', ...OF_HOST],
    lends: { to: 'securityContext', members: OF_HOST },
    later: { resourceClaims: ['Resources', 'HostnameOverride'] },
  },
  'v1.PodSecurityContext': {
    order: [
      ...['seLinuxOptions', 'windowsOptions', 'runAsUser', 'runAsGroup', 'runAsNonRoot'],
      ...['supplementalGroups', 'supplementalGroupsPolicy', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'],
      ...['seccompProfile', 'appArmorProfile'],
    ],
    later: { appArmorProfile: ['SELinuxChangePolicy'] },
  },
  'v1.PersistentVolumeSource': {
    order: [
      ...['gcePersistentDisk', 'awsElasticBlockStore', 'hostPath', 'glusterfs', 'nfs', 'rbd', 'quobyte'],
      ...['iscsi', 'flexVolume', 'cinder', 'cephfs', 'fc', 'flocker', 'azureFile', 'vsphereVolume'],
      ...['azureDisk', 'photonPersistentDisk', 'portworxVolume', 'scaleIO', 'local', 'storageos', 'csi'],
    ],
  },
  'v1.EnvVarSource': { later: { secretKeyRef: ['FileKeyRef'] } },
  'v1.Lifecycle': { later: { preStop: ['StopSignal'] } },
  'v1.VolumeProjection': { later: { clusterTrustBundle: ['PodCertificate'] } },
  'v1.Container': { order: CONTAINER, later: { restartPolicy: ['RestartPolicyRules'] } },
  'v1.ContainerPort': { order: ['name', 'hostPort', 'containerPort', 'protocol', 'hostIP'] },
  'v1.VolumeMount': {
    order: [
      ...['name', 'readOnly', 'recursiveReadOnly', 'mountPath', 'subPath', 'mountPropagation', 'subPathExpr'],
    ],
  },
  'v1.Volume': {
    order: ['name', ...VOLUME_SOURCES],
    inline: { at: 1, count: VOLUME_SOURCES.length, type: 'core.VolumeSource' },
  },
  'v1.EphemeralContainer': { inline: { at: 0, count: 24, type: 'core.EphemeralContainerCommon' } },
  'meta.k8s.io/v1.ObjectMeta': {},
  'policy/v1.PodDisruptionBudgetSpec': {
    order: ['minAvailable', 'selector', 'maxUnavailable', 'unhealthyPodEvictionPolicy'],
  },
};
