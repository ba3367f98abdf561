/** Generated from the catalog by sim/cli/generate-types.ts: types of core-v1. */
import type { ObjectMeta } from '../object.ts';
import type { Condition, LabelSelector } from './meta-k8s-io-v1.ts';

export interface AWSElasticBlockStoreVolumeSource {
  /** Required. */
  readonly volumeID: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAntiAffinity;
}

export interface AppArmorProfile {
  /** One of "Localhost", "RuntimeDefault", "Unconfined". Required. */
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
  readonly localhostProfile?: string;
}

export interface AttachedVolume {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly devicePath: string;
}

export interface AzureDiskVolumeSource {
  /** Required. */
  readonly diskName: string;
  /** Required. */
  readonly diskURI: string;
  /** One of "None", "ReadOnly", "ReadWrite". Default "ReadWrite". */
  readonly cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite' | '';
  /** Default "ext4". */
  readonly fsType?: string;
  /** Default false. */
  readonly readOnly?: boolean;
  /** One of "Dedicated", "Managed", "Shared". Default "Shared". */
  readonly kind?: 'Dedicated' | 'Managed' | 'Shared' | '';
}

export interface AzureFilePersistentVolumeSource {
  /** Required. */
  readonly secretName: string;
  /** Required. */
  readonly shareName: string;
  readonly readOnly?: boolean;
  readonly secretNamespace?: string;
}

export interface AzureFileVolumeSource {
  /** Required. */
  readonly secretName: string;
  /** Required. */
  readonly shareName: string;
  readonly readOnly?: boolean;
}

/** Ties a pod to the node that it is to run on. */
export type Binding = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly target: ObjectReference;
};

export interface CSIPersistentVolumeSource {
  /** Required. */
  readonly driver: string;
  /** Required. */
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly controllerPublishSecretRef?: SecretReference;
  readonly nodeStageSecretRef?: SecretReference;
  readonly nodePublishSecretRef?: SecretReference;
  readonly controllerExpandSecretRef?: SecretReference;
  readonly nodeExpandSecretRef?: SecretReference;
}

export interface CSIVolumeSource {
  /** Required. */
  readonly driver: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly nodePublishSecretRef?: LocalObjectReference;
}

export interface Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface CephFSPersistentVolumeSource {
  /** Required. */
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

export interface CephFSVolumeSource {
  /** Required. */
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

export interface CinderPersistentVolumeSource {
  /** Required. */
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
}

export interface CinderVolumeSource {
  /** Required. */
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface ClientIPConfig {
  readonly timeoutSeconds?: number;
}

export interface ClusterTrustBundleProjection {
  readonly name?: string;
  readonly signerName?: string;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly labelSelector?: LabelSelector;
  readonly optional?: boolean;
  /** Required. */
  readonly path: string;
}

export interface ComponentCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  readonly message?: string;
  readonly error?: string;
}

/** Health of a component of the control plane. Deprecated. */
export type ComponentStatus = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Items are told apart by type. */
  readonly conditions?: readonly ComponentCondition[];
};

/** Configuration data that pods read. */
export type ConfigMap = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
};

export interface ConfigMapEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapKeySelector {
  readonly name?: string;
  /** Required. */
  readonly key: string;
  readonly optional?: boolean;
}

export interface ConfigMapNodeConfigSource {
  /** Required. */
  readonly namespace: string;
  /** Required. */
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Required. */
  readonly kubeletConfigKey: string;
}

export interface ConfigMapProjection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface ConfigMapVolumeSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  /** Required. */
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  /** Items are told apart by containerPort, protocol. */
  readonly ports?: readonly ContainerPort[];
  readonly envFrom?: readonly EnvFromSource[];
  /** Items are told apart by name. */
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly restartPolicy?: string;
  /** Items are told apart by mountPath. */
  readonly volumeMounts?: readonly VolumeMount[];
  /** Items are told apart by devicePath. */
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  /** One of "FallbackToLogsOnError", "File". */
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File' | '';
  /** One of "Always", "IfNotPresent", "Never". */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | '';
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
}

export interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

export interface ContainerPort {
  readonly name?: string;
  readonly hostPort?: number;
  /** Required. */
  readonly containerPort: number;
  /** One of "SCTP", "TCP", "UDP". Default "TCP". */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP' | '';
  readonly hostIP?: string;
}

