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
  readonly ready: number;
  readonly unready: number;
}

/** By zone, in nodes per 100 s. In a cluster without any ready node it is 0 everywhere. */
export function ratesOf(nodes: Iterable<Node>): ReadonlyMap<string, number> {
  const counts = new Map<string, Count>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const { ready, unready } = counts.get(zone) ?? { ready: 0, unready: 0 };
    const isReady = readyStatusOf(node) === 'True';
    counts.set(zone, isReady ? { ready: ready + 1, unready } : { ready, unready: unready + 1 });
  }
  const isAllLost = [...counts.values()].every(({ ready }) => ready === 0);
  return new Map([...counts].map(([zone, count]) => [zone, isAllLost ? 0 : rateOf(count)]));
}

function rateOf({ ready, unready }: Count): number {
  const size = ready + unready;
  const isPartial = ready > 0 && unready > 2 && unready * 100 >= 55 * size;
  if (!isPartial) return NORMAL_RATE;
  return size > 50 ? REDUCED_RATE : 0;
}
