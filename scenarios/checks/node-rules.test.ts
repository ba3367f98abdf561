/** Each rule about nodes, in whole runs: of a cluster that keeps it, and of one that breaks it on purpose. */
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import { ApiClient } from '../../sim/client/api-client.ts';
import { BUILTIN_HANDLES } from '../../sim/client/builtin-handles.ts';
import { Informer } from '../../sim/client/informer/informer.ts';
import { EVERY_CONTROLLER } from '../../sim/cluster/create-cluster.ts';
import type { Context } from '../../sim/engine/context.ts';
import type { Process } from '../../sim/engine/process.ts';
import { createCluster, seconds, type Cluster, type ClusterOptions } from '../../sim/index.ts';
import { clusterWorldOf, createClusterWorld } from '../world/cluster-world.ts';
import { executeRun } from '../runner/execute-run.ts';
import { loadScenario } from '../language/load-scenario.ts';
import type { MakeWorld } from '../world/world.ts';

const { nodes, pods, leases } = BUILTIN_HANDLES;

/** Without the garbage collector: owners are made up. */
function run(steps: string, makeWorld: MakeWorld = createClusterWorld, more = ''): Promise<RunRecord> {
  const head = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\n';
  const text = `${head}spec:\n  cluster: { nodes: 3, controllers: ['*', '-garbage-collector-controller'] }\n${more}  steps:\n${steps}`;
  const result = loadScenario('sample.yaml', text);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld });
}

const clientOf = (context: Context, user = 'system:kube-controller-manager'): ApiClient =>
  new ApiClient({
    context,
    servers: ['apiserver/0'],
    user: { name: user, groups: ['system:masters', 'system:authenticated'] },
    userAgent: 'mutant',
  });

/** A world whose cluster lacks a controller, and has something else instead. */
const worldWith = (
  lacks: (typeof EVERY_CONTROLLER)[number] | undefined,
  mutate: (cluster: Cluster) => void = () => undefined,
): MakeWorld =>
  clusterWorldOf((options: ClusterOptions) => {
    const controllers = EVERY_CONTROLLER.filter(
      (name) => name !== lacks && name !== 'garbage-collector-controller',
    );
    const onAssembled = (cluster: Cluster): void => {
      mutate(cluster);
      options.onAssembled?.(cluster);
    };
    return createCluster({ ...options, controllers, onAssembled });
  });

const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');

/** A life-cycle controller that knows nothing but silence. */
const lifecycle = (grace: number) => (cluster: Cluster) =>
  cluster.simulation.actor('controller/node-lifecycle', {
    *start(context) {
      const client = clientOf(context);
      const known = new Informer<Node>({ client, handle: nodes });
      const renewals = new Informer<Lease>({ client, handle: leases, namespace: 'kube-node-lease' });
      const heardAt = new Map<string, number>();
      renewals.addHandler({ changed: ({ metadata }) => heardAt.set(metadata.name ?? '', context.now()) });
      known.start();
      renewals.start();
      for (;;) {
        yield* context.sleep(seconds(5));
        for (const node of known.store.list()) {
          const heard = heardAt.get(node.metadata.name ?? '') ?? context.now();
          yield* node.spec?.taints && readyOf(node)?.status === 'True'
            ? client.patch(nodes, node.metadata.name ?? '', {
                type: 'merge',
                body: { spec: { taints: null } },
              })
            : nothing();
          if (context.now() - heard > seconds(grace) && readyOf(node)?.status === 'True')
            yield* declareUnknown(client, node);
        }
      }
    },
  });

function* nothing(): Process<void> {
  // A branch without a request.
}

