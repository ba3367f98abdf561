/**
 * How long agents may keep secrets and configurations that they have read: the larger the cluster, the longer, so that
 * the API server is not asked too often. The bounds overlap, so that a cluster at a bound does not waver. Pure.
 * Specification: not shown: Kubernetes 1.31.
 */

/** [fewest nodes, most nodes, seconds] */
const STEPS = [
  [0, 100, 0],
  [90, 500, 15],
  [450, 1_000, 30],
  [900, 2_000, 60],
  [1_800, 10_000, 300],
  [9_000, Infinity, 600],
] as const;

export class CacheTtl {
  #nodes = 0;
  #step = 0;

  /** In seconds. */
  get seconds(): number {
    return STEPS[this.#step]?.[2] ?? 0;
  }

  nodeAdded(): void {
    this.#nodes++;
    const most = STEPS[this.#step]?.[1] ?? Infinity;
    if (this.#nodes > most) this.#step++;
  }

  nodeRemoved(): void {
    this.#nodes--;
    const fewest = STEPS[this.#step]?.[0] ?? 0;
    if (this.#nodes < fewest) this.#step--;
  }
}
