/**
 * What becomes of tokens that were made for service accounts of themselves, as clusters did before 1.24: unused for a
 * year they are marked as invalid, and after another year they go. Days are compared, not hours. Pure. Kubernetes 1.31.
 */
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';

export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const DAY_MS = 24 * 3_600_000;
const PERIOD_MS = 365 * DAY_MS;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export type LegacyTokenStep =
  { readonly kind: 'keep' } | { readonly kind: 'mark'; readonly since: string } | { readonly kind: 'delete' };

export interface TokenSurroundings {
  readonly nowMs: number;
  /** The account that its secret names, if it is still the same. */
  readonly account: ServiceAccount | undefined;
  /** Some pod of its namespace uses it. */
  readonly isMounted: () => boolean;
}

/** Since when uses of tokens are noted, by the day that a server has written down, has been long enough. */
export function isTrackedLongEnough(since: string | undefined, nowMs: number): boolean {
  const day = dayOf(since);
  return day !== undefined && nowMs >= day + DAY_MS + PERIOD_MS;
}

export function legacyTokenStep(
  secret: Secret,
  { nowMs, account, isMounted }: TokenSurroundings,
): LegacyTokenStep {
  const { metadata, type } = secret;
  const { creationTimestamp, deletionTimestamp, labels = {}, name = '' } = metadata;
  const longAgo = textOf(nowMs - PERIOD_MS);
  const lastUsed = labels[LAST_USED];
  const isToken = type === 'kubernetes.io/service-account-token' && deletionTimestamp === undefined;
  const isOld = Date.parse(creationTimestamp ?? '') < nowMs - PERIOD_MS;
  const isUnused = lastUsed === undefined || (dayOf(lastUsed) !== undefined && lastUsed < longAgo);
  if (!isToken || !isOld || !isUnused) return { kind: 'keep' };
  // Somebody made it by hand, for all that is known.
  if (!account?.secrets?.some((reference) => reference.name === name)) return { kind: 'keep' };
  if (isMounted()) return { kind: 'keep' };
  const invalidSince = labels[INVALID_SINCE];
  if (invalidSince === undefined || dayOf(invalidSince) === undefined)
    return { kind: 'mark', since: textOf(nowMs) };
  return { kind: invalidSince < longAgo ? 'delete' : 'keep' };
}

const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Its first moment; undefined: it is no day of the calendar. */
function dayOf(text: string | undefined): number | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || textOf(ms) !== text ? undefined : ms;
}
