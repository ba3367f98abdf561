/** Parts of one campaign, made on several machines, as one. Pure. */
import type { RunRecord } from './run-record.ts';
import type { RunSummary } from './run-summary.ts';

/** What is to be merged is no report of runs. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

/** @throws MergeError */
export function parseSummary(text: string): RunSummary {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new MergeError(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const isSummary =
    typeof value === 'object' &&
    value !== null &&
    Array.isArray(Reflect.get(value, 'records')) &&
    typeof Reflect.get(value, 'startedAt') === 'string' &&
    typeof Reflect.get(value, 'realMs') === 'number';
  if (!isSummary) throw new MergeError('it is not a report.json of `kubesim run`');
  return value as RunSummary;
}

/**
 * Runs in the order of scenarios and seeds. A run that was made twice counts once: as failed, if it failed at all.
 * Parts ran side by side, so the longest says how long it took.
 */
export function mergeSummaries(parts: readonly RunSummary[], command: string): RunSummary {
  const byKey = new Map<string, RunRecord>();
  for (const record of parts.flatMap(({ records }) => records)) {
    const known = byKey.get(record.key);
    if (!known || known.verdict === 'passed') byKey.set(record.key, record);
  }
  const planned = parts.reduce(
    (sum, { records, interrupted }) => sum + (interrupted?.planned ?? records.length),
    0,
  );
  return {
    startedAt: parts.map(({ startedAt }) => startedAt).sort()[0] ?? '',
    realMs: Math.max(0, ...parts.map(({ realMs }) => realMs)),
    command,
    records: [...byKey.values()].sort(
      (a, b) => compare(a.file, b.file) || compare(a.scenario, b.scenario) || a.seed - b.seed,
    ),
    changes: { newFailures: [], fixed: [], stillFailing: [] },
    ...(parts.some(({ interrupted }) => interrupted) && { interrupted: { planned } }),
  };
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