export interface ContainerResizePolicy {
  /** Required. */
  readonly resourceName: string;
  /** Required. */
  readonly restartPolicy: string;
}

export interface ContainerState {
  readonly waiting?: ContainerStateWaiting;
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
}

export interface ContainerStateRunning {
  /** RFC 3339, whole seconds. */
  readonly startedAt?: string;
}

export interface ContainerStateTerminated {
  /** Required. */
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339, whole seconds. */
  readonly startedAt?: string;
  /** RFC 3339, whole seconds. */
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  /** Required. */
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  /** Default false. Required. */
  readonly ready: boolean;
  /** Required. */
  readonly restartCount: number;
  /** Required. */
  readonly image: string;
  /** Required. */
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly resources?: ResourceRequirements;
  /** Items are told apart by mountPath. */
  readonly volumeMounts?: readonly VolumeMountStatus[];
  readonly user?: ContainerUser;
  /** Items are told apart by name. */
  readonly allocatedResourcesStatus?: readonly ResourceStatus[];
}

export interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}

export interface DaemonEndpoint {
  /** Required. */
  readonly Port: number;
}

export interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[];
}

export interface DownwardAPIVolumeFile {
  /** Required. */
  readonly path: string;
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly mode?: number;
}

export interface DownwardAPIVolumeSource {
  readonly items?: readonly DownwardAPIVolumeFile[];
  readonly defaultMode?: number;
}

export interface EmptyDirVolumeSource {
  readonly medium?: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly sizeLimit?: string;
}

export interface EndpointAddress {
  /** Required. */
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface EndpointPort {
  readonly name?: string;
  /** Required. */
  readonly port: number;
  /** One of "SCTP", "TCP", "UDP". */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP' | '';
  readonly appProtocol?: string;
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

/** Addresses and ports behind a service. */
export type Endpoints = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly subsets?: readonly EndpointSubset[];
};

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: ConfigMapEnvSource;
  readonly secretRef?: SecretEnvSource;
}

export interface EnvVar {
  /** Required. */
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly configMapKeyRef?: ConfigMapKeySelector;
  readonly secretKeyRef?: SecretKeySelector;
}

export interface EphemeralContainer {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly targetContainerName?: string;
}

export interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** Report of something that happened to an object. Events are kept for a limited time. */
export type Event = {
  readonly kind: string;
  readonly apiVersion: string;
  /** Required. What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly involvedObject: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: EventSource;
  /** RFC 3339, whole seconds. */
  readonly firstTimestamp?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTimestamp?: string;
  readonly count?: number;
  readonly type?: string;
  /** RFC 3339, with microseconds. */
  readonly eventTime?: string;
  readonly series?: EventSeries;
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
};

export interface EventSeries {
  readonly count?: number;
  /** RFC 3339, with microseconds. */
  readonly lastObservedTime?: string;
}

export interface EventSource {
  readonly component?: string;
  readonly host?: string;
}

export interface ExecAction {
  readonly command?: readonly string[];
}

export interface FCVolumeSource {
  readonly targetWWNs?: readonly string[];
  readonly lun?: number;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly wwids?: readonly string[];
}

