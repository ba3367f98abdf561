/**
 * The monitor of the life-cycle controller: in every round it looks which nodes have been heard of and which have
 * fallen silent, declares those, marks their pods, and judges their zones. It looks only at nodes of which a look can
 * find something (`node-watchlist.ts`), and decides by the pure files beside.
 */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Lister, storeKeyOf } from '../../client/informer/object-store.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, type Micros } from '../../engine/time.ts';
import type { ExecuteTainter } from './execute-tainter.ts';
import {
  conditionsOfSilence,
  GRACE,
  isSilent,
  type NodeHealth,
  observe,
  observeLease,
  readyOf,
} from './node-health.ts';
import type { NodeMarks } from './node-marks.ts';
import { executeTaintsOn } from './node-taints.ts';
import { NodeWatchlist } from './node-watchlist.ts';
import { countsForZone, Disruption, ZoneCensus, zoneOf } from './zone-disruption.ts';

const { nodes } = BUILTIN_HANDLES;
export const LEASE_NAMESPACE = 'kube-node-lease';
/** Nodes that are worked on at a time. */
const WORKERS = 8;
/** A node's new conditions are written anew so often when somebody else was faster. */
const TRIES = 5;
const RETRY_AFTER = milliseconds(20);

/** A node before and after a look at it. */
interface Looked {
  readonly node: Node;
  readonly before: NodeCondition | undefined;
  readonly after: NodeCondition | undefined;
}

export interface NodeMonitorOptions {
  readonly client: ApiClient;
  readonly marks: NodeMarks;
  readonly tainter: ExecuteTainter;
  readonly nodes: Lister<Node>;
  readonly leases: Lister<Lease>;
  /** With the index `node`. */
  readonly pods: Lister<Pod>;
}

export class NodeMonitor {
  readonly #options: NodeMonitorOptions;
  readonly #context: Context;
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

  constructor(options: NodeMonitorOptions) {
    this.#options = options;
    this.#context = options.client.context;
  }

  /** Something of a node, or its lease, has changed. */
  touch(node: string): void {
    this.#watchlist.touch(node);
  }

  /** The informer has lost a node. */
  lose(node: string): void {
    this.#lost.add(node);
  }

  /** The readiness of a node, as the monitor knows it. */
  readyOf(node: string): NodeCondition | undefined {
    return this.#health.get(node)?.ready;
  }

  /** One round. Nodes that need more than a look are worked on several at a time. */
  *round(): Process<void> {
    this.#bidFarewell();
    const now = this.#context.now();
    const newcomers: Node[] = [];
    const busy: Node[] = [];
    for (const name of this.#watchlist.take((now - GRACE) as Micros)) {
      const node = this.#options.nodes.get(name);
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
      if (!node || this.#options.nodes.get(name)) continue;
      this.#options.marks.tell(
        node,
        'RemovingNode',
        `Node ${name} event: Removing Node ${name} from Controller`,
      );
      this.#registered.delete(name);
      this.#health.delete(name);
      this.#well.delete(name);
      this.#census.remove(name);
      this.#watchlist.forget(name);
      this.#unmarked.delete(name);
      this.#options.tainter.drop(name);
    }
    this.#lost.clear();
  }

  /** NoExecute taints from before this controller's time are taken away: whoever needs one gets it anew. */
  *#welcome(node: Node): Process<void> {
    const name = storeKeyOf(node);
    const { marks, tainter } = this.#options;
    marks.tell(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    yield* tainter.callOff(node);
  }

  /** Looks at a node; true: there is nothing to be done about it until it changes or falls silent. */
  #looksWell(name: string, node: Node, now: Micros): boolean {
    const lease = this.#options.leases.get(`${LEASE_NAMESPACE}/${name}`);
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
      this.#options.tainter.drop(name);
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
    yield* this.#options.tainter.follow(node, before?.status ?? 'Unknown');
    const hasFailed = after.status !== 'True' && before?.status === 'True';
    if (hasFailed) this.#options.marks.tell(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
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
        const declared = yield* this.#options.marks.setConditions(node, conditions);
        this.#health.set(name, { ...health, ready: readyOf(declared) });
        return { node: declared, before, after: readyOf(declared) };
      } catch (error) {
        if (!isCallFailure(error) || tries >= TRIES) throw error;
      }
      yield* this.#context.sleep(RETRY_AFTER);
      node = yield* this.#options.client.get(nodes, name);
    }
  }

  *#handleDisruption(): Process<void> {
    const turn = this.#disruption.judge(this.#census.zones);
    if (turn.kind === 'same') return;
    const { tainter } = this.#options;
    if (turn.kind === 'total') for (const node of this.#options.nodes.list()) yield* tainter.callOff(node);
    if (turn.kind === 'over') this.#startAfresh();
    tainter.setRates(turn.rates);
  }

  /** While the controller was cut off it heard nobody: everybody counts as heard of now. */
  #startAfresh(): void {
    const now = this.#context.now();
    for (const [name, health] of this.#health) {
      this.#health.set(name, { ...health, heardAt: now });
      this.#watchlist.unsettle(name);
    }
  }

  *#markPods(node: string): Process<void> {
    for (const pod of this.#options.pods.byIndex('node', node)) {
      try {
        yield* this.#options.marks.markNotReady(pod);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        this.#unmarked.add(node);
      }
    }
  }
}
