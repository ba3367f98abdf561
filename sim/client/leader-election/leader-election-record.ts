/** What a lease of leader election says, and how it says it. Pure. */
import type { LeaseSpec } from '../../api/types/coordination-k8s-io-v1.ts';

export interface LeaderElectionRecord {
  /** Empty: the last leader has given the lease back. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** RFC 3339 with microseconds, as are all times here; undefined in a lease that nobody has taken yet. */
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  /** How often the leader has changed. */
  readonly transitions: number;
}

export function recordOf({
  holderIdentity = '',
  leaseDurationSeconds = 0,
  acquireTime,
  renewTime,
  leaseTransitions = 0,
}: LeaseSpec = {}): LeaderElectionRecord {
  return {
    holder: holderIdentity,
    durationSeconds: leaseDurationSeconds,
    acquireTime,
    renewTime,
    transitions: leaseTransitions,
  };
}

/** What a candidate writes at `now` over what it has last seen: it goes on, or it takes over. */
export function nextRecord(
  seen: LeaderElectionRecord | undefined,
  candidate: { readonly identity: string; readonly durationSeconds: number; readonly now: string },
): LeaderElectionRecord {
  const { identity, durationSeconds, now } = candidate;
  const goesOn = seen?.holder === identity;
  return {
    holder: identity,
    durationSeconds,
    acquireTime: goesOn ? seen.acquireTime : now,
    renewTime: now,
    transitions: !seen || goesOn ? (seen?.transitions ?? 0) : seen.transitions + 1,
  };
}

/** As a leader leaves it behind that gives it back. */
export const releasedRecord = (seen: LeaderElectionRecord, now: string): LeaderElectionRecord => ({
  holder: '',
  durationSeconds: 1,
  acquireTime: now,
  renewTime: now,
  transitions: seen.transitions,
});

export const leaseSpecOf = (record: LeaderElectionRecord): LeaseSpec => ({
  holderIdentity: record.holder,
  leaseDurationSeconds: record.durationSeconds,
  ...(record.acquireTime !== undefined && { acquireTime: record.acquireTime }),
  ...(record.renewTime !== undefined && { renewTime: record.renewTime }),
  leaseTransitions: record.transitions,
});

export const isSameRecord = (a: LeaderElectionRecord | undefined, b: LeaderElectionRecord): boolean =>
  a?.holder === b.holder &&
  a.durationSeconds === b.durationSeconds &&
  a.acquireTime === b.acquireTime &&
  a.renewTime === b.renewTime &&
  a.transitions === b.transitions;
