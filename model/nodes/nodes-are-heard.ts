/**
 * A node whose agent is up and reaches the API servers is heard of: its lease is renewed every ten seconds or so, its
 * status is told at least every five minutes, and soon after whatever hindered it is over it is not called Unknown any
 * more. Specification: "Node", "Lease", "Limits".
 */
import type { Node } from '../../sim/api/types/core-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type ObservationOf,
  type RuleSettings,
} from './observation.ts';

/** Every ten seconds, and five tries of ten seconds each may fail before. */
const LEASE_WITHIN = 30 * SECOND;
const REPORT_WITHIN = 330 * SECOND;
/** Connections that were cut are given up and made anew, and the watch pauses for up to a minute. */
const BACK_WITHIN = 150 * SECOND;

interface Heard {
  renewedAt: number;
  reportedAt: number;
  heartbeat: string | undefined;
  /** Since when it is called Unknown, by somebody. */
  unknownSince: number | undefined;
}

export class NodesAreHeard implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #nodes = new Map<string, Heard>();
  /** Since when agents are hindered by nothing; absent: they are. */
  readonly #fineSince = new Map<string, number>();
  readonly #reported = new Set<string>();
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = observation.isWhole ? at : undefined;
    else if (observation.kind === 'agent') {
      this.#fineSince.delete(observation.node);
      if (observation.isFine) this.#fineSince.set(observation.node, at);
    } else if (observation.kind === 'stored') this.#stored(at, observation.before, observation.after);
  }

  look(at: number): void {
    if (this.#wholeSince === undefined) return;
    for (const [node, heard] of this.#nodes) {
      const fineSince = this.#fineSince.get(node);
      if (fineSince === undefined || this.#reported.has(node)) continue;
      const since = Math.max(fineSince, this.#wholeSince);
      const problem = problemOf(heard, { at, since, slack: this.#settings.slack });
      if (problem === undefined) continue;
      this.#reported.add(node);
      this.#settings.report(
        at,
        `node ${node}, whose agent is hindered by nothing since ${inSeconds(since)}, ${problem}`,
      );
    }
  }

  #stored(at: number, before: Observed, after: Observed): void {
    const object = after ?? before;
    const name = object?.metadata.name ?? '';
    if (object?.kind === 'Lease' && object.metadata.namespace === 'kube-node-lease') {
      const heard = this.#nodes.get(name);
      if (heard && after) heard.renewedAt = at;
    } else if (object?.kind === 'Node') this.#nodeStored(at, name, after);
  }

  #nodeStored(at: number, name: string, after: Node | undefined): void {
    if (!after) {
      this.#nodes.delete(name);
      return;
    }
    const ready = after.status?.conditions?.find(({ type }) => type === 'Ready');
    const known = this.#nodes.get(name);
    const isNews = known?.heartbeat !== ready?.lastHeartbeatTime;
    this.#nodes.set(name, {
      renewedAt: known?.renewedAt ?? at,
      reportedAt: isNews ? at : (known?.reportedAt ?? at),
      heartbeat: ready?.lastHeartbeatTime,
      unknownSince: ready?.status === 'Unknown' ? (known?.unknownSince ?? at) : undefined,
    });
  }
}

type Observed = ObservationOf<'stored'>['after'];

function problemOf(
  { renewedAt, reportedAt, unknownSince }: Heard,
  { at, since, slack }: { readonly at: number; readonly since: number; readonly slack: number },
): string | undefined {
  const convalescent = since + BACK_WITHIN + slack;
  const lateBy = (event: number, within: number): boolean =>
    at > Math.max(event + within + slack, convalescent);
  if (lateBy(renewedAt, LEASE_WITHIN)) return `has not renewed its lease for ${inSeconds(at - renewedAt)}`;
  if (lateBy(reportedAt, REPORT_WITHIN)) return `has not told its status for ${inSeconds(at - reportedAt)}`;
  if (unknownSince !== undefined && lateBy(unknownSince, BACK_WITHIN))
    return `has been called Unknown for ${inSeconds(at - unknownSince)}`;
  return undefined;
}
