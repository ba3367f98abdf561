/**
 * Commands that a pod has run in its containers itself: of probes and hooks. Where not all is known that a container does,
 * nobody knows what such a command finds, and it goes well.
 */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { CollectedOutput } from '../runtime/collected-output.ts';
import { runProgram } from '../runtime/container-commands.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import type { CommandAnswer } from '../runtime/workload-behaviour.ts';
import type { PodScope } from './pod-scope.ts';

export interface OwnCommand {
  readonly words: readonly string[];
  readonly running: RuntimeContainer;
  /** Absent: it may take as long as it wants. */
  readonly timeoutSeconds?: number;
}

export type OwnOutcome = Pick<CommandAnswer, 'stdout' | 'stderr'> & {
  readonly exitCode: number;
  /** It did not end in its time. */
  readonly isLate?: true;
};

const MOST_REQUESTS = 100;
const MOST_PROGRAMS = 10_000;

/** Ends a command of which nobody knows what it does. */
class UnknownProgram extends Error {
  override readonly name = 'UnknownProgram';
}

/** Undefined: nobody knows. */
export function* runOwnCommand(
  scope: PodScope,
  { words, running, timeoutSeconds = Infinity }: OwnCommand,
): Process<OwnOutcome | undefined> {
  if (!running.isKnown && !running.behaviour.exec?.[words.join(' ')]) return undefined;
  const { context } = scope;
  const command = attempted(scope, words, running);
  if (timeoutSeconds === Infinity) return yield* command;
  const first = yield* context.race([command, context.sleep(milliseconds(timeoutSeconds * 1_000))]);
  return first.index === 0 ? first.value : { exitCode: -1, isLate: true };
}

function* attempted(
  scope: PodScope,
  words: readonly string[],
  running: RuntimeContainer,
): Process<OwnOutcome | undefined> {
  const { context, runtime, options } = scope;
  const output = new CollectedOutput();
  const place = {
    context,
    runtime,
    network: options.network,
    refreshFiles: (named: readonly string[]) => scope.refreshAside(named),
    container: running,
    process: () => runtime.processOf(running, scope.nowMs),
    own: { requestsLeft: MOST_REQUESTS, programsLeft: MOST_PROGRAMS, park: unknown },
  };
  try {
    const exitCode = yield* runProgram(words, output.streams, place);
    const { stdout, stderr } = output;
    return exitCode === undefined ? undefined : { exitCode, stdout, stderr };
  } catch (error) {
    if (error instanceof UnknownProgram) return undefined;
    throw error;
  }
}

// oxlint-disable-next-line require-yield
function* unknown(): Process<never> {
  throw new UnknownProgram();
}
