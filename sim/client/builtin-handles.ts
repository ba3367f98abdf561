/** Generated from the catalog by sim/cli/generate-types.ts: the built-in resources in their preferred versions. */
import type { ApiObject } from '../api/object.ts';
import type { MutatingWebhookConfiguration, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration } from '../api/types/admissionregistration-k8s-io-v1.ts';
import type { CustomResourceDefinition } from '../api/types/apiextensions-k8s-io-v1.ts';
import type { APIService } from '../api/types/apiregistration-k8s-io-v1.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../api/types/apps-v1.ts';
import type { HorizontalPodAutoscaler } from '../api/types/autoscaling-v2.ts';
import type { CronJob, Job } from '../api/types/batch-v1.ts';
import type { CertificateSigningRequest } from '../api/types/certificates-k8s-io-v1.ts';
import type { Lease } from '../api/types/coordination-k8s-io-v1.ts';
import type { ComponentStatus, ConfigMap, Endpoints, Event, LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate, ReplicationController, ResourceQuota, Secret, Service, ServiceAccount } from '../api/types/core-v1.ts';
import type { EndpointSlice } from '../api/types/discovery-k8s-io-v1.ts';
import type { Event as EventV1 } from '../api/types/events-k8s-io-v1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import type { Ingress, IngressClass, NetworkPolicy } from '../api/types/networking-k8s-io-v1.ts';
import type { RuntimeClass } from '../api/types/node-k8s-io-v1.ts';
import type { PodDisruptionBudget } from '../api/types/policy-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../api/types/rbac-authorization-k8s-io-v1.ts';
import type { PriorityClass } from '../api/types/scheduling-k8s-io-v1.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from '../api/types/storage-k8s-io-v1.ts';
import type { ResourceHandle } from './resource-handle.ts';

const handle = <T extends ApiObject>(
  group: string,
  version: string,
  resource: string,
  kind: string,
  isNamespaced: boolean,
): ResourceHandle<T> => ({ group, version, resource, kind, isNamespaced });

export const BUILTIN_HANDLES = {
  componentStatuses: handle<ComponentStatus>('', 'v1', 'componentstatuses', 'ComponentStatus', false),
  configMaps: handle<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap', true),
  endpoints: handle<Endpoints>('', 'v1', 'endpoints', 'Endpoints', true),
  events: handle<Event>('', 'v1', 'events', 'Event', true),
  limitRanges: handle<LimitRange>('', 'v1', 'limitranges', 'LimitRange', true),
  namespaces: handle<Namespace>('', 'v1', 'namespaces', 'Namespace', false),
  nodes: handle<Node>('', 'v1', 'nodes', 'Node', false),
  persistentVolumeClaims: handle<PersistentVolumeClaim>('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true),
  persistentVolumes: handle<PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume', false),
  pods: handle<Pod>('', 'v1', 'pods', 'Pod', true),
  podTemplates: handle<PodTemplate>('', 'v1', 'podtemplates', 'PodTemplate', true),
  replicationControllers: handle<ReplicationController>('', 'v1', 'replicationcontrollers', 'ReplicationController', true),
  resourceQuotas: handle<ResourceQuota>('', 'v1', 'resourcequotas', 'ResourceQuota', true),
  secrets: handle<Secret>('', 'v1', 'secrets', 'Secret', true),
  serviceAccounts: handle<ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount', true),
  services: handle<Service>('', 'v1', 'services', 'Service', true),
  mutatingWebhookConfigurations: handle<MutatingWebhookConfiguration>('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', false),
  validatingAdmissionPolicies: handle<ValidatingAdmissionPolicy>('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', false),
  validatingAdmissionPolicyBindings: handle<ValidatingAdmissionPolicyBinding>('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', false),
  validatingWebhookConfigurations: handle<ValidatingWebhookConfiguration>('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', false),
  customResourceDefinitions: handle<CustomResourceDefinition>('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false),
  apiServices: handle<APIService>('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false),
  controllerRevisions: handle<ControllerRevision>('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true),
  daemonSets: handle<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet', true),
  deployments: handle<Deployment>('apps', 'v1', 'deployments', 'Deployment', true),
  replicaSets: handle<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet', true),
  statefulSets: handle<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet', true),
  horizontalPodAutoscalers: handle<HorizontalPodAutoscaler>('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true),
  cronJobs: handle<CronJob>('batch', 'v1', 'cronjobs', 'CronJob', true),
  jobs: handle<Job>('batch', 'v1', 'jobs', 'Job', true),
  certificateSigningRequests: handle<CertificateSigningRequest>('certificates.k8s.io', 'v1', 'certificatesigningrequests', 'CertificateSigningRequest', false),
  leases: handle<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease', true),
  endpointSlices: handle<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true),
  eventsV1: handle<EventV1>('events.k8s.io', 'v1', 'events', 'Event', true),
  flowSchemas: handle<FlowSchema>('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false),
  priorityLevelConfigurations: handle<PriorityLevelConfiguration>('flowcontrol.apiserver.k8s.io', 'v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', false),
  ingressClasses: handle<IngressClass>('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass', false),
  ingresses: handle<Ingress>('networking.k8s.io', 'v1', 'ingresses', 'Ingress', true),
  networkPolicies: handle<NetworkPolicy>('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true),
  runtimeClasses: handle<RuntimeClass>('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false),
  podDisruptionBudgets: handle<PodDisruptionBudget>('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true),
  clusterRoleBindings: handle<ClusterRoleBinding>('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false),
  clusterRoles: handle<ClusterRole>('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false),
  roleBindings: handle<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true),
  roles: handle<Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true),
  priorityClasses: handle<PriorityClass>('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false),
  csiDrivers: handle<CSIDriver>('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false),
  csiNodes: handle<CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false),
  csiStorageCapacities: handle<CSIStorageCapacity>('storage.k8s.io', 'v1', 'csistoragecapacities', 'CSIStorageCapacity', true),
  storageClasses: handle<StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false),
  volumeAttachments: handle<VolumeAttachment>('storage.k8s.io', 'v1', 'volumeattachments', 'VolumeAttachment', false),
} as const;
