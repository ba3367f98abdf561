/** For tests of autoscalers: metrics of pods that say what a test wants, served as custom resources. */
import { formatTime } from '../../api/time-format.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { seconds } from '../../engine/time.ts';

export const POD_METRICS: ResourceHandle = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
  kind: 'PodMetrics',
  isNamespaced: true,
};

/** From now on, two seconds later, somebody serves them. */
export function serveMetrics(cluster: Cluster): void {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  cluster.client.customResourceDefinitions.create({
    metadata: {
      name: 'pods.metrics.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group: 'metrics.k8s.io',
      scope: 'Namespaced',
      names: { plural: 'pods', kind: 'PodMetrics' },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
    },
  });
  cluster.advance(seconds(2));
}

/** What a pod uses now, in the one container that it has. */
export const usageNow = (cluster: Cluster, container: string, cpu: string) => ({
  timestamp: formatTime(cluster.userClient.context.wallMs()),
  window: '1s',
  containers: [{ name: container, usage: { cpu } }],
});
