/** `kubesim replay`: makes a recorded failure happen again. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { exitCodeOf, formatVirtual } from '../../reports/run-summary.ts';
import { failureText } from '../../reports/summary-text.ts';
import { parseDuration } from '../../scenarios/language/duration.ts';
import type { Past, Stop } from '../../scenarios/runner/going-back.ts';
import { createClusterWorld } from '../../scenarios/world/cluster-world.ts';
import { executeRun } from '../../scenarios/runner/execute-run.ts';
import { loadScenario } from '../../scenarios/language/load-scenario.ts';
import { formatProblems } from '../../scenarios/language/problem.ts';
import { parseRecording, type Recording } from '../../scenarios/runner/recording.ts';
import { BadCommand, PROMPT_HELP, ReplayPrompt } from './replay-prompt.ts';
import { parseStop, STOP_FORMS } from './stop-expression.ts';
import { systemReason } from './start-problem.ts';

const BAD_INPUT = 2;

export function replayCommand(): Command {
  return new Command('replay')
    .description('Run a recorded failure again, with the same decisions of chance.')
    .argument('<file>', 'recording that `kubesim run --report-dir` left in `failures/`')
    .option('--current', 'with the scenario file as it is now, instead of as it was')
    .option('--until <time>', 'stand still at this instant of virtual time, such as 12.5s, to be looked at')
    .option('--break <what>', `stand still right after the first such moment: ${STOP_FORMS}`)
    .addHelpText(
      'after',
      `\nWith --until or --break, commands are read: from a prompt on a terminal, else from standard input, one a line. Without any, what there is is printed.\n\n${PROMPT_HELP}\n`,
    )
    .addHelpText(
      'after',
      '\nExit codes: as of `kubesim run`; 0 means that the failure does not happen any more.',
    )
    .action(async (file: string, flags: ReplayFlags) => {
      process.exitCode = await replay(file, flags);
    });
}

interface ReplayFlags {
  readonly current?: boolean;
  readonly until?: string;
  readonly break?: string;
}

async function replay(file: string, { current: isCurrent = false, ...stops }: ReplayFlags): Promise<number> {
  const stop = stopOf(stops);
  if (typeof stop === 'string') return complain(stop);
  const recording = await readRecording(file);
  if (typeof recording === 'string') return complain(`${file}: ${recording}`);
  const text = isCurrent ? await readFile(recording.file, 'utf8').catch(() => undefined) : recording.text;
  if (text === undefined) return complain(`${recording.file}: the scenario is not there any more`);
  const loaded = loadScenario(recording.file, text, recording.scenario);
  if (loaded.kind === 'invalid') return complain(formatProblems(loaded.problems, loaded.text));
  const { seed, choices, checksDeterminism, failure } = recording;
  const isReplayed = failure.kind !== 'crash' && !checksDeterminism;
  if (stop) {
    const past = { loaded: loaded.loaded, seed, makeWorld: createClusterWorld };
    return standStill({ ...past, replay: isReplayed ? choices : undefined }, stop);
  }
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

/** Undefined: it is to run to its end. A text: what is wrong. */
function stopOf({ until, break: moment }: Omit<ReplayFlags, 'current'>): Stop | string | undefined {
  if (until === undefined && moment === undefined) return undefined;
  const instant = until === undefined ? undefined : parseDuration(until);
  if (until !== undefined && instant === undefined)
    return `--until ${until}: expected a time such as 12.5s or 1m30s`;
  const parsed = moment === undefined ? undefined : parseStop(moment);
  if (parsed?.kind === 'wrong') return `--break '${moment ?? ''}': ${parsed.message}`;
  return { until: instant, when: parsed?.moment };
}

async function standStill(past: Past, stop: Stop): Promise<number> {
  const prompt = await ReplayPrompt.at(past, stop);
  try {
    if (stop.when && prompt.isOver) process.stdout.write('there is no such moment in this run\n');
    return await converse(prompt);
  } finally {
    prompt.close();
  }
}

/** Whoever types is told what was wrong and goes on; a script ends there. */
async function converse(prompt: ReplayPrompt): Promise<number> {
  const isTyped = process.stdin.isTTY;
  const lines = createInterface({
    input: process.stdin,
    ...(isTyped && { output: process.stdout, prompt: 'kubesim> ' }),
  });
  let asked = 0;
  try {
    if (isTyped) {
      process.stdout.write(`${prompt.place}; \`help\` tells what can be asked\n`);
      lines.prompt();
    }
    for await (const line of lines) {
      if (line.trim() !== '' && !line.startsWith('#')) {
        asked++;
        try {
          const answer = await prompt.answer(line);
          if (answer === undefined) break;
          process.stdout.write(`${answer}\n`);
        } catch (error) {
          if (!(error instanceof BadCommand)) throw error;
          if (!isTyped) return complain(error.message);
          process.stdout.write(`${error.message}\n`);
        }
      }
      if (isTyped) lines.prompt();
    }
  } finally {
    lines.close();
  }
  if (asked === 0 && !isTyped) process.stdout.write(`${prompt.whole()}\n`);
  return 0;
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
    return systemReason(error);
  }
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return BAD_INPUT;
}
