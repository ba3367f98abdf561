/**
 * The node life-cycle controller: an actor that looks every five seconds when each node was last heard of
 * (`node-monitor.ts`), gives nodes that are not ready their taints (`execute-tainter.ts`, `node-taints.ts`), and marks
 * their pods. It knows of nodes only what its informers have received.
 * Specification: "Node", "Lease", "Taints", "Limits".
 */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import { ExecuteTainter } from './execute-tainter.ts';
import { labelCorrection } from './node-labels.ts';
import { NodeMarks } from './node-marks.ts';
import { LEASE_NAMESPACE, NodeMonitor } from './node-monitor.ts';
import { scheduleTaints } from './node-taints.ts';

const { nodes, pods, leases } = BUILTIN_HANDLES;
const MONITOR_EVERY = seconds(5);
const NODE_WORKERS = 8;
const POD_WORKERS = 4;
const USER = {
  name: 'system:serviceaccount:kube-system:node-controller',
  groups: ['system:masters', 'system:authenticated'],
};

export const NODE_LIFECYCLE_ACTOR = 'controller/node-lifecycle';

/** Runs it as the actor `controller/node-lifecycle`. */
export function startNodeLifecycle(simulation: Simulation, servers: readonly string[]): void {
  simulation.actor(NODE_LIFECYCLE_ACTOR, {
    *start(context) {
      const client = new ApiClient({ context, servers, user: USER, userAgent: 'kube-controller-manager' });
      yield* new NodeLifecycleController(context, client).run();
    },
  });
}

class NodeLifecycleController {
  readonly #context: Context;
  readonly #marks: NodeMarks;
  readonly #tainter: ExecuteTainter;
  readonly #monitor: NodeMonitor;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #leases: Informer<Lease>;
  readonly #nodeQueue: WorkQueue;
  readonly #podQueue: WorkQueue;

  constructor(context: Context, client: ApiClient) {
    this.#context = context;
    this.#nodes = new Informer({ client, handle: nodes });
    this.#pods = new Informer({
      client,
      handle: pods,
      indexers: { node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) },
    });
    this.#leases = new Informer({ client, handle: leases, namespace: LEASE_NAMESPACE });
    this.#nodeQueue = new WorkQueue(context);
    this.#podQueue = new WorkQueue(context);
    this.#marks = new NodeMarks(client);
    this.#tainter = new ExecuteTainter({ context, marks: this.#marks, nodes: this.#nodes.store });
    this.#monitor = new NodeMonitor({
      client,
      marks: this.#marks,
      tainter: this.#tainter,
      nodes: this.#nodes.store,
      leases: this.#leases.store,
      pods: this.#pods.store,
    });
  }

  *run(): Process<void> {
    this.#listen();
    const informers = [this.#nodes, this.#pods, this.#leases];
    for (const informer of informers) informer.start();
    for (const informer of informers) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#nodeQueue, {
      reconcile: (name) => this.#reconcileNode(name),
      workers: NODE_WORKERS,
    });
    startWorkers(this.#context, this.#podQueue, {
      reconcile: (key) => this.#reconcilePod(key),
      workers: POD_WORKERS,
    });
    this.#context.spawn('taints', this.#tainter.run());
    for (;;) {
      yield* this.#monitor.round();
      yield* this.#context.sleep(MONITOR_EVERY);
    }
  }

  #listen(): void {
    const changed = (node: Node): void => {
      const name = storeKeyOf(node);
      this.#monitor.touch(name);
      this.#nodeQueue.add(name);
    };
    this.#nodes.addHandler({
      added: changed,
      changed,
      removed: (node) => this.#monitor.lose(storeKeyOf(node)),
    });
    const renewed = ({ metadata: { name = '' } }: Lease): void => this.#monitor.touch(name);
    this.#leases.addHandler({ added: renewed, changed: renewed });
    this.#pods.addHandler({
      added: (pod) => this.#assigned(pod),
      changed: (pod, old) => {
        if (pod.spec?.nodeName !== old.spec?.nodeName) this.#assigned(pod);
      },
    });
  }

  #assigned(pod: Pod): void {
    if (pod.spec?.nodeName) this.#podQueue.add(storeKeyOf(pod));
  }

  /** At every change of a node: taints that follow conditions at once, and labels. */
  *#reconcileNode(name: string): Process<undefined> {
    const node = this.#nodes.store.get(name);
    if (!node) return;
    yield* this.#marks.correctTaints(node, scheduleTaints);
    const labels = labelCorrection(node);
    if (labels) yield* this.#marks.setLabels(node, labels);
  }

  /** A pod that comes to a node that is known not to be ready is marked. */
  *#reconcilePod(key: string): Process<undefined> {
    const pod = this.#pods.store.get(key);
    const { nodeName = '' } = pod?.spec ?? {};
    const ready = this.#nodes.store.get(nodeName) && this.#monitor.readyOf(nodeName);
    if (pod && ready && ready.status !== 'True') yield* this.#marks.markNotReady(pod);
  }
}
