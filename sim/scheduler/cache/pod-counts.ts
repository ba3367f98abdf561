/**
 * How many pods of a sort are on each node. A sort that was asked for once is counted on with every pod that comes and
 * goes: the pods of one workload ask for the same sort again and again. Of many sorts those asked for longest ago are dropped.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { NodeInfo } from './node-info.ts';

/** `key=value`. */
export type LabelPair = string;

export interface PodSort {
  /** Equal sorts have equal keys. */
  readonly key: string;
  /** A label that every pod of the sort has; absent: there need not be one. */
  readonly label?: LabelPair | undefined;
  matches(pod: Pod): boolean;
}

interface Count {
  readonly sort: PodSort;
  /** Only nodes that have some. */
  readonly byNode: Map<string, number>;
}

const MOST_SORTS = 128;

export class PodCounts {
  readonly #counts = new Map<string, Count>();
  /** The same, by the label of their sorts: a pod is of few of many. */
  readonly #byLabel = new Map<LabelPair | undefined, Set<Count>>();

  /** How many pods have a label. */
  readonly #labels = new Map<LabelPair, number>();

  /** By name of the node; a node without such pods may be absent. */
  of(sort: PodSort, nodes: Iterable<NodeInfo>): ReadonlyMap<string, number> {
    const known = this.#counts.get(sort.key);
    if (known) {
      // Asked for just now.
      this.#counts.delete(sort.key);
      this.#counts.set(sort.key, known);
      return known.byNode;
    }
    const count = { sort, byNode: new Map<string, number>() };
    // Of a new workload there are none yet: nobody has to look for them.
    if (sort.label === undefined || this.#labels.has(sort.label))
      for (const { name, pods } of nodes)
        for (const { pod } of pods.values()) if (sort.matches(pod)) change(count, name, 1);
    this.#keep(count);
    for (const oldest of this.#counts.values()) {
      if (this.#counts.size <= MOST_SORTS) break;
      this.#drop(oldest);
    }
    return count.byNode;
  }

  came(pod: Pod, node: string): void {
    this.#changed(pod, node, 1);
  }

  went(pod: Pod, node: string): void {
    this.#changed(pod, node, -1);
  }

  /** Sorts that look at more than the pod itself are not what they were. */
  forgetAll(): void {
    this.#counts.clear();
    this.#byLabel.clear();
  }

  #changed(pod: Pod, node: string, by: 1 | -1): void {
    const { labels } = pod.metadata;
    changeAll(this.#byLabel.get(undefined), { pod, node, by });
    for (const key in labels) {
      const label = `${key}=${labels[key]}`;
      const pods = (this.#labels.get(label) ?? 0) + by;
      if (pods === 0) this.#labels.delete(label);
      else this.#labels.set(label, pods);
      changeAll(this.#byLabel.get(label), { pod, node, by });
    }
  }

  #keep(count: Count): void {
    const { key, label } = count.sort;
    this.#counts.set(key, count);
    const alike = this.#byLabel.get(label);
    if (alike) alike.add(count);
    else this.#byLabel.set(label, new Set([count]));
  }

  #drop(count: Count): void {
    const { key, label } = count.sort;
    this.#counts.delete(key);
    const alike = this.#byLabel.get(label);
    alike?.delete(count);
    if (alike?.size === 0) this.#byLabel.delete(label);
  }
}

interface Change {
  readonly pod: Pod;
  readonly node: string;
  readonly by: 1 | -1;
}

function changeAll(counts: ReadonlySet<Count> | undefined, { pod, node, by }: Change): void {
  if (counts) for (const count of counts) if (count.sort.matches(pod)) change(count, node, by);
}

function change({ byNode }: Count, node: string, by: 1 | -1): void {
  const count = (byNode.get(node) ?? 0) + by;
  if (count === 0) byNode.delete(node);
  else byNode.set(node, count);
}
