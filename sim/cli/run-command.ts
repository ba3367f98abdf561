/** `kubesim run`: runs scenarios and leaves a report. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { printable } from '../../reports/printable.ts';
import type { RunRecord } from '../../reports/run-record.ts';
import { exitCodeOf, type RunSummary } from '../../reports/run-summary.ts';
import type { LoadedScenario } from '../../scenarios/language/load-scenario.ts';
import { recordingOf } from '../../scenarios/runner/recording.ts';
import {
  positiveNumber,
  regularExpression,
  releaseName,
  shardText,
  wholeNumber,
  type Shard,
} from './command-options.ts';
import { findScenarios } from './run/find-scenarios.ts';
import { INTERRUPTED, listenForInterruption } from './run/interruption.ts';
import { FORMATS, leaveReport, placeProblem, recordingFile, type Format } from './run/leave-report.ts';
import { plannedRuns, runAll } from './run/run-all.ts';

interface RunFlags {
  readonly seed?: number;
  readonly runs?: number;
  readonly jobs?: number;
  readonly filter?: RegExp;
  readonly reportDir?: string;
  readonly shard?: Shard;
  readonly checkDeterminism: boolean;
  readonly checkDelta: boolean;
  readonly release?: string;
  readonly limit: number;
  readonly history?: string;
  readonly format: Format;
}

const BAD_INPUT = 2;

/** `entry`: file of the command line itself, which workers start anew. */
export function runCommand(entry: string): Command {
  return new Command('run')
    .description('Run scenarios and report what did not hold.')
    .argument('[paths...]', 'scenario files, or folders of them', ['scenarios'])
    .option('--seed <number>', "first seed, instead of the scenario's", wholeNumber)
    .option('--runs <number>', 'runs of each scenario with consecutive seeds', positiveNumber)
    .option(
      '--jobs <number>',
      'worker processes (default: one per processor when there is much to do)',
      positiveNumber,
    )
    .option('--filter <expression>', 'only scenarios whose name matches', regularExpression)
    .option(
      '--report-dir <folder>',
      'where to write report.html, report.json, junit.xml and recordings of failures',
    )
    .option(
      '--history <file>',
      'verdicts of past calls, to say what is new; keep it between CI jobs (default: history.json in --report-dir)',
    )
    .addOption(
      new Option(
        '--format <format>',
        'what is printed: a text, TAP version 14, or a JSON object for each run',
      )
        .choices([...FORMATS])
        .default('text'),
    )
    .option(
      '--shard <i/n>',
      'only the i-th of n equal parts of all runs; `kubesim report merge` puts their reports together',
      shardText,
    )
    .option(
      '--check-determinism',
      'make every run twice and compare (default with CI=true)',
      process.env['CI'] === 'true',
    )
    .option('--no-check-determinism', 'make every run once')
    .option(
      '--check-delta',
      'make every run twice, once with every write examined as a whole, and compare',
      false,
    )
    .option(
      '--release <name>',
      'Kubernetes release of the clusters whose scenarios name none, 1.15 to 1.37 (default: 1.31)',
      releaseName,
    )
    .option('--limit <seconds>', 'real time that one run may take in a worker process', positiveNumber, 120)
    .addHelpText(
      'after',
      '\nExit codes: 0 all passed, 1 something did not hold, 2 bad input, 3 a bug of the simulator, 130 interrupted (Ctrl-C, SIGTERM; what was made is reported, a second one ends at once).\nWith GITHUB_ACTIONS=true failures become annotations, and a summary goes to GITHUB_STEP_SUMMARY.',
    )
    .action(async (paths: string[], flags: RunFlags) => {
      process.exitCode = await run(paths, flags, entry);
    });
}

async function run(paths: readonly string[], flags: RunFlags, entry: string): Promise<number> {
  const { scenarios, problems } = await findScenarios(paths);
  if (problems.length > 0) return complain(problems.join('\n\n'));
  const chosen = scenarios.filter(({ scenario }) => flags.filter?.test(scenario.metadata.name) ?? true);
  if (chosen.length === 0)
    return complain(
      `no scenario's name matches ${String(flags.filter)}; there are ${scenarios.map(({ scenario }) => scenario.metadata.name).join(', ')}`,
    );
  const problem = await placeProblem(flags);
  if (problem !== undefined) return complain(problem);
  const startedAt = new Date().toISOString();
  const started = performance.now();
  const progress = new Progress();
  const interruption = listenForInterruption();
  const options = {
    ...flags,
    checksDeterminism: flags.checkDeterminism,
    checksDelta: flags.checkDelta,
    processors: availableParallelism(),
    entry,
    limitMs: flags.limit * 1_000,
    signal: interruption.signal,
    onRecord: (record: RunRecord, done: number, total: number) => progress.show(record, done, total),
  };
  const made = await runAll(chosen, options);
  progress.clear();
  const planned = plannedRuns(chosen, options);
  const isInterrupted = interruption.signal.aborted;
  const summary: RunSummary = {
    startedAt,
    realMs: performance.now() - started,
    command: `kubesim ${process.argv.slice(2).join(' ')}`,
    records: made.map((record) => slim(withCommand(record, flags, scenarios))),
    changes: { newFailures: [], fixed: [], stillFailing: [] },
    ...(isInterrupted && { interrupted: { planned } }),
  };
  await leaveReport(summary, {
    ...flags,
    writeRecording: (record, file) => writeRecording(record, file, chosen),
  });
  interruption.end();
  return isInterrupted ? INTERRUPTED : exitCodeOf(summary.records);
}

function complain(text: string): number {
  process.stderr.write(`${printable(text)}\n`);
  return BAD_INPUT;
}

/** Thousands of seeds that passed need no steps in the report. */
function slim(record: RunRecord): RunRecord {
  return record.verdict === 'passed' && !record.timeline ? { ...record, steps: [] } : record;
}

/** With a report there is a recording; without one, the seed does it. */
function withCommand(
  record: RunRecord,
  { reportDir }: RunFlags,
  scenarios: readonly LoadedScenario[],
): RunRecord {
  if (!record.failure) return record;
  const isAlone = scenarios.filter(({ file }) => file === record.file).length <= 1;
  const filter = isAlone ? '' : ` --filter '^${record.scenario}$'`;
  const command =
    reportDir === undefined
      ? `kubesim run ${record.file}${filter} --seed ${record.seed} --runs 1`
      : `kubesim replay ${recordingFile(reportDir, record)}`;
  return { ...record, failure: { ...record.failure, command } };
}

/** With the text that the scenario had. */
async function writeRecording(
  record: RunRecord,
  file: string,
  scenarios: readonly LoadedScenario[],
): Promise<void> {
  const text = scenarios.find((loaded) => loaded.file === record.file)?.text ?? '';
  const recording = recordingOf(record, text);
  if (recording) await writeFile(file, `${JSON.stringify(recording, undefined, 1)}\n`);
}

/** One line that is written over and over, on a terminal only. */
class Progress {
  readonly #isShown = process.stderr.isTTY ?? false;
  #failures = 0;
  #shownAt = 0;

  show(record: RunRecord, done: number, total: number): void {
    if (record.verdict !== 'passed') this.#failures++;
    const now = performance.now();
    if (!this.#isShown || (now - this.#shownAt < 80 && done < total)) return;
    this.#shownAt = now;
    const failed = this.#failures === 0 ? '' : `, ${this.#failures} failed`;
    process.stderr.write(`\r\u001b[2K${done} of ${total} runs${failed}: ${printable(record.scenario)}`);
  }

  clear(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[2K');
  }
}