export interface FlexPersistentVolumeSource {
  /** Required. */
  readonly driver: string;
  readonly fsType?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

export interface FlexVolumeSource {
  /** Required. */
  readonly driver: string;
  readonly fsType?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

export interface FlockerVolumeSource {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export interface GCEPersistentDiskVolumeSource {
  /** Required. */
  readonly pdName: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

export interface GRPCAction {
  /** Required. */
  readonly port: number;
  readonly service?: string;
}

export interface GitRepoVolumeSource {
  /** Required. */
  readonly repository: string;
  readonly revision?: string;
  readonly directory?: string;
}

export interface GlusterfsPersistentVolumeSource {
  /** Required. */
  readonly endpoints: string;
  /** Required. */
  readonly path: string;
  readonly readOnly?: boolean;
  readonly endpointsNamespace?: string;
}

export interface GlusterfsVolumeSource {
  /** Required. */
  readonly endpoints: string;
  /** Required. */
  readonly path: string;
  readonly readOnly?: boolean;
}

export interface HTTPGetAction {
  readonly path?: string;
  /** Number, or percentage such as `25%`, or name of a port. Required. */
  readonly port: number | string;
  readonly host?: string;
  /** One of "HTTP", "HTTPS". */
  readonly scheme?: 'HTTP' | 'HTTPS' | '';
  readonly httpHeaders?: readonly HTTPHeader[];
}

export interface HTTPHeader {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly value: string;
}

export interface HostAlias {
  /** Required. */
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

export interface HostIP {
  /** Required. */
  readonly ip: string;
}

export interface HostPathVolumeSource {
  /** Required. */
  readonly path: string;
  /** One of "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket". */
  readonly type?:
    | ''
    | 'BlockDevice'
    | 'CharDevice'
    | 'Directory'
    | 'DirectoryOrCreate'
    | 'File'
    | 'FileOrCreate'
    | 'Socket';
}

export interface ISCSIPersistentVolumeSource {
  /** Required. */
  readonly targetPortal: string;
  /** Required. */
  readonly iqn: string;
  /** Required. */
  readonly lun: number;
  /** Default "default". */
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: SecretReference;
  readonly initiatorName?: string;
}

export interface ISCSIVolumeSource {
  /** Required. */
  readonly targetPortal: string;
  /** Required. */
  readonly iqn: string;
  /** Required. */
  readonly lun: number;
  /** Default "default". */
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly initiatorName?: string;
}

export interface ImageVolumeSource {
  readonly reference?: string;
  /** One of "Always", "IfNotPresent", "Never". */
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | '';
}

export interface KeyToPath {
  /** Required. */
  readonly key: string;
  /** Required. */
  readonly path: string;
  readonly mode?: number;
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
}

export interface LifecycleHandler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly sleep?: SleepAction;
}

/** Defaults and limits for the resources that single objects of a namespace use. */
export type LimitRange = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: LimitRangeSpec;
};

export interface LimitRangeItem {
  /** Required. */
  readonly type: string;
  readonly max?: Readonly<Record<string, string>>;
  readonly min?: Readonly<Record<string, string>>;
  readonly default?: Readonly<Record<string, string>>;
  readonly defaultRequest?: Readonly<Record<string, string>>;
  readonly maxLimitRequestRatio?: Readonly<Record<string, string>>;
}

export interface LimitRangeSpec {
  /** Required. */
  readonly limits: readonly LimitRangeItem[];
}

export interface LinuxContainerUser {
  /** Required. */
  readonly uid: number;
  /** Required. */
  readonly gid: number;
  readonly supplementalGroups?: readonly number[];
}

export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
  readonly ports?: readonly PortStatus[];
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[];
}

export interface LocalObjectReference {
  readonly name?: string;
}

export interface LocalVolumeSource {
  /** Required. */
  readonly path: string;
  readonly fsType?: string;
}

export interface ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string;
  /** One of "InProgress", "Infeasible", "Pending". Required. */
  readonly status: 'InProgress' | 'Infeasible' | 'Pending';
}

export interface NFSVolumeSource {
  /** Required. */
  readonly server: string;
  /** Required. */
  readonly path: string;
  readonly readOnly?: boolean;
}

/** Scope for names of objects, and for access and quotas. */
export type Namespace = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: NamespaceSpec;
  readonly status?: NamespaceStatus;
};

export interface NamespaceCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface NamespaceSpec {
  readonly finalizers?: readonly string[];
}

export interface NamespaceStatus {
  /** One of "Active", "Terminating". */
  readonly phase?: 'Active' | 'Terminating' | '';
  /** Items are told apart by type. */
  readonly conditions?: readonly NamespaceCondition[];
}

/** Machine that runs pods. */
export type Node = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
};

export interface NodeAddress {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly address: string;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface NodeCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastHeartbeatTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource;
}

export interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource;
  readonly active?: NodeConfigSource;
  readonly lastKnownGood?: NodeConfigSource;
  readonly error?: string;
}

export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint;
}

export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
}

export interface NodeRuntimeHandler {
  readonly name?: string;
  readonly features?: NodeRuntimeHandlerFeatures;
}

export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeSelector {
  /** Required. */
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}

export interface NodeSelectorRequirement {
  /** Required. */
  readonly key: string;
  /** One of "DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn". Required. */
  readonly operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn';
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly configSource?: NodeConfigSource;
  readonly externalID?: string;
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  /** One of "Pending", "Running", "Terminated". */
  readonly phase?: 'Pending' | 'Running' | 'Terminated' | '';
  /** Items are told apart by type. */
  readonly conditions?: readonly NodeCondition[];
  /** Items are told apart by type. */
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  readonly nodeInfo?: NodeSystemInfo;
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly config?: NodeConfigStatus;
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: NodeFeatures;
}

