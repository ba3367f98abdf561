/** All runs of one call of `kubesim run`, and what has changed since the last one. */
import type { RunRecord, Verdict } from './run-record.ts';

export interface RunSummary {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly realMs: number;
  /** What was typed. */
  readonly command: string;
  readonly records: readonly RunRecord[];
  readonly changes: Changes;
  /** Present when somebody ended it before all runs were made. */
  readonly interrupted?: { readonly planned: number };
}

/** Keys of runs: against the last time that the same run was made. */
export interface Changes {
  /** When that was; undefined: never before. */
  readonly since?: string;
  readonly newFailures: readonly string[];
  readonly fixed: readonly string[];
  readonly stillFailing: readonly string[];
}

export interface Counts {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  readonly invalid: number;
  readonly defects: number;
}

export function countsOf(records: readonly RunRecord[]): Counts {
  const count = (verdict: Verdict): number => records.filter((record) => record.verdict === verdict).length;
  return {
    runs: records.length,
    passed: count('passed'),
    failed: count('failed'),
    invalid: count('invalid'),
    defects: count('defect'),
  };
}

/** 0: all passed; 1: something did not hold; 2: bad input; 3: a bug of the simulator. The worst counts. */
export function exitCodeOf(records: readonly RunRecord[]): 0 | 1 | 2 | 3 {
  const { defects, invalid, failed } = countsOf(records);
  if (defects > 0) return 3;
  if (invalid > 0) return 2;
  return failed > 0 ? 1 : 0;
}

/** Runs of one scenario. */
export interface ScenarioGroup {
  readonly scenario: string;
  readonly file: string;
  readonly description?: string | undefined;
  readonly records: readonly RunRecord[];
  readonly counts: Counts;
}

export function groupsOf(records: readonly RunRecord[]): readonly ScenarioGroup[] {
  const groups = new Map<string, RunRecord[]>();
  for (const record of records) {
    const group = groups.get(record.scenario);
    if (group) group.push(record);
    else groups.set(record.scenario, [record]);
  }
  return [...groups].map(([scenario, own]) => ({
    scenario,
    file: own[0]?.file ?? '',
    description: own[0]?.description,
    records: own,
    counts: countsOf(own),
  }));
}

export const failuresOf = (records: readonly RunRecord[]): readonly RunRecord[] =>
  records.filter(({ verdict }) => verdict !== 'passed');

/** Runs in which the same thing failed: one of them stands for all. */
export interface FailureGroup {
  readonly first: RunRecord;
  readonly others: readonly RunRecord[];
}

export function failureGroupsOf(records: readonly RunRecord[]): readonly FailureGroup[] {
  const groups = new Map<string, RunRecord[]>();
  for (const record of failuresOf(records)) {
    const { failure } = record;
    const key = `${record.scenario} ${failure?.kind ?? ''} ${failure?.line ?? ''} ${failure?.property ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [{ first, others }] : []));
}

/** `1m12.5s` of virtual microseconds. */
export function formatVirtual(micros: number): string {
  if (micros < 1_000) return `${micros}µs`;
  if (micros < 1_000_000) return `${micros / 1_000}ms`;
  const hours = Math.floor(micros / 3_600_000_000);
  const minutes = Math.floor((micros % 3_600_000_000) / 60_000_000);
  const seconds = Math.round((micros % 60_000_000) / 1_000) / 1_000;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${seconds > 0 || micros < 60_000_000 ? `${seconds}s` : ''}`;
}