function* declareUnknown(client: ApiClient, node: Node): Process<void> {
  const conditions = (node.status?.conditions ?? []).map((condition) => ({
    ...condition,
    status: 'Unknown',
  }));
  yield* client.update(nodes, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
}

const SETTLE = `    - eventually:
        within: 1m
        get: { kind: Node, name: worker-1 }
        expect: { body: { status: { conditions: { $contains: [{ type: Ready, status: 'True' }] } } } }
    - advance: 20s
`;

const podOn = (node: string, behaviour = '{}', more = ''): string => `    - create:
        apiVersion: v1
        kind: Pod
        metadata:
          name: web-0
          namespace: default
          annotations: { behaviour.kubesim.dev/main: '${behaviour}' }
          ownerReferences: [{ apiVersion: apps/v1, kind: StatefulSet, name: web, uid: c0ffee00-0000-4000-8000-000000000000, controller: true }]
        spec: { nodeName: ${node}, containers: [{ name: main, image: 'app:1' }]${more} }
`;

const RUNNING = `    - eventually:
        within: 1m
        get: { kind: Pod, name: web-0 }
        expect: { body: { status: { phase: Running } } }
`;

describe('one-live-container-per-identity', () => {
  const replace = (deletion: string): string =>
    SETTLE +
    podOn('worker-1', '{"stopsAfterSeconds":20}') +
    RUNNING +
    deletion +
    `    - eventually:
        within: 2m
        get: { kind: Pod, name: web-0 }
        expect: { status: 404 }
` +
    podOn('worker-2') +
    RUNNING;
  const graceful = replace('    - delete: { kind: Pod, name: web-0 }\n');

  /** Somebody who gives up the pods of a node in its agent's name, whether their containers have ended or not. */
  const liar = (cluster: Cluster): void => {
    cluster.simulation.actor('liar', {
      *start(context) {
        const client = clientOf(context, 'system:node:worker-1');
        const seen = new Informer<Pod>({ client, handle: pods });
        const deleted = context.channel<Pod>();
        const known = new Set<unknown>();
        seen.addHandler({
          changed: (pod) => {
            const { deletionTimestamp, uid } = pod.metadata;
            if (deletionTimestamp === undefined || known.has(uid)) return;
            known.add(uid);
            deleted.offer(pod);
          },
        });
        seen.start();
        for (;;) {
          const pod = yield* deleted.receive();
          const { name = '', namespace = '', uid = '' } = pod?.metadata ?? {};
          yield* client.delete(pods, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } });
        }
      },
    });
  };

  test('holds when a pod is replaced after its end', async () => {
    expect((await run(graceful)).failure?.details).toBeUndefined();
  });

  test('leaves a pod that was deleted by force to whoever did that', async () => {
    const forced = replace('    - delete: { kind: Pod, name: web-0, options: { gracePeriodSeconds: 0 } }\n');
    expect((await run(forced)).failure?.details).toBeUndefined();
  });

  test('finds an agent that gives a pod up while its container lives', async () => {
    const unheard = replace(
      '    - fault: { partition: { from: node/worker-1 } }\n    - delete: { kind: Pod, name: web-0 }\n',
    );
    const { failure } = await run(unheard, worldWith(undefined, liar));
    expect(failure?.property).toBe('one-live-container-per-identity');
    expect(failure?.details[0]).toMatch(
      /^at \d+\.\d+s: default\/web-0 runs twice: container main of pod \S+ started on node\/worker-2 while container main of its predecessor \S+, which was not deleted by force is alive on node\/worker-1$/,
    );
  });

  test('finds two machines that run one pod', async () => {
    const { failure } = await run(
      `${SETTLE}${podOn('worker-1')}${RUNNING}    - fault: { addTwin: { node: worker-1 } }\n    - advance: 30s\n`,
    );
    expect(failure?.property).toBe('one-live-container-per-identity');
    expect(failure?.details[0]).toContain(
      'started on node/worker-1~twin while container main of the same pod is alive on node/worker-1',
    );
  });

  test('can be switched off by a scenario that shows just that', async () => {
    const { verdict } = await run(
      `${SETTLE}${podOn('worker-1')}${RUNNING}    - fault: { addTwin: { node: worker-1 } }\n    - advance: 30s\n`,
      createClusterWorld,
      '  exempt: [one-live-container-per-identity]\n',
    );
    expect(verdict).toBe('passed');
  });
});