export interface NodeSystemInfo {
  /** Required. */
  readonly machineID: string;
  /** Required. */
  readonly systemUUID: string;
  /** Required. */
  readonly bootID: string;
  /** Required. */
  readonly kernelVersion: string;
  /** Required. */
  readonly osImage: string;
  /** Required. */
  readonly containerRuntimeVersion: string;
  /** Required. */
  readonly kubeletVersion: string;
  /** Required. */
  readonly kubeProxyVersion: string;
  /** Required. */
  readonly operatingSystem: string;
  /** Required. */
  readonly architecture: string;
}

export interface ObjectFieldSelector {
  readonly apiVersion?: string;
  /** Required. */
  readonly fieldPath: string;
}

export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Piece of storage that pods can use for longer than they live. */
export type PersistentVolume = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
  readonly status?: PersistentVolumeStatus;
};

/** Request of a user for a persistent volume, and the claim to it. */
export type PersistentVolumeClaim = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
};

export interface PersistentVolumeClaimCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastProbeTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector?: LabelSelector;
  readonly resources?: VolumeResourceRequirements;
  readonly volumeName?: string;
  readonly storageClassName?: string;
  /** One of "Block", "Filesystem". */
  readonly volumeMode?: 'Block' | 'Filesystem' | '';
  readonly dataSource?: TypedLocalObjectReference;
  readonly dataSourceRef?: TypedObjectReference;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeClaimStatus {
  /** One of "Bound", "Lost", "Pending". */
  readonly phase?: 'Bound' | 'Lost' | 'Pending' | '';
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  readonly capacity?: Readonly<Record<string, string>>;
  /** Items are told apart by type. */
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  readonly allocatedResources?: Readonly<Record<string, string>>;
  readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
}

export interface PersistentVolumeClaimTemplate {
  /** What all objects have in common. */
  readonly metadata?: ObjectMeta;
  /** Required. */
  readonly spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  /** Required. */
  readonly claimName: string;
  readonly readOnly?: boolean;
}

export interface PersistentVolumeSpec {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly rbd?: RBDPersistentVolumeSource;
  readonly iscsi?: ISCSIPersistentVolumeSource;
  readonly cinder?: CinderPersistentVolumeSource;
  readonly cephfs?: CephFSPersistentVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly flexVolume?: FlexPersistentVolumeSource;
  readonly azureFile?: AzureFilePersistentVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  readonly local?: LocalVolumeSource;
  readonly storageos?: StorageOSPersistentVolumeSource;
  readonly csi?: CSIPersistentVolumeSource;
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  readonly claimRef?: ObjectReference;
  /** One of "Delete", "Recycle", "Retain". */
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain' | '';
  readonly storageClassName?: string;
  readonly mountOptions?: readonly string[];
  /** One of "Block", "Filesystem". */
  readonly volumeMode?: 'Block' | 'Filesystem' | '';
  readonly nodeAffinity?: VolumeNodeAffinity;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeStatus {
  /** One of "Available", "Bound", "Failed", "Pending", "Released". */
  readonly phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released' | '';
  readonly message?: string;
  readonly reason?: string;
  /** RFC 3339, whole seconds. */
  readonly lastPhaseTransitionTime?: string;
}

export interface PhotonPersistentDiskVolumeSource {
  /** Required. */
  readonly pdID: string;
  readonly fsType?: string;
}

/** Containers that run together on one node. */
export type Pod = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** What is to run, where and how. */
  readonly spec?: PodSpec;
  /** How a pod is, as far as its node has told. */
  readonly status?: PodStatus;
};

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodAffinityTerm {
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  /** Required. */
  readonly topologyKey: string;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastProbeTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly PodDNSConfigOption[];
}

export interface PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

export interface PodIP {
  /** Required. */
  readonly ip: string;
}

export interface PodOS {
  /** Required. */
  readonly name: string;
}

export interface PodReadinessGate {
  /** Required. */
  readonly conditionType: string;
}

