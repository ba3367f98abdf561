/**
 * The node life-cycle controller: an actor that looks every five seconds when each node was last heard of. A silent
 * node's conditions become Unknown, it gets taints, and its pods are marked not ready. What to do is planned in the
 * pure files beside; this one looks and acts. It knows of nodes only what its informers have received.
 * Specification: "Node", "Lease", "Taints", "Limits".
 */
import type { Node, Pod, Taint } from '../../api/types/core-v1.ts';
import { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { conditionsOfSilence, isSilent, type NodeHealth, observe, readyOf } from './node-health.ts';
import { executeTaintOf, executeTaintsOn, scheduleTaints, withExecuteTaint } from './node-taints.ts';
import { labelCorrection } from './node-labels.ts';
import { notReadyStatusOf } from './pod-readiness.ts';
import { TaintPace } from './taint-pace.ts';
import { disruptionOf, zoneOf } from './zone-disruption.ts';

const { nodes, pods, leases } = BUILTIN_HANDLES;
const MONITOR_EVERY = seconds(5);
const TAINT_EVERY = milliseconds(100);
const LEASE_NAMESPACE = 'kube-node-lease';
const USER = { name: 'system:serviceaccount:kube-system:node-controller', groups: ['system:masters', 'system:authenticated'] };

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
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #leases;
  readonly #nodeQueue: WorkQueue;
  readonly #podQueue: WorkQueue;
  readonly #health = new Map<string, NodeHealth>();
  /** Nodes that were announced. */
  readonly #registered = new Map<string, Node>();
  /** Nodes whose pods could not all be marked. */
  readonly #unmarked = new Set<string>();
  readonly #pace = new TaintPace();
  #isTotalDisruption = false;

  constructor(context: Context, client: ApiClient) {
    this.#context = context;
    this.#client = client;
    this.#events = new EventRecorder(client, 'node-controller');
    this.#nodes = new Informer({ client, handle: nodes });
    this.#pods = new Informer({ client, handle: pods, indexers: { node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) } });
    this.#leases = new Informer({ client, handle: leases, namespace: LEASE_NAMESPACE });
    this.#nodeQueue = new WorkQueue(context);
    this.#podQueue = new WorkQueue(context);
  }

  *run(): Process<void> {
    this.#nodes.addHandler({
      added: (node) => this.#nodeQueue.add(storeKeyOf(node)),
      changed: (node) => this.#nodeQueue.add(storeKeyOf(node)),
    });
    this.#pods.addHandler({
      added: (pod) => this.#podQueue.add(storeKeyOf(pod)),
      changed: (pod) => this.#podQueue.add(storeKeyOf(pod)),
    });
    for (const informer of [this.#nodes, this.#pods, this.#leases]) informer.start();
    for (const informer of [this.#nodes, this.#pods, this.#leases]) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#nodeQueue, { reconcile: (name) => this.#reconcileNode(name), workers: 8 });
    startWorkers(this.#context, this.#podQueue, { reconcile: (key) => this.#reconcilePod(key), workers: 4 });
    this.#context.spawn('taints', this.#taintAtPace());
    for (;;) {
      yield* this.#monitor();
      yield* this.#context.sleep(MONITOR_EVERY);
    }
  }

  *#monitor(): Process<void> {
    const present = this.#nodes.store.list();
    this.#announce(present);
    const seen: Node[] = [];
    for (const node of present) {
      try {
        seen.push(yield* this.#check(node));
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    }
    yield* this.#handleDisruption(seen);
  }

  #announce(present: readonly Node[]): void {
    const names = new Set<string>();
    for (const node of present) {
      const name = storeKeyOf(node);
      names.add(name);
      if (!this.#registered.has(name)) this.#tell(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      this.#registered.set(name, node);
    }
    for (const [name, node] of this.#registered) {
      if (names.has(name)) continue;
      this.#tell(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
      this.#registered.delete(name);
      this.#health.delete(name);
      this.#unmarked.delete(name);
      this.#pace.drop(name);
    }
  }

  /** The node after it was looked at. */
  *#check(node: Node): Process<Node> {
    const name = storeKeyOf(node);
    const now = this.#context.now();
    const lease = this.#leases.store.get(`${LEASE_NAMESPACE}/${name}`);
    const health = observe(this.#health.get(name), { node, lease, now });
    this.#health.set(name, health);
    const before = readyOf(node);
    const after = isSilent(health, now) ? yield* this.#declareSilent(node) : node;
    if (after !== node) this.#health.set(name, { ...health, ready: readyOf(after) });
    yield* this.#planExecuteTaint(node);
    const isReady = readyOf(after)?.status === 'True';
    if (!isReady && before?.status === 'True') {
      this.#tell(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
      yield* this.#markPods(name);
    } else if (this.#unmarked.has(name) && before && before.status !== 'True') yield* this.#markPods(name);
    return after;
  }

  *#declareSilent(node: Node): Process<Node> {
    const conditions = conditionsOfSilence(node, this.#context.wallMs());
    if (!conditions) return node;
    return yield* this.#client.update(nodes, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
  }

  /** By what the node said before this look: the taint comes one look after the condition. */
  *#planExecuteTaint(node: Node): Process<void> {
    const name = storeKeyOf(node);
    const wanted = executeTaintOf(node);
    const present = executeTaintsOn(node);
    if (wanted === undefined) {
      this.#pace.drop(name);
      yield* this.#setTaints(node, withExecuteTaint(node, undefined, this.#context.wallMs()));
    } else if (present.length > 0) yield* this.#setTaints(node, withExecuteTaint(node, wanted, this.#context.wallMs()));
    else if (!this.#isTotalDisruption) this.#pace.add(name, zoneOf(node));
  }

  *#handleDisruption(seen: readonly Node[]): Process<void> {
    const { zones, isTotal } = disruptionOf(seen);
    const wasTotal = this.#isTotalDisruption;
    this.#isTotalDisruption = isTotal;
    this.#pace.setRates(zones);
    const now = this.#context.now();
    if (isTotal && !wasTotal) {
      this.#pace.clear();
      for (const node of seen) yield* this.#setTaints(node, withExecuteTaint(node, undefined, this.#context.wallMs()));
    } else if (wasTotal && !isTotal) {
      // While the controller was cut off it heard nobody: everybody gets a fresh start.
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, heardAt: now });
    }
  }

  *#taintAtPace(): Process<void> {
    for (;;) {
      yield* this.#context.sleep(this.#pace.isEmpty ? MONITOR_EVERY : TAINT_EVERY);
      for (const name of this.#pace.takeDue(this.#context.now())) {
        const node = this.#nodes.store.get(name);
        if (!node) continue;
        yield* this.#setTaints(node, withExecuteTaint(node, executeTaintOf(node), this.#context.wallMs()));
      }
    }
  }

  *#markPods(node: string): Process<void> {
    this.#unmarked.delete(node);
    for (const pod of this.#pods.store.byIndex('node', node)) {
      try {
        yield* this.#markPod(pod);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        this.#unmarked.add(node);
      }
    }
  }

  *#markPod(pod: Pod): Process<void> {
    const status = notReadyStatusOf(pod, this.#context.wallMs());
    if (!status) return;
    try {
      yield* this.#client.patch(pods, keyOf(pod), { type: 'strategic', body: { metadata: { uid: pod.metadata.uid }, status } }, { subresource: 'status' });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    this.#events.record(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }

  /** At every change of a node: taints that follow conditions at once, and labels. */
  *#reconcileNode(name: string): Process<undefined> {
    const node = this.#nodes.store.get(name);
    if (!node) return;
    yield* this.#setTaints(node, scheduleTaints(node, this.#context.wallMs()));
    const labels = labelCorrection(node);
    if (labels) yield* this.#patchNode(node, { metadata: { labels } });
  }

  /** At every change of a pod: on a node that is known not to be ready it is marked. */
  *#reconcilePod(key: string): Process<undefined> {
    const pod = this.#pods.store.get(key);
    const health = pod?.spec?.nodeName ? this.#health.get(pod.spec.nodeName) : undefined;
    if (pod && health?.ready && health.ready.status !== 'True') yield* this.#markPod(pod);
  }

  *#setTaints(node: Node, taints: readonly Taint[] | undefined): Process<void> {
    if (!taints) return;
    const { resourceVersion } = node.metadata;
    try {
      yield* this.#patchNode(node, { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } });
    } catch (error) {
      // Somebody was faster: the next look sees what there is then.
      if (!isConflict(error)) throw error;
      this.#nodeQueue.addRateLimited(storeKeyOf(node));
    }
  }

  *#patchNode(node: Node, body: object): Process<void> {
    try {
      yield* this.#client.patch(nodes, storeKeyOf(node), { type: 'merge', body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #tell(node: Node, reason: string, message: string): void {
    const { name = '', uid = '' } = node.metadata;
    this.#events.recordFor({ kind: 'Node', apiVersion: 'v1', name, uid }, { type: 'Normal', reason, message });
  }
}

const keyOf = ({ metadata: { name = '', namespace = '' } }: Pod): { name: string; namespace: string } => ({ name, namespace });