describe('unknown-only-after-grace', () => {
  const silence = `${SETTLE}    - fault: { partition: { from: node/worker-1 } }\n    - advance: 2m\n`;

  test('holds for the grace of 40 s', async () => {
    expect((await run(silence)).verdict).toBe('passed');
  });

  test('finds a controller with a grace of 30 s', async () => {
    const { failure } = await run(silence, worldWith('node-lifecycle-controller', lifecycle(30)));
    expect(failure?.property).toBe('unknown-only-after-grace');
    expect(failure?.details[0]).toMatch(
      /: worker-1 was declared Unknown after 3\d\.\d+s of silence, not more than the grace of 40s: at \d+\.\d+s by the controller's clock its lease was renewed$/,
    );
  });

  test('does not blame a controller for what cannot have reached it', async () => {
    const { failure } = await run(
      `${SETTLE}    - fault: { partition: { from: controller/node-lifecycle, to: apiserver/0, way: back } }\n    - advance: 70s\n    - fault: { heal: { from: controller/node-lifecycle } }\n    - advance: 70s\n`,
    );
    expect(failure).toBeUndefined();
  });
});

describe('lease-renewals-monotone', () => {
  /** A lease loop that writes old times. */
  const wrongTime = (cluster: Cluster): void => {
    const write = function* (context: Context): Process<void> {
      const client = clientOf(context, 'system:node:worker-2');
      yield* context.sleep(seconds(33));
      const lease = yield* client.get(leases, { namespace: 'kube-node-lease', name: 'worker-2' });
      const spec = { ...lease.spec, renewTime: '2024-12-31T23:00:00.000000Z' };
      yield* client.update(leases, { ...lease, spec });
    };
    cluster.faults.actor('worker-2').spawn('wrong time', write);
  };

  test('finds a renewal with an old time', async () => {
    const { failure } = await run(`${SETTLE}    - advance: 1m\n`, worldWith(undefined, wrongTime));
    expect(failure?.property).toBe('lease-renewals-monotone');
    expect(failure?.details[0]).toMatch(
      /: the lease of worker-2 was renewed 36\d\d\.\d+s before its last renewal, to 2024-12-31T23:00:00.000000Z; its clock was not turned back since$/,
    );
  });

  test('allows for a clock that was turned back, and no more than that', async () => {
    const turn = (by: string): string =>
      `${SETTLE}    - fault: { jumpClock: { actor: node/worker-2, by: ${by}, back: true } }\n    - advance: 1m\n`;
    expect((await run(turn('1h'))).failure).toBeUndefined();
    const late = turn('5m').replace('    - fault', '    - advance: 11s\n    - fault');
    const { failure } = await run(late, worldWith(undefined, wrongTime));
    expect(failure?.details[0]).toContain('its clock was turned back by 300s only');
  });

  test('finds somebody who takes a lease that has not run out', async () => {
    const { failure } = await run(
      `${SETTLE}    - patch: { apiVersion: coordination.k8s.io/v1, kind: Lease, namespace: kube-node-lease, name: worker-1, patch: { spec: { holderIdentity: eve } } }\n`,
    );
    expect(failure?.property).toBe('lease-renewals-monotone');
    expect(failure?.details[0]).toMatch(
      /the lease of worker-1 went from worker-1 to eve 40s before it ran out$/,
    );
  });
});

describe('taints-match-conditions', () => {
  const routes = `${SETTLE}    - fault: { loseRoutes: { node: worker-1 } }\n    - advance: 1m\n`;

  test('holds when the controller does its work', async () => {
    expect((await run(routes)).failure).toBeUndefined();
  });

  test('finds a controller that forgets taints', async () => {
    const { failure } = await run(routes, worldWith('node-lifecycle-controller', lifecycle(40)));
    expect(failure?.property).toBe('taints-match-conditions');
    expect(failure?.details[0]).toMatch(
      /: worker-1 has no taint network-unavailable, though NetworkUnavailable is True, and nothing has changed about worker-1 for 1\d\.\d+s$/,
    );
  });

  test('waits for a controller that cannot work', async () => {
    const { failure } = await run(
      `${SETTLE}    - fault: { crash: { actor: controller/node-lifecycle } }\n    - fault: { loseRoutes: { node: worker-1 } }\n    - advance: 5m\n    - fault: { restart: { actor: controller/node-lifecycle } }\n    - advance: 5m\n`,
    );
    expect(failure).toBeUndefined();
  });
});

