/**
 * Speed of whole clusters: how much virtual time goes by in a second of real time while nodes renew their leases, run
 * their pods and fail. Each measurement ends after a while of real time, however slow the machine is.
 */
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import type { Process } from '../../engine/process.ts';
import { hours, minutes, seconds, type Micros } from '../../engine/time.ts';
import type { Measurement } from './engine.ts';

const { pods } = BUILTIN_HANDLES;
/** Real time after which no further slice begins. */
const PATIENCE_MS = 8_000;
const LONGEST = hours(1);
/** Nodes that failed come back before their pods would be evicted. */
const DOWN_MINUTES = 5;
/** A cluster with pods is warm once their agents have reported all of them. */
const SETTLING = minutes(2);

export interface FleetBench {
  readonly nodes: number;
  readonly podsPerNode?: number;
  /** So many of a hundred nodes lose their power in each virtual minute, and have it again five minutes later. */
  readonly failingPercent?: number;
}

/** Virtual seconds for a real one, and the memory that the cluster needs by then. */
export function measureFleet({ nodes, podsPerNode = 0, failingPercent = 0 }: FleetBench): Measurement[] {
  const what =
    `${nodes} nodes` +
    (podsPerNode > 0 ? `, ${nodes * podsPerNode} pods` : '') +
    (failingPercent > 0 ? `, ${failingPercent} % failing each minute` : ', idle');
  const before = usedMegabytes();
  const cluster = createCluster({ nodes, isRecording: false });
  cluster.advance(seconds(30));
  if (podsPerNode > 0) createPods(cluster, nodes, podsPerNode);
  cluster.advance(SETTLING);
  const ratio = ratioOf(cluster, failing(cluster, Math.round((nodes * failingPercent) / 100)));
  return [
    { name: `${what}: virtual time : real time`, value: Math.round(ratio), unit: ': 1' },
    { name: `${what}: memory`, value: usedMegabytes() - before, unit: 'MB' },
  ];
}

function ratioOf(cluster: Cluster, advance: (span: Micros) => void): number {
  const from = cluster.now;
  const start = performance.now();
  while (performance.now() - start < PATIENCE_MS && cluster.now - from < LONGEST) advance(minutes(1));
  return (cluster.now - from) / 1_000 / (performance.now() - start);
}

/** Lets a minute go by during which so many nodes fail, one after the other. */
function failing(cluster: Cluster, perMinute: number): (span: Micros) => void {
  const names = cluster.simulation.actors.map(({ name }) => name).filter((name) => name.startsWith('node/'));
  const down: string[] = [];
  let next = 0;
  return (span) => {
    for (let count = 0; count < perMinute; count++) {
      cluster.advance(Math.floor(span / perMinute) as Micros);
      const name = names[next++ % names.length] ?? '';
      cluster.faults.crash(name, { isSilent: true });
      down.push(name);
      if (down.length > DOWN_MINUTES * perMinute) cluster.faults.restart(down.shift() ?? '');
    }
    if (perMinute === 0) cluster.advance(span);
  };
}

function createPods(cluster: Cluster, nodes: number, each: number): void {
  const client = cluster.userClient;
  function* onNode(node: number): Process<void> {
    for (let index = 0; index < each; index++) {
      yield* client.create(pods, {
        metadata: { name: `pod-${node}-${index}`, namespace: 'default' },
        spec: { nodeName: `worker-${node}`, containers: [{ name: 'main', image: 'registry/app:1' }] },
      });
    }
  }
  cluster.finish(client.context.all(Array.from({ length: nodes }, (_, index) => onNode(index + 1))));
}

/** In use after a collection, where the process may ask for one (`--expose-gc`). */
function usedMegabytes(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
}
