import { expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { seconds } from '../../engine/time.ts';
import { template, world } from './workload-world.fixture.ts';

const NAMED = { name: 'web', namespace: 'old' };
const SELECTOR = { matchLabels: { app: 'web' } };

interface Workload {
  readonly controller: string;
  /** Without a pod. */
  readonly create: (cluster: Cluster) => void;
  /** From now on it wants one. */
  readonly grow: (cluster: Cluster) => void;
  readonly touch: (cluster: Cluster, note: string) => void;
}

const noted = (note: string) => ({ type: 'merge', body: { metadata: { annotations: { note } } } }) as const;

const WORKLOADS: readonly Workload[] = [
  {
    controller: 'replicaset-controller',
    create: ({ client }) =>
      client.replicaSets.create({
        metadata: NAMED,
        spec: { replicas: 0, selector: SELECTOR, template: template() },
      }),
    grow: ({ client }) => client.replicaSets.patch(NAMED, { type: 'merge', body: { spec: { replicas: 1 } } }),
    touch: ({ client }, note) => client.replicaSets.patch(NAMED, noted(note)),
  },
  {
    controller: 'daemonset-controller',
    create: ({ client }) => {
      const any = template({ node: '' });
      const spec = { containers: [], ...any.spec, nodeSelector: { disk: 'fast' } };
      client.daemonSets.create({ metadata: NAMED, spec: { selector: SELECTOR, template: { ...any, spec } } });
    },
    grow: ({ client }) =>
      client.nodes.patch('worker-1', { type: 'merge', body: { metadata: { labels: { disk: 'fast' } } } }),
    touch: ({ client }, note) => client.daemonSets.patch(NAMED, noted(note)),
  },
  {
    controller: 'job-controller',
    create: ({ client }) =>
      client.jobs.create({
        metadata: NAMED,
        spec: { parallelism: 0, template: template({ restartPolicy: 'Never' }) },
      }),
    grow: ({ client }) => client.jobs.patch(NAMED, { type: 'merge', body: { spec: { parallelism: 1 } } }),
    touch: ({ client }, note) => client.jobs.patch(NAMED, noted(note)),
  },
];

it.each(WORKLOADS)(
  '$controller tries once for a pod in a namespace that ends, and waits for what it has asked for',
  ({ controller, create, grow, touch }) => {
    const cluster = world({ trace: { keeps: Infinity } });
    cluster.client.namespaces.create({ metadata: { name: 'old' } });
    create(cluster);
    cluster.advance(seconds(5));
    // What is in the namespace stays, so that there is something to be done.
    cluster.faults.pause('controller/namespace-controller');
    cluster.faults.pause(`controller/${controller}`);
    cluster.client.namespaces.delete('old');
    grow(cluster);
    cluster.faults.resume(`controller/${controller}`);
    cluster.advance(seconds(10));
    for (const note of ['a', 'b', 'c']) {
      touch(cluster, note);
      cluster.advance(seconds(10));
    }
    const tries = cluster.trace
      .records(Infinity)
      .filter(({ kind, subject }) => kind === 'POST' && subject === '/api/v1/namespaces/old/pods');
    expect(tries).toHaveLength(1);
  },
);
