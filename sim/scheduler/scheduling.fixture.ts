/** For the tests of the scheduler: nodes without agents, pods in few words, and what became of them. */
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterOptions } from '../cluster/cluster-options.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { milliseconds, seconds } from '../engine/time.ts';
import type { PodSpec } from '../api/types/core-v1.ts';

export interface NodeFacts {
  readonly cpu?: string;
  readonly pods?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Without controllers that would take the nodes for lost. */
export function world(options: ClusterOptions = {}): Cluster {
  const cluster = createCluster({ controllers: ['serviceaccount-controller'], ...options });
  cluster.advance(seconds(1));
  return cluster;
}

export function addNode(
  cluster: Cluster,
  name: string,
  { cpu = '4', pods = '10', labels = {} }: NodeFacts = {},
): void {
  const amounts = { cpu, memory: '8Gi', pods };
  cluster.client.nodes.create({
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable: amounts, capacity: amounts },
  });
  // Nodes are born tainted, until a controller has heard of them.
  cluster.client.nodes.patch(name, { type: 'merge', body: { spec: { taints: null } } });
}

export interface PodFacts extends Partial<PodSpec> {
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly hostPort?: number;
}

export function addPod(
  cluster: Cluster,
  name: string,
  { cpu, labels = {}, hostPort, ...spec }: PodFacts = {},
): void {
  const resources = cpu === undefined ? {} : { requests: { cpu } };
  const ports = hostPort === undefined ? {} : { ports: [{ containerPort: hostPort, hostPort }] };
  cluster.client.pods.create({
    metadata: { name, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      ...spec,
      containers: [{ name: 'c', image: 'i', resources, ...ports }],
    },
  });
}

export const nodeOf = (cluster: Cluster, name: string): string | undefined =>
  cluster.client.pods.get(name).spec?.nodeName;

export const placed = (cluster: Cluster, name: string): string => {
  cluster.eventually(() => nodeOf(cluster, name) !== undefined, { within: seconds(20) });
  return nodeOf(cluster, name) ?? '';
};

/** Why a pod has no node. */
export const why = (cluster: Cluster, name: string): string => {
  cluster.advance(milliseconds(200));
  const { conditions = [] } = cluster.client.pods.get(name).status ?? {};
  return conditions.find(({ type }) => type === 'PodScheduled')?.message ?? '';
};

/** In order of these texts: names of Events say nothing of their order. */
export const eventsAbout = (cluster: Cluster, name: string): readonly string[] =>
  cluster.client.events
    .list()
    .items.filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason = '', message = '' }) => `${reason}: ${message}`)
    .sort();

export function addPriority(cluster: Cluster, name: string, value: number): void {
  cluster.client.priorityClasses.create({ metadata: { name }, value });
}
