import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { active, createdPods, eventTexts, podsOf, ready, template, world } from '../workload/workload-world.fixture.ts';
import { targetOf } from './daemon-pod.ts';

const MANAGER = 'controller-manager/0';
const WITHIN = { within: minutes(3) };

/** Binds what no scheduler binds in these tests, to the nodes that the pods are meant for. */
function bind(cluster: Cluster): void {
  for (const pod of podsOf(cluster)) {
    const target = targetOf(pod);
    if (pod.spec?.nodeName || target === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const { name = '' } = pod.metadata;
    cluster.client.pods.resource?.call;
    bindTo(cluster, name, target);
  }
}

function daemonSet(cluster: Cluster, spec: Partial<NonNullable<DaemonSet['spec']>> = {}): DaemonSet {
  return cluster.client.daemonSets.create({
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: template({ node: '' }), ...spec },
  });
}
