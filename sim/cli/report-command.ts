/** `kubesim report`: reports of runs that were made before. */
import { copyFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { mergeSummaries, parseSummary } from '../../reports/merge-summaries.ts';
import { exitCodeOf, type RunSummary } from '../../reports/run-summary.ts';
import { FORMATS, leaveReport, placeProblem, recordingFile, type Format } from './run/leave-report.ts';
import { systemReason } from './start-problem.ts';

interface MergeFlags {
  readonly reportDir: string;
  readonly history?: string;
  readonly format: Format;
}

const BAD_INPUT = 2;

export function reportCommand(): Command {
  const merge = new Command('merge')
    .description('Make one report of the reports of shards (`kubesim run --shard i/n --report-dir …`).')
    .argument('<folders...>', 'folders that `--report-dir` named')
    .requiredOption('--report-dir <folder>', 'where to write the report of all of them')
    .option(
      '--history <file>',
      'verdicts of past calls, to say what is new (default: history.json in the folder)',
    )
    .addOption(new Option('--format <format>', 'what is printed').choices([...FORMATS]).default('text'))
    .addHelpText('after', '\nExit codes: as of `kubesim run`, for all runs together.')
    .action(async (folders: string[], flags: MergeFlags) => {
      process.exitCode = await mergeReports(folders, flags);
    });
  return new Command('report')
    .description('Work with reports of runs.')
    .addCommand(merge.exitOverride().showHelpAfterError('(--help says more)'));
}

interface Part {
  readonly folder: string;
  readonly summary: RunSummary;
}

async function mergeReports(folders: readonly string[], flags: MergeFlags): Promise<number> {
  const parts: Part[] = [];
  for (const folder of folders) {
    try {
      parts.push({ folder, summary: parseSummary(await readFile(join(folder, 'report.json'), 'utf8')) });
    } catch (error) {
      return complain(`${join(folder, 'report.json')}: ${systemReason(error)}`);
    }
  }
  const problem = await placeProblem(flags);
  if (problem !== undefined) return complain(problem);
  const merged = mergeSummaries(
    parts.map(({ summary }) => summary),
    `kubesim ${process.argv.slice(2).join(' ')}`,
  );
  const records = merged.records.map((record) => {
    if (!record.failure) return record;
    const command = `kubesim replay ${recordingFile(flags.reportDir, record)}`;
    return { ...record, failure: { ...record.failure, command } };
  });
  await leaveReport(
    { ...merged, records },
    {
      ...flags,
      writeRecording: async (record, file) => {
        for (const { folder } of parts) {
          const source = recordingFile(folder, record);
          if (source !== file && (await isThere(source))) await copyFile(source, file);
        }
      },
    },
  );
  return exitCodeOf(records);
}

const isThere = async (file: string): Promise<boolean> =>
  (await stat(file).catch(() => undefined)) !== undefined;

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return BAD_INPUT;
}
