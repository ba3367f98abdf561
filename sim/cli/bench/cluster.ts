/** Speed of whole clusters. */
import { createCluster, hours, minutes, type ObjectMeta } from '../../index.ts';
import type { Measurement } from './engine.ts';

/** Real time of one virtual hour of idle nodes, with their leases and status. */
export function measureIdleNodes(nodes = 100): Measurement {
  const cluster = createCluster({ nodes, isRecording: false });
  cluster.advance(minutes(2));
  const started = performance.now();
  cluster.advance(hours(1));
  return {
    name: `one virtual hour of ${nodes} idle nodes`,
    value: Math.round(performance.now() - started),
    unit: 'ms',
  };
}

/** API calls of a component over the simulated network: it creates ConfigMaps of 1 KB, one after the other. */
export function measureCreatesOverNetwork(count = 30_000): Measurement {
  const cluster = createCluster({ isRecording: false });
  const { userClient } = cluster;
  const text = 'x'.repeat(900);
  const configMap = (index: number): { readonly metadata: ObjectMeta; readonly data: object } => ({
    metadata: { name: `cm-${index}`, namespace: 'default' },
    data: { text },
  });
  cluster.client.configMaps.create(configMap(0));
  const started = performance.now();
  cluster.finish(
    (function* () {
      for (let index = 1; index <= count; index++)
        yield* userClient.raw('POST', '/api/v1/namespaces/default/configmaps', {
          body: { apiVersion: 'v1', kind: 'ConfigMap', ...configMap(index) },
        });
    })(),
  );
  return {
    name: 'creates of a 1 KB ConfigMap over the simulated network',
    value: Math.round((count / (performance.now() - started)) * 1_000),
    unit: 'calls/s',
  };
}
