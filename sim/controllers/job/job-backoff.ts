/** How long a Job waits before it replaces pods that have failed: 10 s, doubled with each failure in a row. Pure. */
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { endedAt, failuresBefore, hasFailed } from './job-pods.ts';

export interface FailureRow {
  /** Since the last success. */
  readonly failures: number;
  readonly lastAtMs: number;
}

export const NO_FAILURES: FailureRow = { failures: 0, lastAtMs: 0 };
const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** With pods that have ended since; those of failures that do not count wait too. */
export function rowWith(row: FailureRow, job: Job, ended: readonly Pod[]): FailureRow {
  const inOrder = ended.toSorted((a, b) => endedAt(a) - endedAt(b));
  let { failures, lastAtMs } = row;
  for (const pod of inOrder) {
    failures = hasFailed(job, pod) ? failures + 1 : 0;
    lastAtMs = endedAt(pod);
  }
  return { failures, lastAtMs };
}

/** 0: nothing. */
export function leftToWait({ failures, lastAtMs }: FailureRow, nowMs: number): number {
  if (failures === 0) return 0;
  return Math.max(0, lastAtMs + Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)) - nowMs);
}

/** Of an index, whose last failed pod knows how many were before it. */
export const leftToWaitAfter = (pod: Pod | undefined, nowMs: number): number =>
  pod ? leftToWait({ failures: failuresBefore(pod) + 1, lastAtMs: endedAt(pod) }, nowMs) : 0;
