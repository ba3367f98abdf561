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

/** What the monitor remembers of a node. */
interface Watched {
  readonly name: string;
  /** In the store of leases. */
  readonly leaseKey: string;
  /** As it was last seen. */
  node: Node;
  health: NodeHealth | undefined;
  /** The node as it was when it was last looked at and all was well with it. */
  well: Node | undefined;
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
  readonly #watchlist = new NodeWatchlist();
  /** Nodes that were announced. */
  readonly #watched = new Map<string, Watched>();
  readonly #census = new ZoneCensus();
  readonly #disruption = new Disruption();
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
    return this.#watched.get(node)?.health?.ready;
  }

  /** One round. Nodes that need more than a look are worked on several at a time. */
  *round(): Process<void> {
    this.#bidFarewell();
    const now = this.#context.now();
    const newcomers: Node[] = [];
    const busy: Watched[] = [];
    for (const name of this.#watchlist.take((now - GRACE) as Micros)) {
      const node = this.#options.nodes.get(name);
      if (!node) continue;
      const known = this.#watched.get(name);
      if (!known) newcomers.push(node);
      const watched = known ?? this.#announced(name, node);
      watched.node = node;
      if (!this.#looksWell(watched, now)) busy.push(watched);
    }
    for (const node of newcomers) yield* this.#welcome(node);
    if (busy.length > 0) yield* this.#workOnAll(busy);
    yield* this.#handleDisruption();
  }

  #announced(name: string, node: Node): Watched {
    const leaseKey = `${LEASE_NAMESPACE}/${name}`;
    const watched: Watched = { name, leaseKey, node, health: undefined, well: undefined };
    this.#watched.set(name, watched);
    return watched;
  }

  #bidFarewell(): void {
    if (this.#lost.size === 0) return;
    for (const name of this.#lost) {
      const watched = this.#watched.get(name);
      if (!watched || this.#options.nodes.get(name)) continue;
      this.#options.marks.tell(
        watched.node,
        'RemovingNode',
        `Node ${name} event: Removing Node ${name} from Controller`,
      );
      this.#watched.delete(name);
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
  #looksWell(watched: Watched, now: Micros): boolean {
    const { name, node, health: known } = watched;
    const lease = this.#options.leases.get(watched.leaseKey);
    const isAsItWas = known !== undefined && watched.well === node;
    const health = isAsItWas
      ? observeLease(known, lease, now)
      : observe(known, { node, lease, now, wallMs: this.#context.wallMs() });
    watched.health = health;
    const ready = isAsItWas ? health.ready : readyOf(node);
    if (isSilent(ready, health.heardAt, now) || !(isAsItWas || this.#isInOrder(name, node))) {
      watched.well = undefined;
      this.#watchlist.unsettle(name);
      return false;
    }
    if (!isAsItWas) {
      watched.well = node;
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

  *#workOnAll(busy: readonly Watched[]): Process<void> {
    const queue = busy.values();
    const workers = Array.from({ length: Math.min(WORKERS, busy.length) }, () => this.#workOn(queue));
    yield* this.#context.all(workers);
  }

  *#workOn(queue: IterableIterator<Watched>): Process<void> {
    for (const watched of queue) {
      try {
        yield* this.#check(watched);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    }
  }

  *#check(watched: Watched): Process<void> {
    const { name } = watched;
    const { node, before, after } = yield* this.#judged(watched);
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
  *#judged(watched: Watched): Process<Looked> {
    let { node } = watched;
    for (let tries = 1; ; tries++) {
      const before = readyOf(node);
      const { health } = watched;
      const isQuiet = health && isSilent(before, health.heardAt, this.#context.now());
      const conditions = isQuiet ? conditionsOfSilence(node, this.#context.wallMs()) : undefined;
      if (!health || !conditions || before?.status === 'Unknown') return { node, before, after: before };
      try {
        const declared = yield* this.#options.marks.setConditions(node, conditions);
        watched.health = { ...health, ready: readyOf(declared) };
        return { node: declared, before, after: readyOf(declared) };
      } catch (error) {
        if (!isCallFailure(error) || tries >= TRIES) throw error;
      }
      yield* this.#context.sleep(RETRY_AFTER);
      node = yield* this.#options.client.get(nodes, watched.name);
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
    for (const watched of this.#watched.values()) {
      if (watched.health) watched.health = { ...watched.health, heardAt: now };
      this.#watchlist.unsettle(watched.name);
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
