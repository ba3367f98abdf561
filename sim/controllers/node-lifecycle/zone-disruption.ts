/**
 * How bad it is in each zone, and how fast nodes may get their NoExecute taints there. Pure. When no node anywhere is
 * ready it is rather the controller that is cut off: nothing is evicted at all. Specification: "Limits".
 */
import type { Node } from '../../api/types/core-v1.ts';
import { readyOf } from './node-health.ts';

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

const MANY_UNREADY = 2;
/** Hundredths of the nodes of a zone. */
const PARTIAL_PERCENT = 55;
/** A zone of more nodes goes on evicting, slowly, in a partial disruption. */
const LARGE_ZONE = 50;
const NORMAL_PER_SECOND = 0.1;
const REDUCED_PER_SECOND = 0.01;

/** Region and zone of a node; nodes without any are one zone. */
export function zoneOf({ metadata: { labels } }: Node): string {
  const region = labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = labels?.['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

export interface Zone {
  readonly state: ZoneState;
  /** NoExecute taints per second. */
  readonly rate: number;
}

export interface Disruption {
  readonly zones: ReadonlyMap<string, Zone>;
  /** No zone has a ready node. */
  readonly isTotal: boolean;
}

export function disruptionOf(nodes: readonly Node[]): Disruption {
  const counts = new Map<string, { ready: number; unready: number }>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const count = counts.get(zone) ?? { ready: 0, unready: 0 };
    if (readyOf(node)?.status === 'True') count.ready++;
    else count.unready++;
    counts.set(zone, count);
  }
  const states = [...counts].map(([zone, count]) => [zone, stateOf(count), count.ready + count.unready] as const);
  const isTotal = states.length > 0 && states.every(([, state]) => state === 'FullDisruption');
  const zones = new Map(states.map(([zone, state, size]) => [zone, { state, rate: isTotal ? 0 : rateOf(state, size) }]));
  return { zones, isTotal };
}

function stateOf({ ready, unready }: { readonly ready: number; readonly unready: number }): ZoneState {
  if (ready === 0 && unready > 0) return 'FullDisruption';
  if (unready > MANY_UNREADY && unready * 100 >= PARTIAL_PERCENT * (ready + unready)) return 'PartialDisruption';
  return 'Normal';
}

function rateOf(state: ZoneState, size: number): number {
  if (state !== 'PartialDisruption') return NORMAL_PER_SECOND;
  return size > LARGE_ZONE ? REDUCED_PER_SECOND : 0;
}
