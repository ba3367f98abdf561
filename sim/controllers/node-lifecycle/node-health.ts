/**
 * When was a node last heard of, and what follows from silence. Pure. What counts is the time at which the controller
 * *saw* a change of the Ready condition's heartbeat or of the lease, by its own clock; never the times inside, which
 * come from other clocks. Specification: "Node", "Lease", "Limits".
 */
import { formatTime } from '../../api/time-format.ts';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition } from '../../api/types/core-v1.ts';
import { minutes, seconds, type Micros } from '../../engine/time.ts';

/** Silence of a node that has been ready once, and of one that never said. */
export const GRACE = seconds(40);
export const STARTUP_GRACE = minutes(1);

export interface NodeHealth {
  /** The Ready condition as last seen. */
  readonly ready: NodeCondition | undefined;
  /** The lease's renewTime as last seen. */
  readonly renewTime: string | undefined;
  /** When the node was last heard of, by the controller's clock. */
  readonly heardAt: Micros;
}

export const readyOf = (node: Node): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready');

export interface Observation {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly now: Micros;
  /** The controller's wall clock, in milliseconds since 1970. */
  readonly wallMs: number;
}

/** What is known of a node after looking at it once more. */
export function observe(
  known: NodeHealth | undefined,
  { node, lease, now, wallMs }: Observation,
): NodeHealth {
  const ready = readyOf(node);
  const renewTime = lease?.spec?.renewTime;
  const hasRenewed =
    renewTime !== undefined && (known?.renewTime === undefined || isLater(renewTime, known.renewTime));
  const hasReported =
    known !== undefined &&
    ((ready === undefined) !== (known.ready === undefined) ||
      ready?.lastHeartbeatTime !== known.ready?.lastHeartbeatTime);
  const seenAt = known?.heardAt ?? (ready ? now : bornAt(node, now, wallMs));
  return {
    // A readiness that changes without a heartbeat is not taken over.
    ready: known && !hasReported ? known.ready : ready,
    // With a report the controller forgets the lease, so that the lease counts as news once more.
    renewTime: hasRenewed ? renewTime : hasReported ? undefined : known?.renewTime,
    heardAt: hasRenewed || hasReported ? now : seenAt,
  };
}

/** The same, where the node itself is as it was when it was last looked at. */
export function observeLease(known: NodeHealth, lease: Lease | undefined, now: Micros): NodeHealth {
  const renewTime = lease?.spec?.renewTime;
  if (renewTime === undefined) return known;
  if (known.renewTime !== undefined && !isLater(renewTime, known.renewTime)) return known;
  return { ready: known.ready, renewTime, heardAt: now };
}

/** When a node that has said nothing yet was created, by the controller's clock. */
function bornAt({ metadata: { creationTimestamp } }: Node, now: Micros, wallMs: number): Micros {
  const bornMs = creationTimestamp ? Date.parse(creationTimestamp) : wallMs;
  return (now - (wallMs - bornMs) * 1_000) as Micros;
}

/** RFC 3339 times with microseconds, in UTC, are ordered as texts. */
const isLater = (a: string, b: string): boolean => a > b;

/** Whether a node that says `ready` of itself has been silent for longer than it may. */
export const isSilent = (ready: NodeCondition | undefined, heardAt: Micros, now: Micros): boolean =>
  now - heardAt > (ready ? GRACE : STARTUP_GRACE);

const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a silent node; undefined if they say so already. `nowMs` is the controller's wall clock. */
export function conditionsOfSilence(node: Node, nowMs: number): readonly NodeCondition[] | undefined {
  const present = node.status?.conditions ?? [];
  const now = formatTime(nowMs);
  const known = present.map((condition): NodeCondition => {
    if (!WATCHED.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  const missing = WATCHED.filter((type) => !present.some((condition) => condition.type === type));
  const never = missing.map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
    lastTransitionTime: now,
  }));
  const isChanged = never.length > 0 || known.some((condition, index) => condition !== present[index]);
  return isChanged ? [...known, ...never] : undefined;
}
