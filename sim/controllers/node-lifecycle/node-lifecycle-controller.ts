/**
 * The node life-cycle controller: an actor that looks every five seconds when each node was last heard of. A silent
 * node's conditions become Unknown, it gets taints, and its pods are marked not ready. What to do is decided in the
 * pure files beside; this one looks, and has it done (`node-marks.ts`). It knows of nodes only what its informers have
 * received, and looks only at those of which a look can find something (`node-watchlist.ts`).
 * Specification: "Node", "Lease", "Taints", "Limits".
 */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition, Pod } from '../../api/types/core-v1.ts';
import { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';
import {
  conditionsOfSilence,
  GRACE,
  isSilent,
  type NodeHealth,
  observe,
  observeLease,
  readyOf,
} from './node-health.ts';
import { labelCorrection } from './node-labels.ts';
import { NodeMarks } from './node-marks.ts';
import { executeTaintOf, executeTaintsOn, scheduleTaints, withExecuteTaint } from './node-taints.ts';
import { NodeWatchlist } from './node-watchlist.ts';
import { TaintPace } from './taint-pace.ts';
import { countsForZone, Disruption, ZoneCensus, zoneOf } from './zone-disruption.ts';

const { nodes, pods, leases } = BUILTIN_HANDLES;
const MONITOR_EVERY = seconds(5);
const TAINT_EVERY = milliseconds(100);
/** Nodes that are worked on at a time. */
const WORKERS = 8;
const POD_WORKERS = 4;
/** A node's new conditions are written anew so often when somebody else was faster. */
const TRIES = 5;
const RETRY_AFTER = milliseconds(20);
const LEASE_NAMESPACE = 'kube-node-lease';
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

/** A node before and after a look at it. */
interface Looked {
  readonly node: Node;
  readonly before: NodeCondition | undefined;
  readonly after: NodeCondition | undefined;
}

class NodeLifecycleController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #marks: NodeMarks;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #leases: Informer<Lease>;
  readonly #nodeQueue: WorkQueue;
  readonly #podQueue: WorkQueue;
  readonly #health = new Map<string, NodeHealth>();
  readonly #watchlist = new NodeWatchlist();
  /** Nodes with which all was well when they were last looked at, as they were then. */
  readonly #well = new Map<string, Node>();
  readonly #census = new ZoneCensus();
  readonly #disruption = new Disruption();
  /** Nodes that were announced. */
  readonly #registered = new Map<string, Node>();
  /** Of those, the ones that the informer has lost since. */
  readonly #lost = new Set<string>();
  /** Nodes whose pods could not all be marked. */
  readonly #unmarked = new Set<string>();
  readonly #pace = new TaintPace();
  readonly #paceChanged: Signal;

  constructor(context: Context, client: ApiClient) {
    this.#context = context;
    this.#client = client;
    this.#marks = new NodeMarks(client);
    this.#nodes = new Informer({ client, handle: nodes });
    this.#pods = new Informer({
      client,
      handle: pods,
      indexers: { node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) },
    });
    this.#leases = new Informer({ client, handle: leases, namespace: LEASE_NAMESPACE });
    this.#nodeQueue = new WorkQueue(context);
    this.#podQueue = new WorkQueue(context);
    this.#paceChanged = context.signal();
  }

  *run(): Process<void> {
    this.#listen();
    const informers = [this.#nodes, this.#pods, this.#leases];
    for (const informer of informers) informer.start();
    for (const informer of informers) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#nodeQueue, {
      reconcile: (name) => this.#reconcileNode(name),
      workers: WORKERS,
    });
    startWorkers(this.#context, this.#podQueue, {
      reconcile: (key) => this.#reconcilePod(key),
      workers: POD_WORKERS,
    });
    this.#context.spawn('taints', this.#taintAtPace());
    for (;;) {
      yield* this.#monitor();
      yield* this.#context.sleep(MONITOR_EVERY);
    }
  }

  #listen(): void {
    const changed = (node: Node): void => {
      const name = storeKeyOf(node);
      this.#watchlist.touch(name);
      this.#nodeQueue.add(name);
    };
    this.#nodes.addHandler({ added: changed, changed, removed: (node) => this.#lost.add(storeKeyOf(node)) });
    const renewed = ({ metadata: { name = '' } }: Lease): void => this.#watchlist.touch(name);
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

  /** One round. Nodes that need more than a look are worked on several at a time. */
  *#monitor(): Process<void> {
    this.#bidFarewell();
    const now = this.#context.now();
    const newcomers: Node[] = [];
    const busy: Node[] = [];
    for (const name of this.#watchlist.take((now - GRACE) as Micros)) {
      const node = this.#nodes.store.get(name);
      if (!node) continue;
      if (!this.#registered.has(name)) newcomers.push(node);
      this.#registered.set(name, node);
      if (!this.#looksWell(name, node, now)) busy.push(node);
    }
    for (const node of newcomers) yield* this.#welcome(node);
    const queue = busy.values();
    const workers = Array.from({ length: Math.min(WORKERS, busy.length) }, () => this.#workOn(queue));
    if (workers.length > 0) yield* this.#context.all(workers);
    yield* this.#handleDisruption();
  }

  #bidFarewell(): void {
    for (const name of this.#lost) {
      const node = this.#registered.get(name);
      if (!node || this.#nodes.store.get(name)) continue;
      this.#marks.tell(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
      this.#registered.delete(name);
      this.#health.delete(name);
      this.#well.delete(name);
      this.#census.remove(name);
      this.#watchlist.forget(name);
      this.#unmarked.delete(name);
      this.#pace.drop(name);
    }
    this.#lost.clear();
  }

  /** NoExecute taints from before this controller's time are taken away: whoever needs one gets it anew. */
  *#welcome(node: Node): Process<void> {
    const name = storeKeyOf(node);
    this.#marks.tell(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    yield* this.#withoutExecuteTaint(node);
  }

  /** Looks at a node; true: there is nothing to be done about it until it changes or falls silent. */
  #looksWell(name: string, node: Node, now: Micros): boolean {
    const lease = this.#leases.store.get(`${LEASE_NAMESPACE}/${name}`);
    const known = this.#health.get(name);
    const isAsItWas = known !== undefined && this.#well.get(name) === node;
    const health = isAsItWas
      ? observeLease(known, lease, now)
      : observe(known, { node, lease, now, wallMs: this.#context.wallMs() });
    if (health !== known) this.#health.set(name, health);
    const ready = isAsItWas ? health.ready : readyOf(node);
    if (isSilent(ready, health.heardAt, now) || !(isAsItWas || this.#isInOrder(name, node))) {
      this.#well.delete(name);
      this.#watchlist.unsettle(name);
      return false;
    }
    if (!isAsItWas) {
      this.#well.set(name, node);
      this.#pace.drop(name);
      this.#count(node, true);
    }
    // A lease that was forgotten is news in the next round.
    if (health.renewTime !== undefined || !lease) this.#watchlist.settle(name, health.heardAt, now);
    else this.#watchlist.unsettle(name);
    return true;
  }

  #isInOrder(name: string, node: Node): boolean {
    return (
      readyOf(node)?.status === 'True' && executeTaintsOn(node).length === 0 && !this.#unmarked.has(name)
    );
  }

  #count(node: Node, isReady: boolean): void {
    const name = storeKeyOf(node);
    if (countsForZone(node)) this.#census.set(name, zoneOf(node), isReady);
    else this.#census.remove(name);
  }

  *#workOn(queue: IterableIterator<Node>): Process<void> {
    for (const node of queue) {
      try {
        yield* this.#check(node);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    }
  }

  *#check(seen: Node): Process<void> {
    const name = storeKeyOf(seen);
    const { node, before, after } = yield* this.#judged(name, seen);
    this.#count(node, after?.status === 'True');
    if (!after) return;
    // By what the node said before this look: the taint comes one look after the condition.
    yield* this.#planExecuteTaint(node, before?.status ?? 'Unknown');
    const hasFailed = after.status !== 'True' && before?.status === 'True';
    if (hasFailed) this.#marks.tell(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    const isRetried = this.#unmarked.has(name) && before?.status !== 'True';
    this.#unmarked.delete(name);
    if (hasFailed || isRetried) yield* this.#markPods(name);
  }

  /** A node after its silence was declared, if it is silent. @throws CallFailure when that failed again and again */
  *#judged(name: string, seen: Node): Process<Looked> {
    let node = seen;
    for (let tries = 1; ; tries++) {
      const before = readyOf(node);
      const health = this.#health.get(name);
      const isQuiet = health && isSilent(before, health.heardAt, this.#context.now());
      const conditions = isQuiet ? conditionsOfSilence(node, this.#context.wallMs()) : undefined;
      if (!health || !conditions || before?.status === 'Unknown') return { node, before, after: before };
      try {
        const declared = yield* this.#marks.setConditions(node, conditions);
        this.#health.set(name, { ...health, ready: readyOf(declared) });
        return { node: declared, before, after: readyOf(declared) };
      } catch (error) {
        if (!isCallFailure(error) || tries >= TRIES) throw error;
      }
      yield* this.#context.sleep(RETRY_AFTER);
      node = yield* this.#client.get(nodes, name);
    }
  }

  *#planExecuteTaint(node: Node, readiness: string): Process<void> {
    const wanted = executeTaintOf(readiness);
    if (wanted === undefined) {
      this.#pace.drop(storeKeyOf(node));
      yield* this.#setExecuteTaint(node, undefined);
    } else if (executeTaintsOn(node).length > 0) yield* this.#setExecuteTaint(node, wanted);
    else {
      this.#pace.add(storeKeyOf(node), zoneOf(node));
      this.#paceChanged.fire();
    }
  }

  #setExecuteTaint(node: Node, key: string | undefined): Process<void> {
    return this.#marks.correctTaints(node, (present, nowMs) => withExecuteTaint(present, key, nowMs));
  }

  *#handleDisruption(): Process<void> {
    const turn = this.#disruption.judge(this.#census.zones);
    if (turn.kind === 'same') return;
    const now = this.#context.now();
    if (turn.kind === 'total') yield* this.#callOff();
    // While the controller was cut off it heard nobody: everybody gets a fresh start.
    if (turn.kind === 'over') {
      for (const [name, health] of this.#health) {
        this.#health.set(name, { ...health, heardAt: now });
        this.#watchlist.unsettle(name);
      }
    }
    this.#pace.setRates(turn.rates, now);
    this.#paceChanged.fire();
  }

  *#callOff(): Process<void> {
    for (const node of this.#nodes.store.list()) {
      this.#pace.drop(storeKeyOf(node));
      yield* this.#withoutExecuteTaint(node);
    }
  }

  /** If that fails, the next round will find it. */
  *#withoutExecuteTaint(node: Node): Process<void> {
    try {
      yield* this.#setExecuteTaint(node, undefined);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }

  *#taintAtPace(): Process<void> {
    for (;;) {
      const dueAt = this.#pace.nextDueAt;
      if (dueAt === Infinity) yield* this.#paceChanged.wait();
      else if (dueAt > this.#context.now())
        yield* this.#context.race([this.#paceChanged.wait(), this.#context.sleepUntil(dueAt as Micros)]);
      yield* this.#context.sleep(TAINT_EVERY);
      for (const name of this.#pace.takeDue(this.#context.now())) {
        const node = this.#nodes.store.get(name);
        const wanted = node && executeTaintOf(readyOf(node)?.status);
        if (!wanted) continue;
        try {
          yield* this.#setExecuteTaint(node, wanted);
        } catch (error) {
          // The next round of the monitor finds that the taint is missing.
          if (!isCallFailure(error)) throw error;
        }
      }
    }
  }

  *#markPods(node: string): Process<void> {
    for (const pod of this.#pods.store.byIndex('node', node)) {
      try {
        yield* this.#marks.markNotReady(pod);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        this.#unmarked.add(node);
      }
    }
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
    const ready = this.#nodes.store.get(nodeName) && this.#health.get(nodeName)?.ready;
    if (pod && ready && ready.status !== 'True') yield* this.#marks.markNotReady(pod);
  }
}