export interface PodResourceClaim {
  /** Required. */
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodResourceClaimStatus {
  /** Required. */
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodSchedulingGate {
  /** Required. */
  readonly name: string;
}

export interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly supplementalGroups?: readonly number[];
  /** One of "Merge", "Strict". */
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict' | '';
  readonly fsGroup?: number;
  readonly sysctls?: readonly Sysctl[];
  /** One of "Always", "OnRootMismatch". */
  readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch' | '';
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

/** What is to run, where and how. */
export interface PodSpec {
  /** Items are told apart by name. */
  readonly volumes?: readonly Volume[];
  /** Items are told apart by name. */
  readonly initContainers?: readonly Container[];
  /** Items are told apart by name. Required. */
  readonly containers: readonly Container[];
  /** Items are told apart by name. */
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  /** One of "Always", "Never", "OnFailure". */
  readonly restartPolicy?: 'Always' | 'Never' | 'OnFailure' | '';
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  /** One of "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None". */
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None' | '';
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  /** Items are told apart by name. */
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly affinity?: Affinity;
  readonly schedulerName?: string;
  readonly tolerations?: readonly Toleration[];
  /** Items are told apart by ip. */
  readonly hostAliases?: readonly HostAlias[];
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly dnsConfig?: PodDNSConfig;
  readonly readinessGates?: readonly PodReadinessGate[];
  readonly runtimeClassName?: string;
  readonly enableServiceLinks?: boolean;
  /** One of "Never", "PreemptLowerPriority". */
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority' | '';
  readonly overhead?: Readonly<Record<string, string>>;
  /** Items are told apart by topologyKey, whenUnsatisfiable. */
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly setHostnameAsFQDN?: boolean;
  readonly os?: PodOS;
  readonly hostUsers?: boolean;
  /** Items are told apart by name. */
  readonly schedulingGates?: readonly PodSchedulingGate[];
  /** Items are told apart by name. */
  readonly resourceClaims?: readonly PodResourceClaim[];
}

/** How a pod is, as far as its node has told. */
export interface PodStatus {
  /** One of "Failed", "Pending", "Running", "Succeeded", "Unknown". */
  readonly phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown' | '';
  /** Items are told apart by type. */
  readonly conditions?: readonly PodCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly nominatedNodeName?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly HostIP[];
  readonly podIP?: string;
  /** Items are told apart by ip. */
  readonly podIPs?: readonly PodIP[];
  /** RFC 3339, whole seconds. */
  readonly startTime?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  /** One of "BestEffort", "Burstable", "Guaranteed". */
  readonly qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed' | '';
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly resize?: string;
  /** Items are told apart by name. */
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
}

/** Template for pods. */
export type PodTemplate = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** What the pods of a template are like. */
  readonly template?: PodTemplateSpec;
};

/** What the pods of a template are like. */
export interface PodTemplateSpec {
  /** What all objects have in common. */
  readonly metadata?: ObjectMeta;
  /** What is to run, where and how. */
  readonly spec?: PodSpec;
}

export interface PortStatus {
  /** Required. */
  readonly port: number;
  /** One of "SCTP", "TCP", "UDP". Required. */
  readonly protocol: 'SCTP' | 'TCP' | 'UDP';
  readonly error?: string;
}

export interface PortworxVolumeSource {
  /** Required. */
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface PreferredSchedulingTerm {
  /** Required. */
  readonly weight: number;
  /** Required. */
  readonly preference: NodeSelectorTerm;
}

export interface Probe {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[];
  readonly defaultMode?: number;
}

export interface QuobyteVolumeSource {
  /** Required. */
  readonly registry: string;
  /** Required. */
  readonly volume: string;
  readonly readOnly?: boolean;
  readonly user?: string;
  readonly group?: string;
  readonly tenant?: string;
}

export interface RBDPersistentVolumeSource {
  /** Required. */
  readonly monitors: readonly string[];
  /** Required. */
  readonly image: string;
  readonly fsType?: string;
  /** Default "rbd". */
  readonly pool?: string;
  /** Default "admin". */
  readonly user?: string;
  /** Default "/etc/ceph/keyring". */
  readonly keyring?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

export interface RBDVolumeSource {
  /** Required. */
  readonly monitors: readonly string[];
  /** Required. */
  readonly image: string;
  readonly fsType?: string;
  /** Default "rbd". */
  readonly pool?: string;
  /** Default "admin". */
  readonly user?: string;
  /** Default "/etc/ceph/keyring". */
  readonly keyring?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

/** Keeps so many pods of a template running. Deployments and ReplicaSets have taken its place. */
export type ReplicationController = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicationControllerSpec;
  readonly status?: ReplicationControllerStatus;
};

export interface ReplicationControllerCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ReplicationControllerSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: Readonly<Record<string, string>>;
  /** What the pods of a template are like. */
  readonly template?: PodTemplateSpec;
}

export interface ReplicationControllerStatus {
  /** Required. */
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly ReplicationControllerCondition[];
}

/** Request for devices, and what was allocated for it. */
export interface ResourceClaim {
  /** Required. */
  readonly name: string;
  readonly request?: string;
}

export interface ResourceFieldSelector {
  readonly containerName?: string;
  /** Required. */
  readonly resource: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly divisor?: string;
}

export interface ResourceHealth {
  /** Required. */
  readonly resourceID: string;
  readonly health?: string;
}

/** Limits for what all objects of a namespace use together. */
export type ResourceQuota = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceQuotaSpec;
  readonly status?: ResourceQuotaStatus;
};

export interface ResourceQuotaSpec {
  readonly hard?: Readonly<Record<string, string>>;
  readonly scopes?: readonly (
    | 'BestEffort'
    | 'CrossNamespacePodAffinity'
    | 'NotBestEffort'
    | 'NotTerminating'
    | 'PriorityClass'
    | 'Terminating'
  )[];
  readonly scopeSelector?: ScopeSelector;
}

export interface ResourceQuotaStatus {
  readonly hard?: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
}

export interface ResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  /** Items are told apart by name. */
  readonly claims?: readonly ResourceClaim[];
}

