/**
 * The node life-cycle controller: it looks every five seconds when each node was last heard of
 * (`node-monitor.ts`), gives nodes that are not ready their taints (`execute-tainter.ts`, `node-taints.ts`), and marks
 * their pods. It knows of nodes only what its informers have received.
 * Specification: "Node", "Lease", "Taints", "Limits".
 */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { ExecuteTainter } from './execute-tainter.ts';
import { labelCorrection } from './node-labels.ts';
import { NodeMarks } from './node-marks.ts';
import { LEASE_NAMESPACE, NodeMonitor } from './node-monitor.ts';
import { scheduleTaints } from './node-taints.ts';

const { nodes, pods, leases } = BUILTIN_HANDLES;
const MONITOR_EVERY = seconds(5);
const NODE_WORKERS = 8;
const POD_WORKERS = 4;

export const NODE_LIFECYCLE = defineController({
  name: 'node-lifecycle-controller',
  formerNames: ['node-lifecycle', 'nodelifecycle'],
  serviceAccount: 'node-controller',
  start: (world) => new NodeLifecycleController(world).run(),
});

class NodeLifecycleController {
  readonly #context: Context;
  readonly #marks: NodeMarks;
  readonly #tainter: ExecuteTainter;
  readonly #monitor: NodeMonitor;
  readonly #nodes: SharedInformer<Node>;
  readonly #pods: SharedInformer<Pod>;
  readonly #leases: SharedInformer<Lease>;
  readonly #nodeQueue: WorkQueue;
  readonly #podQueue: WorkQueue;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#nodes = informerOf(nodes);
    this.#pods = informerOf(pods);
    this.#leases = informerOf(leases);
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
    for (const informer of [this.#nodes, this.#pods, this.#leases]) yield* informer.waitUntilSynced();
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
    const renewed = ({ metadata: { namespace, name = '' } }: Lease): void => {
      if (namespace === LEASE_NAMESPACE) this.#monitor.touch(name);
    };
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
