/**
 * Speed of the whole control plane: what it costs until a Deployment is ready, from its creation on, with its controllers,
 * the scheduler and the agents of its pods.
 */
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { Measurement } from './engine.ts';

const LOOK_EVERY = seconds(1);
const LONGEST = minutes(10);
/** Clusters whose controllers have done nothing else, of which the one in the middle counts. */
const CLUSTERS = 21;
/** Until what is often run is compiled: what a process does in its first seconds takes two to three times as long. */
const WARMING = 100;

/** Processor time of a Deployment of three in a fresh cluster, in a process that has made a hundred before. */
export function measureSmallDeployment(): Measurement {
  const times = Array.from({ length: WARMING + CLUSTERS }, (_, seed) => {
    const cluster = createCluster({ seed: seed + 1, nodes: 3, isRecording: false });
    cluster.advance(seconds(30));
    return cpuMsOf(() => deploy(cluster, 1, 3));
  });
  const sorted = times.slice(WARMING).sort((a, b) => a - b);
  const value = Math.round((sorted[(CLUSTERS - 1) / 2] ?? 0) * 10) / 10;
  return {
    name: 'a Deployment of 3 until it is ready, in a fresh cluster of a warm process: processor time',
    value,
    unit: 'ms',
  };
}

/** Processor time of ten thousand pods of a hundred Deployments on a thousand nodes, and the memory by then. */
export function measureManyDeployments(nodes = 1_000, count = 100, replicas = 100): Measurement[] {
  const cluster = createCluster({ nodes, isRecording: false });
  cluster.advance(seconds(30));
  const cpuMs = cpuMsOf(() => deploy(cluster, count, replicas));
  const what = `${count} Deployments of ${replicas} on ${nodes} nodes until they are ready`;
  return [
    { name: `${what}: processor time`, value: Math.round(cpuMs / 100) / 10, unit: 's' },
    { name: `${what}: memory`, value: Math.round(process.memoryUsage().rss / 1e6), unit: 'MB' },
  ];
}

function deploy(cluster: Cluster, count: number, replicas: number): void {
  for (let index = 0; index < count; index++) {
    const labels = { app: `app-${index}` };
    cluster.client.deployments.create({
      metadata: { name: `app-${index}`, namespace: 'default' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'main', image: 'registry/app:1' }] },
        },
      },
    });
  }
  const until = cluster.now + LONGEST;
  while (!areReady(cluster, count, replicas) && cluster.now < until) cluster.advance(LOOK_EVERY);
}

const areReady = (cluster: Cluster, count: number, replicas: number): boolean =>
  cluster.client.deployments
    .list({ namespace: 'default' })
    .items.filter(({ status }) => status?.readyReplicas === replicas).length === count;

function cpuMsOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
