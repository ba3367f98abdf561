/** Speed of the control plane as a component sees it: calls over the simulated network, and idle nodes. */
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import type { Process } from '../../engine/process.ts';
import { hours, minutes, seconds } from '../../engine/time.ts';
import type { Measurement } from './engine.ts';

const { configMaps } = BUILTIN_HANDLES;
const KILOBYTE = { first: 'x'.repeat(480), second: 'y'.repeat(480) };

/** Creates of a 1 KB ConfigMap per second, from first-party components over the simulated network. */
export function measureCreatesOverNetwork(creates = 40_000, components = 16): Measurement {
  const cluster = createCluster({ isRecording: false, controllers: [] });
  const client = cluster.userClient;
  function* createSome(component: number): Process<void> {
    for (let index = 0; index < creates / components; index++) {
      yield* client.create(configMaps, {
        metadata: { name: `config-${component}-${index}` },
        data: KILOBYTE,
      });
    }
  }
  cluster.advance(seconds(1));
  const start = performance.now();
  const all = Array.from({ length: components }, (_, component) => createSome(component));
  cluster.finish(client.context.all(all));
  return rateOf('calls over the simulated network, create of a 1 KB ConfigMap', 'calls/s', creates, start);
}

/** Gets of a 1 KB ConfigMap per second. */
export function measureGetsOverNetwork(gets = 100_000, components = 16): Measurement {
  const cluster = createCluster({ isRecording: false, controllers: [] });
  const client = cluster.userClient;
  cluster.finish(client.create(configMaps, { metadata: { name: 'config' }, data: KILOBYTE }));
  function* getSome(): Process<void> {
    for (let index = 0; index < gets / components; index++) yield* client.get(configMaps, 'config');
  }
  const start = performance.now();
  cluster.finish(client.context.all(Array.from({ length: components }, getSome)));
  return rateOf('calls over the simulated network, get of a 1 KB ConfigMap', 'calls/s', gets, start);
}

/** Real seconds for a virtual hour of idle nodes: leases, status, the life-cycle controller. */
export function measureIdleNodes(nodes = 100): Measurement {
  const cluster = createCluster({ nodes, isRecording: false });
  cluster.advance(seconds(30));
  const start = performance.now();
  cluster.advance(hours(1));
  const elapsed = Math.round(performance.now() - start) / 1000;
  return { name: `a virtual hour of ${nodes} idle nodes`, value: elapsed, unit: 's' };
}

/**
 * What one renewal of a lease costs, all in: client, network, server, watches, and what else idle nodes and their
 * controllers do meanwhile. Processor time of all threads, so that others on the machine matter less.
 */
export function measureRenewals(nodes = 100): Measurement[] {
  const cluster = createCluster({ nodes, isRecording: false });
  // Until what is often run is compiled.
  cluster.advance(minutes(10));
  const before = versionOf(cluster);
  const start = process.cpuUsage();
  cluster.advance(minutes(30));
  const { user, system } = process.cpuUsage(start);
  const micros = (user + system) / (versionOf(cluster) - before);
  return [
    { name: 'renewal of a lease, all in: processor time', value: Math.round(micros * 10) / 10, unit: 'µs' },
    { name: 'renewals of leases, all in', value: Math.round(1_000_000 / micros), unit: 'renewals/s' },
  ];
}

/** All but one in thirty writes of idle nodes are renewals. */
const versionOf = (cluster: Cluster): number =>
  Number(cluster.client.leases.list({ limit: 1 }).metadata.resourceVersion);

function rateOf(name: string, unit: string, count: number, start: number): Measurement {
  return { name, value: Math.round((count / (performance.now() - start)) * 1000), unit };
}
