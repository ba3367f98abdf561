/** Which strategy each built-in resource has: its own from `kinds/`, or the generic one. */
import type { ResourceFact } from '../../api/catalog/builtin-resources.ts';
import { structOf } from '../../api/catalog/builtin-types.ts';
import { genericStrategy } from './generic-strategy.ts';
import { configMapStrategy } from './kinds/core/config-map.ts';
import { namespaceStrategy } from './kinds/core/namespace.ts';
import { endpointsStrategy } from './kinds/core/endpoints.ts';
import { limitRangeStrategy } from './kinds/core/limit-range.ts';
import { resourceQuotaStrategy } from './kinds/core/resource-quota.ts';
import { secretStrategy } from './kinds/core/secret.ts';
import { serviceAccountStrategy } from './kinds/core/service-account.ts';
import { serviceStrategy } from './kinds/core/service.ts';
import { replicationControllerStrategy } from './kinds/core/replication-controller.ts';
import { podTemplateStrategy } from './kinds/core/pod-template.ts';
import { deploymentStrategy } from './kinds/apps/deployment.ts';
import { replicaSetStrategy } from './kinds/apps/replica-set.ts';
import { statefulSetStrategy } from './kinds/apps/stateful-set.ts';
import { daemonSetStrategy } from './kinds/apps/daemon-set.ts';
import { controllerRevisionStrategy } from './kinds/apps/controller-revision.ts';
import { jobStrategy } from './kinds/batch/job.ts';
import { cronJobStrategy } from './kinds/batch/cron-job.ts';
import { leaseStrategy } from './kinds/coordination/lease.ts';
import { podDisruptionBudgetStrategy } from './kinds/policy/pod-disruption-budget.ts';
import { podStrategy } from './kinds/core/pod.ts';
import type { Strategy } from './strategy.ts';
import { resourceText } from './resource.ts';

const OWN: Readonly<Record<string, Strategy>> = {
  configmaps: configMapStrategy,
  namespaces: namespaceStrategy,

  endpoints: endpointsStrategy,
  limitranges: limitRangeStrategy,
  resourcequotas: resourceQuotaStrategy,
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,

  pods: podStrategy,
  'poddisruptionbudgets.policy': podDisruptionBudgetStrategy,
  'leases.coordination.k8s.io': leaseStrategy,
  'cronjobs.batch': cronJobStrategy,
  'jobs.batch': jobStrategy,
  'controllerrevisions.apps': controllerRevisionStrategy,
  'daemonsets.apps': daemonSetStrategy,
  'statefulsets.apps': statefulSetStrategy,
  'replicasets.apps': replicaSetStrategy,
  'deployments.apps': deploymentStrategy,
  podtemplates: podTemplateStrategy,
  replicationcontrollers: replicationControllerStrategy,
};

/** Kinds with a spec whose server does not count generations. */
const WITHOUT_GENERATION: ReadonlySet<string> = new Set(['services', 'nodes', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims', 'pods', 'leases.coordination.k8s.io']);

export function strategyOf(fact: ResourceFact): Strategy {
  const text = resourceText(fact);
  return (
    OWN[text] ??
    genericStrategy({
      hasStatus: fact.subresources.some(({ name }) => name === 'status'),
      get hasGeneration() {
        if (WITHOUT_GENERATION.has(text)) return false;
        return structOf(`${fact.group ? `${fact.group}/` : ''}${fact.version}.${fact.kind}`).fieldsByName.has('spec');
      },
    })
  );
}
