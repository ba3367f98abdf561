/**
 * When no node anywhere is Ready, it is rather the controller that is cut off: no node gets a taint that drives its pods
 * away, until one is heard of again. Specification: "Limits".
 */
import type { Node } from '../../sim/api/types/core-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from './observation.ts';
import { Zones } from './zones.ts';

/** Two looks of the controller, and a taint that is under way. */
const SEEN_WITHIN = 15 * SECOND;
const DRIVING: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

export class AllLostNoneGivenUp implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #zones = new Zones();
  #allLostSince: number | undefined;
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = wellSince(observation);
    if (observation.kind !== 'stored') return;
    const { before, after } = observation;
    if ((after ?? before)?.kind !== 'Node') return;
    this.#zones.replace(counted(before), counted(after));
    if (!this.#zones.isAllLost) this.#allLostSince = undefined;
    else this.#allLostSince ??= at;
    if (before && after) this.#judge(at, before, after);
  }

  look(): void {}

  #judge(at: number, before: Node, after: Node): void {
    if (this.#wholeSince === undefined || this.#allLostSince === undefined) return;
    const since = Math.max(this.#allLostSince, this.#wholeSince);
    if (isDriven(before) || !isDriven(after) || at - since <= SEEN_WITHIN + this.#settings.slack) return;
    this.#settings.report(
      at,
      `${after.metadata.name ?? ''} was given up, though no node at all has been Ready for ${inSeconds(at - this.#allLostSince)}`,
    );
  }
}

const counted = (node: Node | undefined): Node | undefined =>
  node?.metadata.labels?.[EXCLUDED] === undefined ? node : undefined;

const isDriven = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key, effect }) => effect === 'NoExecute' && DRIVING.has(key));
