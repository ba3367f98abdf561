/** Which runs failed in the past, in a small JSON file: so that a report can say what is new. */
import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import type { RunRecord } from './run-record.ts';
import type { Changes } from './run-summary.ts';

interface PastCall {
  readonly at: string;
  readonly runs: number;
  readonly failed: readonly string[];
}

interface HistoryData {
  /** The latest calls, oldest first. */
  calls: PastCall[];
  /** Verdict of each run when it was last made. */
  last: Record<string, 'passed' | 'failed'>;
}

const MOST_CALLS = 100;

/** Whether a file with this text is a history, be it damaged: others are nothing to be written over. */
export const isHistory = (text: string): boolean => /^[\s\0]*$|^\s*\{\s*"calls"/u.test(text);

/** Compares with the past and becomes part of it. A damaged file is an empty past. */
export async function rememberRuns(
  file: string,
  at: string,
  records: readonly RunRecord[],
): Promise<Changes> {
  const database = await openHistory(file);
  const { data } = database;
  const since = data.calls.at(-1)?.at;
  const changes = changesOf(data.last, records, since);
  const failed = records.filter(({ verdict }) => verdict !== 'passed').map(({ key }) => key);
  data.calls = [...data.calls, { at, runs: records.length, failed }].slice(-MOST_CALLS);
  for (const { key, verdict } of records) data.last[key] = verdict === 'passed' ? 'passed' : 'failed';
  await database.write();
  return changes;
}

async function openHistory(file: string): Promise<Low<HistoryData>> {
  const empty = (): HistoryData => ({ calls: [], last: {} });
  const database = new Low<HistoryData>(new JSONFile(file), empty());
  try {
    await database.read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    database.data = empty();
  }
  if (!Array.isArray(database.data.calls) || typeof database.data.last !== 'object') database.data = empty();
  return database;
}

export function changesOf(
  last: Readonly<Record<string, 'passed' | 'failed'>>,
  records: readonly RunRecord[],
  since?: string,
): Changes {
  const keys = (holds: (before: 'passed' | 'failed' | undefined, fails: boolean) => boolean): string[] =>
    records.filter(({ key, verdict }) => holds(last[key], verdict !== 'passed')).map(({ key }) => key);
  return {
    ...(since !== undefined && { since }),
    newFailures: keys((before, fails) => fails && before !== 'failed'),
    fixed: keys((before, fails) => !fails && before === 'failed'),
    stillFailing: keys((before, fails) => fails && before === 'failed'),
  };
}