describe('no-pod-overstays', () => {
  const lost =
    SETTLE +
    podOn(
      'worker-1',
      '{}',
      ', tolerations: [{ operator: Exists, effect: NoExecute, tolerationSeconds: 60 }]',
    ) +
    RUNNING +
    '    - fault: { partition: { from: node/worker-1 } }\n    - advance: 5m\n';

  test('holds when pods are evicted', async () => {
    expect((await run(lost)).failure).toBeUndefined();
  });

  test('finds an eviction that never comes', async () => {
    const { failure } = await run(lost, worldWith('taint-eviction-controller'));
    expect(failure?.property).toBe('no-pod-overstays');
    expect(failure?.details[0]).toMatch(
      /: pod default\/web-0 is still on worker-1, which has been unreachable for \d+(\.\d+)?s; it tolerates that for 60s, from \d+\.\d+s on at the latest$/,
    );
  });

  test('finds a controller that never gives a node up', async () => {
    const { failure } = await run(
      lost,
      worldWith('node-lifecycle-controller', lifecycle(40)),
      '  exempt: [taints-match-conditions, lost-pods-are-marked]\n',
    );
    expect(failure?.property).toBe('no-pod-overstays');
  });

  test('finds a garbage collector that leaves the pods of a node that is gone', async () => {
    const gone = `${lost.replace('advance: 5m', 'advance: 1s')}    - delete: { kind: Node, name: worker-1 }\n    - advance: 4m\n`;
    expect((await run(gone)).failure).toBeUndefined();
    const { failure } = await run(gone, worldWith('pod-garbage-collector-controller'));
    expect(failure?.details[0]).toMatch(
      /: pod default\/web-0 is still on worker-1, which has not been there for \d+\.?\d*s$/,
    );
  });
});

describe('pods-end-in-time', () => {
  const deleted = '    - delete: { kind: Pod, name: web-0 }\n';
  const begun = SETTLE + podOn('worker-1', '{}') + RUNNING;

  test('waits as long as the runtime hangs, and from when it goes on', async () => {
    const hung = `${begun}    - fault: { stopRuntime: { node: worker-1 } }\n${deleted}    - advance: 3m\n`;
    expect((await run(hung)).failure).toBeUndefined();
    expect(
      (await run(`${hung}    - fault: { startRuntime: { node: worker-1 } }\n    - advance: 3m\n`)).failure,
    ).toBeUndefined();
  });

  test('finds a machine on which nothing ends', async () => {
    const endless = worldWith(undefined, (cluster) =>
      cluster.eachAgent(({ machine: { runtime } }) => {
        runtime.stop = () => undefined;
      }),
    );
    const { failure } = await run(`${begun}${deleted}    - advance: 3m\n`, endless);
    expect(failure?.property).toBe('pods-end-in-time');
  });
});

test('rules change nothing in a run', async () => {
  const steps = `${SETTLE}    - fault: { partition: { from: node/worker-1 } }\n    - advance: 2m\n`;
  const watched = await run(steps);
  const unwatched = await run(
    steps,
    createClusterWorld,
    '  exempt: [one-live-container-per-identity, unknown-only-after-grace, lease-renewals-monotone, taints-match-conditions, no-pod-overstays]\n',
  );
  expect(watched.digest).toBe(unwatched.digest);
});

test('candidates are heard when they ask for the lease of their leader', async () => {
  const asks = (cluster: Cluster): void =>
    void cluster.simulation.actor('controller/candidate', {
      *start(context) {
        const client = clientOf(context);
        const key = { namespace: 'kube-system', name: 'led' };
        yield* context.sleep(seconds(10));
        const lease = yield* client.get(leases, key);
        yield* context.sleep(seconds(5));
        yield* client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'candidate' } });
      },
    });
  const record = await run(
    `    - create: { apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: { name: led, namespace: kube-system }, spec: { holderIdentity: other, leaseDurationSeconds: 15 } }
    - advance: 1m
`,
    worldWith(undefined, asks),
  );
  expect(record.failure).toMatchObject({ kind: 'checker', property: 'leases-run-out' });
});