export interface ResourceStatus {
  /** Required. */
  readonly name: string;
  /** Items are told apart by resourceID. */
  readonly resources?: readonly ResourceHealth[];
}

export interface SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface ScaleIOPersistentVolumeSource {
  /** Required. */
  readonly gateway: string;
  /** Required. */
  readonly system: string;
  /** Required. */
  readonly secretRef: SecretReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  /** Default "ThinProvisioned". */
  readonly storageMode?: string;
  readonly volumeName?: string;
  /** Default "xfs". */
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScaleIOVolumeSource {
  /** Required. */
  readonly gateway: string;
  /** Required. */
  readonly system: string;
  /** Required. */
  readonly secretRef: LocalObjectReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  /** Default "ThinProvisioned". */
  readonly storageMode?: string;
  readonly volumeName?: string;
  /** Default "xfs". */
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

export interface ScopedResourceSelectorRequirement {
  /** One of "BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass", "Terminating". Required. */
  readonly scopeName:
    | 'BestEffort'
    | 'CrossNamespacePodAffinity'
    | 'NotBestEffort'
    | 'NotTerminating'
    | 'PriorityClass'
    | 'Terminating';
  /** One of "DoesNotExist", "Exists", "In", "NotIn". Required. */
  readonly operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn';
  readonly values?: readonly string[];
}

export interface SeccompProfile {
  /** One of "Localhost", "RuntimeDefault", "Unconfined". Required. */
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
  readonly localhostProfile?: string;
}

/** Small amount of sensitive data. */
export type Secret = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly type?: string;
};

export interface SecretEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretKeySelector {
  readonly name?: string;
  /** Required. */
  readonly key: string;
  readonly optional?: boolean;
}

export interface SecretProjection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SecretVolumeSource {
  readonly secretName?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

export interface SecurityContext {
  readonly capabilities?: Capabilities;
  readonly privileged?: boolean;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  /** One of "Default", "Unmasked". */
  readonly procMount?: 'Default' | 'Unmasked' | '';
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

/** Stable address and ports for a set of pods. */
export type Service = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceSpec;
  readonly status?: ServiceStatus;
};

/** Identity of the processes in pods. */
export type ServiceAccount = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Items are told apart by name. */
  readonly secrets?: readonly ObjectReference[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly automountServiceAccountToken?: boolean;
};

export interface ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  /** Required. */
  readonly path: string;
}

export interface ServicePort {
  readonly name?: string;
  /** One of "SCTP", "TCP", "UDP". Default "TCP". */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP' | '';
  readonly appProtocol?: string;
  /** Required. */
  readonly port: number;
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface ServiceSpec {
  /** Items are told apart by port, protocol. */
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  /** One of "ClusterIP", "ExternalName", "LoadBalancer", "NodePort". */
  readonly type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort' | '';
  readonly externalIPs?: readonly string[];
  /** One of "ClientIP", "None". */
  readonly sessionAffinity?: 'ClientIP' | 'None' | '';
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly externalName?: string;
  /** One of "Cluster", "Local". */
  readonly externalTrafficPolicy?: 'Cluster' | 'Local' | '';
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  readonly ipFamilies?: readonly ('' | 'IPv4' | 'IPv6')[];
  /** One of "PreferDualStack", "RequireDualStack", "SingleStack". */
  readonly ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack' | '';
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly loadBalancerClass?: string;
  /** One of "Cluster", "Local". */
  readonly internalTrafficPolicy?: 'Cluster' | 'Local' | '';
  readonly trafficDistribution?: string;
}

export interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus;
  /** Items are told apart by type. */
  readonly conditions?: readonly Condition[];
}

export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig;
}

