/**
 * What the scheduler believes of nodes and of the pods on them: what informers have told it, and the pods that it has
 * decided about but not yet seen bound (assumed ones). An assumed pod that is never seen bound stays, as in 1.31, unless
 * assumptions are to expire.
 */
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { Micros } from '../../engine/time.ts';
import { NodeTree } from './node-order.ts';
import { NodeInfo } from './node-info.ts';
import { PodCounts } from './pod-counts.ts';

interface KnownPod {
  readonly pod: Pod;
  readonly isAssumed: boolean;
  /** Of an assumed one whose binding was answered. */
  expiresAt?: Micros;
}

const uidOf = ({ metadata: { uid = '' } }: Pod): string => uid;
const nodeOf = ({ spec }: Pod): string => spec?.nodeName ?? '';

export class SchedulerCache {
  readonly counts = new PodCounts();
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, KnownPod>();
  readonly #withAffinity = new Set<NodeInfo>();
  readonly #withAntiAffinity = new Set<NodeInfo>();
  /** On how many nodes an image is, by its name. */
  readonly #imageNodes = new Map<string, number>();
  readonly #tree = new NodeTree();
  #order: readonly NodeInfo[] | undefined;

  /** Nodes whose objects are known, in the order in which they are looked at. */
  get nodes(): readonly NodeInfo[] {
    return (this.#order ??= this.#tree.inTurn());
  }

  /** Also a node whose object is gone. */
  get everyNode(): Iterable<NodeInfo> {
    return this.#nodes.values();
  }

  /** Nodes with pods that have affinities of any kind. */
  get nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity;
  }

  /** Nodes with pods that do not want certain others near them. */
  get nodesWithAntiAffinity(): Iterable<NodeInfo> {
    return this.#withAntiAffinity;
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node && info;
  }

  nodesWithImage(name: string): number {
    return this.#imageNodes.get(name) ?? 0;
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? '';
    let info = this.#nodes.get(name);
    if (!info) this.#nodes.set(name, (info = new NodeInfo(name)));
    const isNew = !info.node;
    this.#countImages(info, -1);
    const before = info.labels;
    info.setNode(node);
    this.#countImages(info, 1);
    if (isNew) this.#tree.add(info);
    else if (before !== info.labels && this.#tree.hasMoved(info, before)) this.#tree.move(info, before);
    else return;
    this.#order = undefined;
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (!info) return;
    this.#countImages(info, -1);
    if (info.node) this.#tree.remove(info, info.labels);
    info.setNode(undefined);
    this.#order = undefined;
    if (info.isForgotten) this.#nodes.delete(name);
  }

  isAssumed(pod: Pod): boolean {
    return this.#pods.get(uidOf(pod))?.isAssumed === true;
  }

  /** The pod is decided about: it counts as on its node. False: something is known of it already. */
  assume(pod: Pod): boolean {
    if (this.#pods.has(uidOf(pod))) return false;
    this.#enter(pod, true);
    return true;
  }

  /** The binding was answered. Undefined: the pod is waited for without end. */
  finishBinding(pod: Pod, expiresAt: Micros | undefined): void {
    const known = this.#pods.get(uidOf(pod));
    if (known?.isAssumed && expiresAt !== undefined) known.expiresAt = expiresAt;
  }

  /** The pod is not to be on that node after all. False: it was seen bound in the meantime, or never assumed. */
  forget(pod: Pod): boolean {
    if (!this.isAssumed(pod)) return false;
    this.#leave(uidOf(pod));
    return true;
  }

  /** Assumed pods whose time is over, which are forgotten. */
  expire(now: Micros): readonly Pod[] {
    const over = [...this.#pods.values()].filter(
      ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now,
    );
    for (const { pod } of over) this.#leave(uidOf(pod));
    return over.map(({ pod }) => pod);
  }

  /** A pod that was seen on its node, for the first time or changed. */
  setPod(pod: Pod): void {
    this.#leave(uidOf(pod));
    this.#enter(pod, false);
  }

  removePod(pod: Pod): void {
    this.#leave(uidOf(pod));
  }

  #enter(pod: Pod, isAssumed: boolean): void {
    const name = nodeOf(pod);
    let info = this.#nodes.get(name);
    if (!info) this.#nodes.set(name, (info = new NodeInfo(name)));
    this.#pods.set(uidOf(pod), { pod, isAssumed });
    info.add(pod);
    this.#noteAffinity(info);
    this.counts.came(pod, name);
  }

  #leave(uid: string): void {
    const known = this.#pods.get(uid);
    if (!known) return;
    this.#pods.delete(uid);
    const name = nodeOf(known.pod);
    const info = this.#nodes.get(name);
    info?.remove(uid);
    if (info) this.#noteAffinity(info);
    this.counts.went(known.pod, name);
    if (info?.isForgotten) this.#nodes.delete(name);
  }

  #noteAffinity(info: NodeInfo): void {
    if (info.withAffinity.size > 0) this.#withAffinity.add(info);
    else this.#withAffinity.delete(info);
    if (info.withAntiAffinity.size > 0) this.#withAntiAffinity.add(info);
    else this.#withAntiAffinity.delete(info);
  }

  #countImages({ images }: NodeInfo, sign: 1 | -1): void {
    for (const name of images.keys()) this.#imageNodes.set(name, (this.#imageNodes.get(name) ?? 0) + sign);
  }
}
