/**
 * How many pods of a sort are on each node. A sort that was asked for once is counted on with every pod that comes and
 * goes: the pods of one workload ask for the same sort again and again. Of many sorts those asked for longest ago are dropped.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { NodeInfo } from './node-info.ts';

export interface PodSort {
  /** Equal sorts have equal keys. */
  readonly key: string;
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
    for (const { name, pods } of nodes)
      for (const { pod } of pods.values()) if (sort.matches(pod)) change(count, name, 1);
    this.#counts.set(sort.key, count);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MOST_SORTS) break;
      this.#counts.delete(oldest);
    }
    return count.byNode;
  }

  came(pod: Pod, node: string): void {
    for (const count of this.#counts.values()) if (count.sort.matches(pod)) change(count, node, 1);
  }

  went(pod: Pod, node: string): void {
    for (const count of this.#counts.values()) if (count.sort.matches(pod)) change(count, node, -1);
  }

  /** Sorts that look at more than the pod itself are not what they were. */
  forgetAll(): void {
    this.#counts.clear();
  }
}

function change({ byNode }: Count, node: string, by: 1 | -1): void {
  const count = (byNode.get(node) ?? 0) + by;
  if (count === 0) byNode.delete(node);
  else byNode.set(node, count);
}
