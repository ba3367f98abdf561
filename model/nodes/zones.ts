/**
 * How fast the nodes of a zone may be given up. Many nodes that fail together are rather a fault of the network between
 * than of the nodes. Specification: "Limits"; not shown: Kubernetes 1.31.
 */
import type { Node } from '../../sim/api/types/core-v1.ts';

/** Nodes per 100 s. */
const NORMAL_RATE = 10;
const REDUCED_RATE = 1;

export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels['topology.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? '';
  return `${region}/${zone}`;
}

export const readyStatusOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

interface Count {
  ready: number;
  unready: number;
}

/** Counts the nodes of each zone as they change. */
export class Zones {
  readonly #counts = new Map<string, Count>();
  #readyNodes = 0;

  /** No node anywhere is ready: then nobody is given up. */
  get isAllLost(): boolean {
    return this.#readyNodes === 0;
  }

  /** A node is now `after`, and was `before`; undefined: not there. */
  replace(before: Node | undefined, after: Node | undefined): void {
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
  }

  /** In nodes per 100 s. */
  rateOf(zone: string): number {
    const { ready, unready } = this.#counts.get(zone) ?? { ready: 0, unready: 0 };
    const size = ready + unready;
    if (this.isAllLost) return 0;
    const isPartial = ready > 0 && unready > 2 && unready * 100 >= 55 * size;
    if (!isPartial) return NORMAL_RATE;
    return size > 50 ? REDUCED_RATE : 0;
  }

  #count(node: Node, by: number): void {
    const zone = zoneOf(node);
    const count = this.#counts.get(zone) ?? { ready: 0, unready: 0 };
    const isReady = readyStatusOf(node) === 'True';
    if (isReady) this.#readyNodes += by;
    count[isReady ? 'ready' : 'unready'] += by;
    this.#counts.set(zone, count);
  }
}
