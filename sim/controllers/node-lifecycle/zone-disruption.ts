/**
 * How bad it is in each zone, and how fast nodes may get their NoExecute taints there. When no node anywhere is ready
 * it is rather the controller that is cut off: nothing is evicted at all. Knows counts, and neither time nor the API.
 * Specification: "Limits".
 */
import type { Node } from '../../api/types/core-v1.ts';

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

const MANY_UNREADY = 2;
/** Hundredths of the nodes of a zone. */
const PARTIAL_PERCENT = 55;
/** A zone of more nodes goes on evicting, slowly, in a partial disruption. */
const LARGE_ZONE = 50;
/** NoExecute taints per second. */
export const NORMAL_PER_SECOND = 0.1;
const REDUCED_PER_SECOND = 0.01;
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/** Region and zone of a node, by the labels of today or by those before them; nodes without any are one zone. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region =
    labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone =
    labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

/** Nodes that count for their zone. */
export const countsForZone = ({ metadata: { labels } }: Node): boolean => labels?.[EXCLUDED] === undefined;

export interface ZoneCount {
  readonly ready: number;
  readonly unready: number;
}

/** Nodes of each zone, kept up to date node by node. */
export class ZoneCensus {
  readonly #zones = new Map<string, { ready: number; unready: number }>();
  readonly #nodes = new Map<string, { readonly zone: string; readonly isReady: boolean }>();

  get zones(): ReadonlyMap<string, ZoneCount> {
    return this.#zones;
  }

  set(node: string, zone: string, isReady: boolean): void {
    const known = this.#nodes.get(node);
    if (known?.zone === zone && known.isReady === isReady) return;
    this.remove(node);
    this.#nodes.set(node, { zone, isReady });
    const count = this.#zones.get(zone) ?? { ready: 0, unready: 0 };
    count[isReady ? 'ready' : 'unready']++;
    this.#zones.set(zone, count);
  }

  remove(node: string): void {
    const known = this.#nodes.get(node);
    if (!known) return;
    this.#nodes.delete(node);
    const count = this.#zones.get(known.zone);
    if (!count) return;
    count[known.isReady ? 'ready' : 'unready']--;
    if (count.ready + count.unready === 0) this.#zones.delete(known.zone);
  }
}

/** What a look at the zones has brought. `rates`: NoExecute taints per second by zone, where they change. */
export type Turn =
  | { readonly kind: 'same' }
  /** All zones have become fully disrupted: evictions stop, and those that were begun are called off. */
  | { readonly kind: 'total'; readonly rates: ReadonlyMap<string, number> }
  /** All zones were, and one is no longer: everybody gets a fresh start. */
  | { readonly kind: 'over'; readonly rates: ReadonlyMap<string, number> }
  | { readonly kind: 'changed'; readonly rates: ReadonlyMap<string, number> };

export class Disruption {
  readonly #states = new Map<string, ZoneState>();

  judge(zones: ReadonlyMap<string, ZoneCount>): Turn {
    for (const zone of [...this.#states.keys()]) if (!zones.has(zone)) this.#states.delete(zone);
    for (const zone of zones.keys()) if (!this.#states.has(zone)) this.#states.set(zone, 'Initial');
    const isFull = (state: ZoneState): boolean => state === 'FullDisruption';
    const wasTotal = [...this.#states.values()].every(isFull);
    const states = [...zones].map(([zone, count]) => [zone, stateOf(count), count] as const);
    const isTotal = states.every(([, state]) => isFull(state));
    const changed = states.filter(([zone, state]) => wasTotal || state !== this.#states.get(zone));
    if (wasTotal && isTotal) return { kind: 'same' };
    for (const [zone, state] of states) this.#states.set(zone, state);
    if (isTotal) return { kind: 'total', rates: new Map(states.map(([zone]) => [zone, 0])) };
    if (changed.length === 0) return { kind: 'same' };
    const rates = new Map(changed.map(([zone, state, count]) => [zone, rateOf(state, count)]));
    return { kind: wasTotal ? 'over' : 'changed', rates };
  }
}

export function stateOf({ ready, unready }: ZoneCount): ZoneState {
  if (ready === 0 && unready > 0) return 'FullDisruption';
  if (unready > MANY_UNREADY && unready * 100 >= PARTIAL_PERCENT * (ready + unready))
    return 'PartialDisruption';
  return 'Normal';
}

export function rateOf(state: ZoneState, { ready, unready }: ZoneCount): number {
  if (state !== 'PartialDisruption') return NORMAL_PER_SECOND;
  return ready + unready > LARGE_ZONE ? REDUCED_PER_SECOND : 0;
}
