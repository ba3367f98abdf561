/** For the tests of pods: a small cluster, pods with behaviours, and what the API says of them. */
import type { Container, Pod, PodSpec } from '../api/types/core-v1.ts';
import type { Cluster } from './cluster.ts';
import { createCluster } from './create-cluster.ts';
import { minutes } from '../engine/time.ts';
import type { WorkloadBehaviour } from '../node/runtime/workload-behaviour.ts';

export interface PodFacts extends Partial<Omit<PodSpec, 'containers'>> {
  readonly behaviours?: Readonly<Record<string, WorkloadBehaviour>>;
  readonly containers?: readonly Partial<Container>[];
}

export function cluster(nodes = 1): Cluster {
  const made = createCluster({ nodes });
  made.settle();
  return made;
}

export function create(world: Cluster, name: string, { behaviours = {}, ...spec }: PodFacts = {}): void {
  const annotations = Object.fromEntries(
    Object.entries(behaviours).map(([container, behaviour]) => [
      `behaviour.kubesim.dev/${container}`,
      JSON.stringify(behaviour),
    ]),
  );
  const containers = (spec.containers ?? [{ name: 'main' }]).map((container) => ({
    name: 'main',
    image: 'app:1',
    ...container,
  }));
  world.client.pods.create({
    metadata: { name, annotations },
    spec: { nodeName: 'worker-1', ...spec, containers },
  });
}

export const status = (world: Cluster, name: string) => world.client.pods.get(name).status;
export const container = (world: Cluster, name: string) => status(world, name)?.containerStatuses?.[0];
export const conditions = ({ status: said }: Pod): Record<string, string> =>
  Object.fromEntries((said?.conditions ?? []).map(({ type, status: is }) => [type, is]));
export const names = (world: Cluster) => world.client.pods.list().items.map(({ metadata }) => metadata.name);
export const untilPhase = (world: Cluster, name: string, phase: string) =>
  world.eventually(() => status(world, name)?.phase === phase, { within: minutes(1) });
/** `Reason: message` of each Event about a pod. */
export const eventsOf = (world: Cluster, name: string): readonly string[] =>
  world.client.events
    .list()
    .items.filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason = '', message = '' }) => `${reason}: ${message}`);
