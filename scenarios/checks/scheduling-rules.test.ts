/** Each rule about schedulers, in whole runs: of a cluster that keeps it, and of one that breaks it on purpose. */
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { ApiClient } from '../../sim/client/api-client.ts';
import { BUILTIN_HANDLES } from '../../sim/client/builtin-handles.ts';
import type { ResourceHandle } from '../../sim/client/resource-handle.ts';
import type { Process } from '../../sim/engine/process.ts';
import { createCluster, seconds, type Cluster, type ClusterOptions } from '../../sim/index.ts';
import { clusterWorldOf, createClusterWorld } from '../world/cluster-world.ts';
import { executeRun } from '../runner/execute-run.ts';
import { loadScenario } from '../language/load-scenario.ts';
import type { MakeWorld } from '../world/world.ts';

const { pods } = BUILTIN_HANDLES;
const BINDINGS: ResourceHandle = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Binding',
  isNamespaced: true,
};

function run(
  steps: string,
  cluster = '{ nodes: 2 }',
  makeWorld: MakeWorld = createClusterWorld,
): Promise<RunRecord> {
  const head = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\n';
  const text = `${head}spec:\n  cluster: ${cluster}\n  steps:\n    - advance: 20s\n${steps}    - advance: 20s\n`;
  const result = loadScenario('sample.yaml', text);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld });
}

const pod = (name: string, spec = '', resources = ''): string =>
  `    - create: { apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: x } }, spec: { ${spec} containers: [{ name: c, image: i, ${resources} }] } }\n`;
const CPU = (amount: number): string => `resources: { requests: { cpu: '${amount}' } }`;
const PORT = 'ports: [{ containerPort: 80, hostPort: 80 }]';
const APART =
  'affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: x } } }] } },';
const NEAR_NOBODY =
  'affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: nobody } } }] } },';
const NOWHERE = 'nodeSelector: { nobody: has },';
const CORDON = `    - fault: { cordon: { node: worker-1 } }\n    - fault: { cordon: { node: worker-2 } }\n    - advance: 1s\n`;

/** The scheduler of a program that lacks a part. */
const without = (plugin: string): string =>
  `{ nodes: 2, scheduler: { profiles: [{ plugins: { filter: { disabled: [{ name: ${plugin} }] } } }] } }`;

const three = (spec = '', resources = ''): string =>
  ['a', 'b', 'c'].map((name) => pod(name, spec, resources)).join('');

describe('a scheduler', () => {
  test.each([
    ['scheduler-never-overcommits', 'NodeResourcesFit', three('', CPU(3))],
    ['scheduler-keeps-required-rules', 'NodeAffinity', pod('a', NOWHERE)],
    [
      'scheduler-keeps-required-rules',
      'NodeUnschedulable',
      CORDON + pod('a', 'tolerations: [{ key: a, operator: Exists }],'),
    ],
    ['scheduler-keeps-required-rules', 'NodePorts', three('', PORT)],
    ['scheduler-keeps-required-rules', 'InterPodAffinity', three(APART)],
    ['scheduler-keeps-required-rules', 'InterPodAffinity', pod('a', NEAR_NOBODY)],
  ])('is held to %s: without %s it is caught, with it not', async (rule, plugin, steps) => {
    const lacking = plugin === 'NodeUnschedulable' ? withoutBoth(plugin, 'TaintToleration') : without(plugin);
    expect((await run(steps, lacking)).failure?.property).toBe(rule);
    expect((await run(steps)).failure).toBeUndefined();
  });

  test('is held to scheduler-preempts-lesser-pods', async () => {
    const wanton: MakeWorld = clusterWorldOf((options: ClusterOptions) => {
      const wantonScheduler = (cluster: Cluster) =>
        cluster.simulation.actor('scheduler/0', {
          *start(context): Process<void> {
            const user = { name: 'system:kube-scheduler', groups: ['system:masters'] };
            const client = new ApiClient({ context, servers: ['apiserver/0'], user });
            yield* context.sleep(seconds(25));
            const { items } = yield* client.list(pods);
            const [first] = items;
            if (!first) return;
            const { name = '', namespace = '' } = first.metadata;
            const target = { kind: 'Node', name: 'worker-1' };
            yield* client.create(
              BINDINGS,
              { metadata: { name, namespace }, target },
              { subresource: 'binding' },
            );
            yield* client.delete(pods, { name, namespace });
          },
        });
      return createCluster({
        ...options,
        scheduler: false,
        onAssembled: (cluster) => {
          wantonScheduler(cluster);
          options.onAssembled?.(cluster);
        },
      });
    });
    expect((await run(pod('a'), undefined, wanton)).failure?.property).toBe('scheduler-preempts-lesser-pods');
  });
});

const withoutBoth = (one: string, other: string): string =>
  `{ nodes: 2, scheduler: { profiles: [{ plugins: { filter: { disabled: [{ name: ${one} }, { name: ${other} }] } } }] } }`;
