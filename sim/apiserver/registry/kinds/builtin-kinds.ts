/** Every kind that the server has of its own. What a kind is stands in its file. */
import type { KindDefinition } from '../define-kind.ts';
import { definitionKind } from '../../custom-resources/definition-strategy.ts';
import { validatingAdmissionPolicyBindingKind } from './admissionregistration/validating-admission-policy-binding.ts';
import { validatingAdmissionPolicyKind } from './admissionregistration/validating-admission-policy.ts';
import { validatingWebhookKind, mutatingWebhookKind } from './admissionregistration/webhook-configuration.ts';
import { apiServiceKind } from './apiregistration/api-service.ts';
import { controllerRevisionKind } from './apps/controller-revision.ts';
import { daemonSetKind } from './apps/daemon-set.ts';
import { deploymentKind } from './apps/deployment.ts';
import { replicaSetKind } from './apps/replica-set.ts';
import { statefulSetKind } from './apps/stateful-set.ts';
import { horizontalPodAutoscalerKind } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJobKind } from './batch/cron-job.ts';
import { jobKind } from './batch/job.ts';
import { certificateSigningRequestKind } from './certificates/certificate-signing-request.ts';
import { clusterTrustBundleKind } from './certificates/cluster-trust-bundle.ts';
import { leaseCandidateKind } from './coordination/lease-candidate.ts';
import { leaseKind } from './coordination/lease.ts';
import { configMapKind } from './core/config-map.ts';
import { endpointsKind } from './core/endpoints.ts';
import { limitRangeKind } from './core/limit-range.ts';
import { namespaceKind } from './core/namespace.ts';
import { nodeKind } from './core/node.ts';
import { persistentVolumeClaimKind } from './core/persistent-volume-claim.ts';
import { persistentVolumeKind } from './core/persistent-volume.ts';
import { podTemplateKind } from './core/pod-template.ts';
import { podKind } from './core/pod.ts';
import { replicationControllerKind } from './core/replication-controller.ts';
import { resourceQuotaKind } from './core/resource-quota.ts';
import { secretKind } from './core/secret.ts';
import { serviceAccountKind } from './core/service-account.ts';
import { serviceKind } from './core/service.ts';
import { endpointSliceKind } from './discovery/endpoint-slice.ts';
import { coreEventKind, eventsGroupKind } from './events/event.ts';
import { flowSchemaKind } from './flowcontrol/flow-schema.ts';
import { priorityLevelKind } from './flowcontrol/priority-level-configuration.ts';
import { ingressClassKind } from './networking/ingress-class.ts';
import { ingressKind } from './networking/ingress.ts';
import { ipAddressKind } from './networking/ip-address.ts';
import { serviceCidrKind } from './networking/service-cidr.ts';
import { networkPolicyKind } from './networking/network-policy.ts';
import { runtimeClassKind } from './node-k8s-io/runtime-class.ts';
import { deviceClassKind, resourceClaimKind, resourceClaimTemplateKind } from './resource/device-kinds.ts';
import { podSchedulingContextKind } from './resource/pod-scheduling-context.ts';
import { resourceSliceKind } from './resource/resource-slice.ts';
import { podDisruptionBudgetKind } from './policy/pod-disruption-budget.ts';
import { roleBindingKind, clusterRoleBindingKind } from './rbac/role-binding.ts';
import { roleKind, clusterRoleKind } from './rbac/role.ts';
import { priorityClassKind } from './scheduling/priority-class.ts';
import { csiDriverKind } from './storage/csi-driver.ts';
import { csiNodeKind } from './storage/csi-node.ts';
import { csiStorageCapacityKind } from './storage/csi-storage-capacity.ts';
import { storageClassKind } from './storage/storage-class.ts';
import { volumeAttachmentKind } from './storage/volume-attachment.ts';
import { volumeAttributesClassKind } from './storage/volume-attributes-class.ts';
import { storageVersionKind } from './internal-apiserver/storage-version.ts';
import { storageVersionMigrationKind } from './storagemigration/storage-version-migration.ts';
import { PLAIN_KINDS } from './plain-kinds.ts';

export const BUILTIN_KINDS: readonly KindDefinition[] = [
  definitionKind,
  validatingAdmissionPolicyBindingKind,
  validatingAdmissionPolicyKind,
  validatingWebhookKind,
  mutatingWebhookKind,
  apiServiceKind,
  controllerRevisionKind,
  daemonSetKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
  horizontalPodAutoscalerKind,
  cronJobKind,
  jobKind,
  certificateSigningRequestKind,
  clusterTrustBundleKind,
  leaseCandidateKind,
  leaseKind,
  configMapKind,
  endpointsKind,
  limitRangeKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  podTemplateKind,
  podKind,
  replicationControllerKind,
  resourceQuotaKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  endpointSliceKind,
  coreEventKind,
  eventsGroupKind,
  flowSchemaKind,
  priorityLevelKind,
  ingressClassKind,
  ingressKind,
  ipAddressKind,
  networkPolicyKind,
  serviceCidrKind,
  runtimeClassKind,
  podDisruptionBudgetKind,
  roleBindingKind,
  clusterRoleBindingKind,
  roleKind,
  clusterRoleKind,
  priorityClassKind,
  csiDriverKind,
  csiNodeKind,
  csiStorageCapacityKind,
  storageClassKind,
  volumeAttachmentKind,
  volumeAttributesClassKind,
  deviceClassKind,
  resourceClaimKind,
  resourceClaimTemplateKind,
  podSchedulingContextKind,
  resourceSliceKind,
  storageVersionKind,
  storageVersionMigrationKind,
  ...PLAIN_KINDS,
];
