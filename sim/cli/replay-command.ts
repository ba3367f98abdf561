/** `kubesim replay`: makes a recorded failure happen again. */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { exitCodeOf, formatVirtual } from '../../reports/run-summary.ts';
import { failureText } from '../../reports/summary-text.ts';
import { createClusterWorld } from '../../scenarios/world/cluster-world.ts';
import { executeRun } from '../../scenarios/runner/execute-run.ts';
import { loadScenario } from '../../scenarios/language/load-scenario.ts';
import { formatProblems } from '../../scenarios/language/problem.ts';
import { parseRecording, type Recording } from '../../scenarios/runner/recording.ts';

const BAD_INPUT = 2;

export function replayCommand(): Command {
  return new Command('replay')
    .description('Run a recorded failure again, with the same decisions of chance.')
    .argument('<file>', 'recording that `kubesim run --report-dir` left in `failures/`')
    .option('--current', 'with the scenario file as it is now, instead of as it was')
    .addHelpText(
      'after',
      '\nExit codes: as of `kubesim run`; 0 means that the failure does not happen any more.',
    )
    .action(async (file: string, flags: { readonly current?: boolean }) => {
      process.exitCode = await replay(file, flags.current ?? false);
    });
}

async function replay(file: string, isCurrent: boolean): Promise<number> {
  const recording = await readRecording(file);
  if (typeof recording === 'string') return complain(`${file}: ${recording}`);
  const text = isCurrent ? await readFile(recording.file, 'utf8').catch(() => undefined) : recording.text;
  if (text === undefined) return complain(`${recording.file}: the scenario is not there any more`);
  const loaded = loadScenario(recording.file, text, recording.scenario);
  if (loaded.kind === 'invalid') return complain(formatProblems(loaded.problems, loaded.text));
  const { seed, choices, checksDeterminism, failure } = recording;
  const isReplayed = failure.kind !== 'crash' && !checksDeterminism;
  const record = await executeRun(loaded.loaded, {
    seed,
    makeWorld: createClusterWorld,
    checksDeterminism,
    ...(isReplayed && { replay: choices }),
  });
  const hint = isCurrent ? '' : await changeHint(recording);
  if (!record.failure) {
    process.stdout.write(`${record.scenario} (seed ${seed}) passes now: ${failure.property} holds\n${hint}`);
    return 0;
  }
  const isSame = record.failure.property === failure.property && record.failure.line === failure.line;
  const at = `${formatVirtual(failure.at)}${record.failure.at === failure.at ? '' : ` (now at ${formatVirtual(record.failure.at)})`}`;
  process.stdout.write(
    `${failureText(record)}\n\n${isSame ? `the same failure as recorded, at ${at}` : `another failure than recorded, which was: ${failure.property}`}\n${hint}`,
  );
  return exitCodeOf([record]);
}

/** Somebody who has mended the scenario wants to know whether that helped. */
async function changeHint({ file, text }: Recording): Promise<string> {
  const now = await readFile(file, 'utf8').catch(() => text);
  return now === text ? '' : `${file} has changed since: --current runs it as it is now\n`;
}

async function readRecording(file: string): Promise<Recording | string> {
  try {
    return parseRecording(await readFile(file, 'utf8'));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return BAD_INPUT;
}
