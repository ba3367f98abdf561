/**
 * The process of a container whose command asks others, or reads what is typed: it runs, and the container ends with it.
 * A program that nobody knows here runs for ever, as a container does whose command is not known, and so does one that has
 * gone round very often, without doing anything more. Where the agent begins
 * anew the process does too, for what it had asked for is lost.
 */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import type { Stream } from './container-console.ts';
import { runProgram } from './container-commands.ts';

/** Who asks so often puts load on a server, and nothing else is to be learnt from it. */
const MOST_REQUESTS = 1_000;
/** Who goes round so often does the same again and again; what it writes only grows. */
const MOST_PROGRAMS = 20_000;
/** What is longer is written as several lines. */
const LONGEST_LINE = 2 ** 20;
const LONGEST_NAP = milliseconds(86_400_000);

export type ProcessPlace = Omit<CommandPlace, 'own'>;

export function* runProcess(place: ProcessPlace): Process<void> {
  const { runtime, container, context } = place;
  container.written?.clear();
  const output = new LineOutput(place);
  const own = { requestsLeft: MOST_REQUESTS, programsLeft: MOST_PROGRAMS, park };
  const exitCode = yield* runProgram(container.command, output.streams, { ...place, own });
  output.end();
  runtime.exit(container, context.now() / 1_000, exitCode ?? 0);

  function* park(): Process<never> {
    for (;;) yield* context.sleep(LONGEST_NAP);
  }
}

/** Cuts what is written into lines. */
class LineOutput {
  readonly #place: ProcessPlace;
  readonly #open = { stdout: '', stderr: '' };

  constructor(place: ProcessPlace) {
    this.#place = place;
  }

  get streams(): CommandStreams {
    const { console } = this.#place.container;
    const write = (piece: string | Uint8Array, stream: Stream): void => {
      console?.show(piece, stream);
      this.#write(typeof piece === 'string' ? piece : new TextDecoder().decode(piece), stream);
    };
    return {
      write: (piece) => write(piece, 'stdout'),
      writeError: (text) => write(text, console?.isTerminal === true ? 'stdout' : 'stderr'),
      isTerminal: console?.isTerminal === true,
      *read() {
        return console && (yield* console.read());
      },
    };
  }

  /** What is left has no end. */
  end(): void {
    const { runtime, container, context } = this.#place;
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.#open[stream];
      if (text !== '') runtime.write(container, context.now() / 1_000, { text, stream, isPartial: true });
    }
  }

  #write(text: string, stream: Stream): void {
    const [first = '', ...others] = text.split('\n');
    const lines = [`${this.#open[stream]}${first}`, ...others];
    const isOver = (lines.at(-1)?.length ?? 0) > LONGEST_LINE;
    this.#open[stream] = isOver ? '' : (lines.pop() ?? '');
    const { runtime, container, context } = this.#place;
    for (const line of lines) runtime.write(container, context.now() / 1_000, { text: line, stream });
  }
}
