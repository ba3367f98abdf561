/** For the tests of workload controllers: a cluster, workloads bound to its nodes, and what the API says of them. */
import { expect } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod, PodTemplateSpec } from '../../api/types/core-v1.ts';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ClusterOptions } from '../../cluster/cluster-options.ts';
import { assembleCluster, createCluster } from '../../cluster/create-cluster.ts';
import { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import type { WorkloadBehaviour } from '../../node/runtime/workload-behaviour.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { ControllerManager } from '../manager/controller-manager.ts';
import type { Controller } from '../manager/controller.ts';
import { targetOf } from '../daemon-set/daemon-pod.ts';
import { managerCredentials } from '../../cluster/manager-credentials.ts';
import { isActive, isReady } from './pods.ts';

export function world(options: ClusterOptions = {}): Cluster {
  const cluster = createCluster({ nodes: 1, ...options });
  cluster.advance(seconds(20));
  return cluster;
}

/** With controllers of the test's making, and no others. */
export function worldOf(controllers: readonly Controller[], seed = 1): Cluster {
  const simulation = new Simulation({ seed });
  const cluster = assembleCluster(simulation, {
    storage: new MemoryStorage<StoredObject>(),
    controllers: ['serviceaccount-controller'],
  });
  const servers = cluster.apiServers.map(({ name }) => name);
  const manager = new ControllerManager(simulation, {
    number: 7,
    servers,
    controllers,
    electsLeader: false,
    credentials: managerCredentials(),
  });
  cluster.advance(seconds(5));
  expect(manager.isLeading).toBe(true);
  return cluster;
}

export interface TemplateFacts {
  readonly image?: string;
  /** Empty: whoever schedules decides. */
  readonly node?: string;
  readonly app?: string;
  readonly restartPolicy?: NonNullable<PodTemplateSpec['spec']>['restartPolicy'];
  readonly behaviour?: WorkloadBehaviour;
  readonly spec?: Partial<NonNullable<PodTemplateSpec['spec']>>;
}

export const template = ({
  image = 'app:1',
  node = 'worker-1',
  app = 'web',
  restartPolicy,
  behaviour,
  spec,
}: TemplateFacts = {}): PodTemplateSpec => ({
  metadata: {
    labels: { app },
    ...(behaviour && { annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) } }),
  },
  spec: {
    ...(node !== '' && { nodeName: node }),
    ...(restartPolicy !== undefined && { restartPolicy }),
    terminationGracePeriodSeconds: 1,
    ...spec,
    containers: [{ name: 'main', image }],
  },
});

export function replicaSet(cluster: Cluster, replicas: number, facts: TemplateFacts = {}): ReplicaSet {
  return cluster.client.replicaSets.create({
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(facts) },
  });
}

export function deployment(
  cluster: Cluster,
  spec: Partial<NonNullable<Deployment['spec']>> = {},
  facts: TemplateFacts = {},
): Deployment {
  return cluster.client.deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template(facts), ...spec },
  });
}

/** What no scheduler binds in these tests goes to the node that it is meant for, or to the only one. */
export function bindAll(cluster: Cluster): void {
  for (const pod of podsOf(cluster)) {
    const { name = '', deletionTimestamp } = pod.metadata;
    if (pod.spec?.nodeName || deletionTimestamp !== undefined) continue;
    const binding = { metadata: { name }, target: { kind: 'Node', name: targetOf(pod) ?? 'worker-1' } };
    cluster.client.pods.create(binding, { subresource: 'binding' });
  }
}

export const podsOf = (cluster: Cluster): readonly Pod[] =>
  cluster.client.pods.list({ namespace: 'default' }).items;
export const active = (cluster: Cluster): readonly Pod[] => podsOf(cluster).filter(isActive);
export const ready = (cluster: Cluster): readonly Pod[] => active(cluster).filter(isReady);
/** Every pod that there ever was. */
export function createdPods(cluster: Cluster): () => number {
  const watch = cluster.client.pods.watch({ resourceVersion: '0' });
  return () => watch.events.filter(({ type }) => type === 'ADDED').length;
}

export const eventTexts = (cluster: Cluster, about: string): readonly string[] =>
  cluster.client.events
    .list({ namespace: 'default' })
    .items.filter(({ involvedObject }) => involvedObject.name === about)
    .map(({ reason = '', message = '' }) => `${reason}: ${message}`);
