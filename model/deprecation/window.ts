/** How long something stood, in releases and in months, against how long it had to: the longer of the two. */
import type { PolicyRelease, ReleaseHistory } from './release-history.ts';

export interface Window {
  readonly releases: number;
  readonly months: number;
}

const MONTHS_OF_RELEASE = 4;
const MONTH_MS = (365.25 / 12) * 86_400_000;
/** Dates are days, months are not all of one length. */
const SLACK_MONTHS = 0.1;

/** Between two positions in the history. */
export function between(history: ReleaseHistory, from: number, to: number): Window {
  return { releases: to - from, months: monthsBetween(history[from], history[to], to - from) };
}

function monthsBetween(
  from: PolicyRelease | undefined,
  to: PolicyRelease | undefined,
  releases: number,
): number {
  const [start, end] = [Date.parse(from?.date ?? ''), Date.parse(to?.date ?? '')];
  const isDated = Number.isFinite(start) && Number.isFinite(end);
  return isDated ? (end - start) / MONTH_MS : releases * MONTHS_OF_RELEASE;
}

/** Whether at least so much has gone by, of both. */
export const covers = (stood: Window, needed: Window): boolean =>
  stood.releases >= needed.releases && stood.months + SLACK_MONTHS >= needed.months;

export const windowText = ({ releases, months }: Window): string =>
  `${releases} ${releases === 1 ? 'release' : 'releases'} and ${Math.round(months)} ${Math.round(months) === 1 ? 'month' : 'months'}`;