export interface SleepAction {
  /** Required. */
  readonly seconds: number;
}

export interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReference;
}

export interface StorageOSVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface Sysctl {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly value: string;
}

export interface TCPSocketAction {
  /** Number, or percentage such as `25%`, or name of a port. Required. */
  readonly port: number | string;
  readonly host?: string;
}

export interface Taint {
  /** Required. */
  readonly key: string;
  readonly value?: string;
  /** One of "NoExecute", "NoSchedule", "PreferNoSchedule". Required. */
  readonly effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  /** RFC 3339, whole seconds. */
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  /** One of "Equal", "Exists". */
  readonly operator?: 'Equal' | 'Exists' | '';
  readonly value?: string;
  /** One of "NoExecute", "NoSchedule", "PreferNoSchedule". */
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule' | '';
  readonly tolerationSeconds?: number;
}

export interface TopologySelectorLabelRequirement {
  /** Required. */
  readonly key: string;
  /** Required. */
  readonly values: readonly string[];
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

export interface TopologySpreadConstraint {
  /** Required. */
  readonly maxSkew: number;
  /** Required. */
  readonly topologyKey: string;
  /** One of "DoNotSchedule", "ScheduleAnyway". Required. */
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  /** One of "Honor", "Ignore". */
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore' | '';
  /** One of "Honor", "Ignore". */
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore' | '';
  readonly matchLabelKeys?: readonly string[];
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
}

export interface TypedObjectReference {
  readonly apiGroup?: string;
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
  readonly namespace?: string;
}

export interface Volume {
  /** Required. */
  readonly name: string;
  readonly hostPath?: HostPathVolumeSource;
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly gitRepo?: GitRepoVolumeSource;
  readonly secret?: SecretVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly iscsi?: ISCSIVolumeSource;
  readonly glusterfs?: GlusterfsVolumeSource;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly rbd?: RBDVolumeSource;
  readonly flexVolume?: FlexVolumeSource;
  readonly cinder?: CinderVolumeSource;
  readonly cephfs?: CephFSVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly downwardAPI?: DownwardAPIVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly azureFile?: AzureFileVolumeSource;
  readonly configMap?: ConfigMapVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly projected?: ProjectedVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOVolumeSource;
  readonly storageos?: StorageOSVolumeSource;
  readonly csi?: CSIVolumeSource;
  readonly ephemeral?: EphemeralVolumeSource;
  readonly image?: ImageVolumeSource;
}

export interface VolumeDevice {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly devicePath: string;
}

export interface VolumeMount {
  /** Required. */
  readonly name: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  /** Required. */
  readonly mountPath: string;
  readonly subPath?: string;
  /** One of "Bidirectional", "HostToContainer", "None". */
  readonly mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None' | '';
  readonly subPathExpr?: string;
}

export interface VolumeMountStatus {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
}

export interface VolumeNodeAffinity {
  readonly required?: NodeSelector;
}

export interface VolumeProjection {
  readonly secret?: SecretProjection;
  readonly downwardAPI?: DownwardAPIProjection;
  readonly configMap?: ConfigMapProjection;
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
}

export interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
}

export interface VsphereVirtualDiskVolumeSource {
  /** Required. */
  readonly volumePath: string;
  readonly fsType?: string;
  readonly storagePolicyName?: string;
  readonly storagePolicyID?: string;
}

export interface WeightedPodAffinityTerm {
  /** Required. */
  readonly weight: number;
  /** Required. */
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}
