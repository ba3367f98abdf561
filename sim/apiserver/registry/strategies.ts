/** Which strategy each built-in resource has: its own from `kinds/`, or the generic one. */
import type { ResourceFact } from '../../api/catalog/builtin-resources.ts';
import { structOf } from '../../api/catalog/builtin-types.ts';
import { definitionStrategy } from '../custom-resources/definition-strategy.ts';
import { genericStrategy } from './generic-strategy.ts';
import { configMapStrategy } from './kinds/core/config-map.ts';
import { horizontalPodAutoscalerStrategy } from './kinds/autoscaling/horizontal-pod-autoscaler.ts';
import { leaseStrategy } from './kinds/coordination/lease.ts';
import { nodeStrategy } from './kinds/core/node.ts';
import { podDisruptionBudgetStrategy } from './kinds/policy/pod-disruption-budget.ts';
import { namespaceStrategy } from './kinds/core/namespace.ts';
import { endpointsStrategy } from './kinds/core/endpoints.ts';
import { persistentVolumeClaimStrategy } from './kinds/core/persistent-volume-claim.ts';
import { persistentVolumeStrategy } from './kinds/core/persistent-volume.ts';
import { limitRangeStrategy } from './kinds/core/limit-range.ts';
import { resourceQuotaStrategy } from './kinds/core/resource-quota.ts';
import { secretStrategy } from './kinds/core/secret.ts';
import { serviceAccountStrategy } from './kinds/core/service-account.ts';
import { serviceStrategy } from './kinds/core/service.ts';
import { validatingAdmissionPolicyBindingStrategy } from './kinds/admissionregistration/validating-admission-policy-binding.ts';
import { validatingAdmissionPolicyStrategy } from './kinds/admissionregistration/validating-admission-policy.ts';
import {
  mutatingWebhookStrategy,
  validatingWebhookStrategy,
} from './kinds/admissionregistration/webhook-configuration.ts';
import { apiServiceStrategy } from './kinds/apiregistration/api-service.ts';
import { certificateSigningRequestStrategy } from './kinds/certificates/certificate-signing-request.ts';
import { flowSchemaStrategy } from './kinds/flowcontrol/flow-schema.ts';
import { priorityLevelStrategy } from './kinds/flowcontrol/priority-level-configuration.ts';
import { endpointSliceStrategy } from './kinds/discovery/endpoint-slice.ts';
import { coreEventStrategy, eventsGroupStrategy } from './kinds/events/event.ts';
import { ingressClassStrategy } from './kinds/networking/ingress-class.ts';
import { ingressStrategy } from './kinds/networking/ingress.ts';
import { networkPolicyStrategy } from './kinds/networking/network-policy.ts';
import { runtimeClassStrategy } from './kinds/node-k8s-io/runtime-class.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './kinds/rbac/role-binding.ts';
import { clusterRoleStrategy, roleStrategy } from './kinds/rbac/role.ts';
import { priorityClassStrategy } from './kinds/scheduling/priority-class.ts';
import { csiDriverStrategy } from './kinds/storage/csi-driver.ts';
import { csiNodeStrategy } from './kinds/storage/csi-node.ts';
import { csiStorageCapacityStrategy } from './kinds/storage/csi-storage-capacity.ts';
import { storageClassStrategy } from './kinds/storage/storage-class.ts';
import { volumeAttributesClassStrategy } from './kinds/storage/volume-attributes-class.ts';
import { volumeAttachmentStrategy } from './kinds/storage/volume-attachment.ts';
import { replicationControllerStrategy } from './kinds/core/replication-controller.ts';
import { podTemplateStrategy } from './kinds/core/pod-template.ts';
import { deploymentStrategy } from './kinds/apps/deployment.ts';
import { replicaSetStrategy } from './kinds/apps/replica-set.ts';
import { statefulSetStrategy } from './kinds/apps/stateful-set.ts';
import { daemonSetStrategy } from './kinds/apps/daemon-set.ts';
import { controllerRevisionStrategy } from './kinds/apps/controller-revision.ts';
import { jobStrategy } from './kinds/batch/job.ts';
import { cronJobStrategy } from './kinds/batch/cron-job.ts';
import { podStrategy } from './kinds/core/pod.ts';
import type { Strategy } from './strategy.ts';
import { resourceText } from './resource.ts';

const OWN: Readonly<Record<string, Strategy>> = {
  configmaps: configMapStrategy,
  'customresourcedefinitions.apiextensions.k8s.io': definitionStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerStrategy,
  'leases.coordination.k8s.io': leaseStrategy,
  'poddisruptionbudgets.policy': podDisruptionBudgetStrategy,

  endpoints: endpointsStrategy,
  limitranges: limitRangeStrategy,
  resourcequotas: resourceQuotaStrategy,
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
  persistentvolumes: persistentVolumeStrategy,
  persistentvolumeclaims: persistentVolumeClaimStrategy,
  events: coreEventStrategy,
  'events.events.k8s.io': eventsGroupStrategy,
  'endpointslices.discovery.k8s.io': endpointSliceStrategy,
  'ingresses.networking.k8s.io': ingressStrategy,
  'ingressclasses.networking.k8s.io': ingressClassStrategy,
  'networkpolicies.networking.k8s.io': networkPolicyStrategy,
  'runtimeclasses.node.k8s.io': runtimeClassStrategy,
  'roles.rbac.authorization.k8s.io': roleStrategy,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleStrategy,
  'rolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingStrategy,
  'priorityclasses.scheduling.k8s.io': priorityClassStrategy,
  'storageclasses.storage.k8s.io': storageClassStrategy,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClassStrategy,
  'csidrivers.storage.k8s.io': csiDriverStrategy,
  'csinodes.storage.k8s.io': csiNodeStrategy,
  'csistoragecapacities.storage.k8s.io': csiStorageCapacityStrategy,
  'volumeattachments.storage.k8s.io': volumeAttachmentStrategy,

  pods: podStrategy,
  'cronjobs.batch': cronJobStrategy,
  'jobs.batch': jobStrategy,
  'controllerrevisions.apps': controllerRevisionStrategy,
  'daemonsets.apps': daemonSetStrategy,
  'statefulsets.apps': statefulSetStrategy,
  'replicasets.apps': replicaSetStrategy,
  'deployments.apps': deploymentStrategy,
  podtemplates: podTemplateStrategy,
  replicationcontrollers: replicationControllerStrategy,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingWebhookStrategy,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingWebhookStrategy,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingAdmissionPolicyStrategy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingAdmissionPolicyBindingStrategy,
  'apiservices.apiregistration.k8s.io': apiServiceStrategy,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequestStrategy,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaStrategy,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelStrategy,
};

/** Kinds with a spec whose server does not count generations. */
const WITHOUT_GENERATION: ReadonlySet<string> = new Set([
  'services',
  'nodes',
  'namespaces',
  'persistentvolumes',
  'persistentvolumeclaims',
  'pods',
  'leases.coordination.k8s.io',
  'leasecandidates.coordination.k8s.io',
]);

export function strategyOf(fact: ResourceFact): Strategy {
  const text = resourceText(fact);
  return (
    OWN[text] ??
    genericStrategy({
      hasStatus: fact.subresources.some(({ name }) => name === 'status'),
      get hasGeneration() {
        if (WITHOUT_GENERATION.has(text)) return false;
        return structOf(`${fact.group ? `${fact.group}/` : ''}${fact.version}.${fact.kind}`).fieldsByName.has(
          'spec',
        );
      },
    })
  );
}
