/** What a campaign leaves behind: its report, recordings of failures, the history, and words for the terminal and for CI. */
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { githubAnnotations, githubStepSummary } from '../../../reports/github.ts';
import { jsonLines, tapText } from '../../../reports/line-formats.ts';
import type { RunRecord } from '../../../reports/run-record.ts';
import type { RunSummary } from '../../../reports/run-summary.ts';
import { summaryText } from '../../../reports/summary-text.ts';
import { systemReason } from '../start-problem.ts';

export const FORMATS = ['text', 'tap', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

export interface ReportFlags {
  readonly reportDir?: string;
  readonly history?: string;
  readonly format: Format;
}

export interface Leaving extends ReportFlags {
  /** Writes the recording of a failed run. */
  readonly writeRecording: (record: RunRecord, file: string) => Promise<void>;
}

/** With what has changed since last time. */
export async function leaveReport(summary: RunSummary, leaving: Leaving): Promise<RunSummary> {
  const { reportDir } = leaving;
  const compared = await compareWithPast(summary, leaving);
  if (reportDir !== undefined) {
    const { writeReport } = await import('../../../reports/write-report.ts');
    await writeReport(reportDir, compared);
    for (const record of compared.records) {
      const file = recordingFile(reportDir, record);
      // A failure that is gone leaves no recording that somebody could take for a present one.
      if (record.failure) await leaving.writeRecording(record, file);
      else await rm(file, { force: true });
    }
  }
  await tell(compared, leaving);
  return compared;
}

async function compareWithPast(
  summary: RunSummary,
  { history, reportDir }: ReportFlags,
): Promise<RunSummary> {
  const file = history ?? (reportDir === undefined ? undefined : join(reportDir, 'history.json'));
  if (file === undefined) return summary;
  const { rememberRuns } = await import('../../../reports/run-history.ts');
  await mkdir(dirname(file), { recursive: true });
  return { ...summary, changes: await rememberRuns(file, summary.startedAt, summary.records) };
}

async function tell(summary: RunSummary, { format, reportDir }: ReportFlags): Promise<void> {
  const isTerminal = process.stdout.isTTY ?? false;
  if (format === 'tap') process.stdout.write(tapText(summary));
  else if (format === 'jsonl') process.stdout.write(jsonLines(summary));
  else process.stdout.write(summaryText(summary, { isColoured: isTerminal, showsPassed: isTerminal }));
  const toldOn = format === 'text' ? process.stdout : process.stderr;
  if (reportDir !== undefined) toldOn.write(`report: ${join(reportDir, 'report.html')}\n`);
  if (process.env['GITHUB_ACTIONS'] !== 'true') return;
  toldOn.write(githubAnnotations(summary));
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (file !== undefined && file !== '') await appendFile(file, githubStepSummary(summary));
}

export const recordingFile = (folder: string, { scenario, seed }: RunRecord): string =>
  join(folder, 'failures', `${scenario}-${seed}.json`);

/** Why something cannot be left where it is to be left, before hours of runs are lost. */
export async function placeProblem({
  reportDir,
  history,
}: Omit<ReportFlags, 'format'>): Promise<string | undefined> {
  const ofFolder = reportDir === undefined ? undefined : await folderProblem(reportDir);
  if (ofFolder !== undefined) return `--report-dir ${reportDir}: ${ofFolder}`;
  const ofHistory = history === undefined ? undefined : await historyProblem(history);
  return ofHistory === undefined ? undefined : `--history ${history}: ${ofHistory}`;
}

async function historyProblem(file: string): Promise<string | undefined> {
  try {
    const { isHistory } = await import('../../../reports/run-history.ts');
    return isHistory(await readFile(file, 'utf8'))
      ? undefined
      : 'it is no history of runs, but something else';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return systemReason(error);
  }
}

async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    await mkdir(join(folder, 'failures'), { recursive: true });
    const probe = join(folder, `.probe-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
