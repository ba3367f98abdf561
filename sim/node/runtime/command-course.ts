/**
 * What becomes of a container by its `command` and `args`, where the built-in shell and a few programs do all of it: what
 * it writes, when, and how it ends. Otherwise undefined: it just runs, as images do. A loop that does the same again and
 * again does so for ever; of one that never ends and differs from round to round only the beginning is written. What the
 * workload's behaviour says of the same counts instead. What asks others over the network is known only once it has run. Pure.
 */
import type { Process } from '../../engine/process.ts';
import { courseOfAgnhost } from './agnhost/agnhost-course.ts';
import { isAgnhostProgram } from './agnhost/agnhost-image.ts';
import type { CommandCourse, CourseFiles } from './course.ts';
import { isProgram } from './container-commands.ts';
import { containerEnvironment } from './environment-lines.ts';
import { READ_ONLY, resolved } from './file-programs.ts';
import { echoed, formatted, sleepSeconds, testOutcome } from '../shell/builtins.ts';
import { invocationOf } from '../shell/invocation.ts';
import { parseScript } from '../shell/parse-script.ts';
import { Shell } from '../shell/shell.ts';
import type { ShellHost, ShellVoice } from '../shell/shell-state.ts';
import type { Streams } from '../shell/streams.ts';
import { ShellSyntaxError } from '../shell/syntax.ts';
import type { LogEntry, WorkloadBehaviour } from './workload-behaviour.ts';

const NO_FILES: CourseFiles = {
  at: () => undefined,
  knows: () => false,
  isDirectory: () => false,
  isReadOnly: () => false,
  mayRead: () => true,
};

/** What a container does by its command, unless its behaviour says itself what is written or how it ends. */
export function courseOfContainer(
  behaviour: WorkloadBehaviour,
  words: readonly string[],
  surroundings: CourseSurroundings,
): CommandCourse | undefined {
  const saysItself =
    behaviour.runsForSeconds !== undefined ||
    behaviour.exitCode !== undefined ||
    behaviour.logs !== undefined;
  const { files = NO_FILES, hasInput = false, isTestImage } = surroundings;
  if (saysItself) return undefined;
  const [program = '', ...rest] = isTestImage ? [TEST_PROGRAM, ...words] : words;
  if (isAgnhostProgram(program)) return courseOfAgnhost(program, rest, files);
  if (words.length === 0) return undefined;
  return hasInput ? OPEN : courseOf(words, surroundings);
}

/** What the test image runs. */
const TEST_PROGRAM = '/agnhost';

export interface CourseSurroundings {
  /** `NAME=value`. Default: nothing. */
  readonly environment?: readonly string[];
  /** Default: none. */
  readonly hostname?: string;
  /** Default: nothing is known of any. */
  readonly files?: CourseFiles;
  /** Somebody may type something: what becomes of it is known once it has run. */
  readonly hasInput?: boolean;
  /** Default: no shell of BusyBox. */
  readonly isBusyBox?: boolean;
  /** There is nothing in the image but a shell and its programs. */
  readonly isShellImage?: boolean;
  /** The words are those of a program in Kubernetes' test image. */
  readonly isTestImage?: boolean;
}

/** Undefined: not all of it is known. */
export function courseOf(
  words: readonly string[],
  surroundings: CourseSurroundings = {},
): CommandCourse | undefined {
  const course = new Course(surroundings);
  try {
    return course.ended(finished(course.run(words)));
  } catch (error) {
    if (error instanceof Endless) return course.endless(error.period);
    if (error instanceof NotKnown && isOpen(error, words, surroundings.isShellImage)) return OPEN;
    if (error instanceof NotKnown || error instanceof ShellSyntaxError) return undefined;
    throw error;
  }
}

const OPEN: CommandCourse = { isOpen: true, logs: [] };

/** Nothing in a course waits. */
function finished<T>(process: Process<T>): T {
  const step = process.next();
  if (!step.done) throw new NotKnown();
  return step.value;
}

class NotKnown extends Error {
  override readonly name = 'NotKnown';
  readonly program: string | undefined;

  /** Absent: nobody knows more when it runs. */
  constructor(program?: string) {
    super();
    this.program = program;
  }
}

/** Files after a while: others may have changed them, and others see them change. */
const LATER = '';
/** Those that ask others, and one that takes away what others may have left. */
const ASKS = /\b(curl|dig|find|getent|nc|nslookup|wget)\b/;

/** Of an image that has more than a shell nobody knows the files: there only what asks others is run. */
function isOpen({ program }: NotKnown, words: readonly string[], isShellImage = false): boolean {
  if (program === undefined) return false;
  if (isShellImage && program === LATER) return true;
  return isProgram(program) && (isShellImage || words.some((word) => ASKS.test(word)));
}

/** `period`: it does the same again, from one line on. */
class Endless extends Error {
  override readonly name = 'Endless';
  readonly period: { readonly from: number; readonly seconds: number } | undefined;

  constructor(period?: Endless['period']) {
    super();
    this.period = period;
  }
}

const MOST_LINES = 500;
const MOST_ROUNDS = 500;
const DIRECTORY = /^(\/usr)?\/bin\//;

interface Round {
  readonly seconds: number;
  /** How many lines there were. */
  readonly lines: number;
  readonly knows: string;
}

class Course implements ShellHost {
  readonly #environment: ReadonlyMap<string, string>;
  readonly #logs: LogEntry[] = [];
  /** Two at the most. */
  #lastRounds: readonly Round[] = [];
  #rounds = 0;
  readonly #open = { stdout: '', stderr: '' };
  readonly #files: CourseFiles;
  readonly #writes = new Map<string, Uint8Array | undefined>();
  readonly #lines: readonly string[];
  readonly #hostname: string;
  readonly #isBusyBox: boolean;
  #shellName = 'sh';
  #seconds = 0;

  constructor({ environment = [], hostname = '', files = NO_FILES, isBusyBox = false }: CourseSurroundings) {
    this.#files = files;
    this.#isBusyBox = isBusyBox;
    this.#lines = environment;
    this.#hostname = hostname;
    this.#environment = new Map(
      environment.map((line) => {
        const equals = line.indexOf('=');
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    );
  }

  ended(exitCode: number): CommandCourse {
    for (const stream of ['stdout', 'stderr'] as const) this.#writeRest(stream);
    return { logs: this.#logs, runsForSeconds: this.#seconds, exitCode, ...this.#written() };
  }

  endless(period: Endless['period']): CommandCourse {
    const logs = this.#logs.map((entry, index) =>
      period && index >= period.from ? { ...entry, everySeconds: period.seconds } : entry,
    );
    return { logs, ...this.#written() };
  }

  #written(): Pick<CommandCourse, 'writes'> {
    return this.#writes.size > 0 ? { writes: this.#writes } : {};
  }

  get voice(): ShellVoice {
    return { name: this.#shellName, isBusyBox: this.#isBusyBox };
  }

  environment(name: string): string | undefined {
    return this.#environment.get(name);
  }

  /** Only at once: later somebody else may have changed it. */
  readFile(given: string): Uint8Array | undefined {
    const path = resolved(given);
    if (this.#seconds > 0) throw new NotKnown(LATER);
    if (this.#writes.has(path)) return this.#writes.get(path);
    const bytes = this.#files.at(path);
    if (!bytes && !this.#files.knows(path)) throw new NotKnown();
    if (!this.#files.mayRead(path)) throw new NotKnown(LATER);
    return bytes;
  }

  writeFile(path: string, bytes: Uint8Array): string | undefined {
    if (this.#files.isReadOnly(resolved(path))) return READ_ONLY;
    this.#keep(path, bytes);
    return undefined;
  }

  #keep(path: string, bytes: Uint8Array | undefined): void {
    if (this.#seconds > 0) throw new NotKnown(LATER);
    this.#writes.set(resolved(path), bytes);
  }

  nowMs(): number {
    return this.#seconds * 1_000;
  }

  roundBegins(knows: readonly unknown[]): void {
    const round: Round = {
      seconds: this.#seconds,
      lines: this.#logs.length,
      knows: JSON.stringify([knows, this.#open]),
    };
    const [first, second] = this.#lastRounds;
    if (first && second && this.#isAgain(first, second, round)) throw this.#again(second, round);
    this.#lastRounds = second ? [second, round] : [...this.#lastRounds, round];
    if (++this.#rounds > MOST_ROUNDS) throw new Endless();
  }

  #again({ lines, seconds }: Round, end: Round): Endless {
    this.#logs.length = end.lines;
    return new Endless({ from: lines, seconds: end.seconds - seconds });
  }

  /** Whether two rounds, one after the other, took as long and did the same. */
  #isAgain(first: Round, second: Round, third: Round): boolean {
    const took = second.seconds - first.seconds;
    if (took <= 0 || Math.abs(third.seconds - second.seconds - took) > 1e-9) return false;
    if (first.knows !== second.knows || second.knows !== third.knows) return false;
    const said = (from: Round, to: Round): string =>
      JSON.stringify(
        this.#logs
          .slice(from.lines, to.lines)
          .map(({ text, stream, afterSeconds = 0 }) => [
            text,
            stream,
            (afterSeconds - from.seconds).toFixed(6),
          ]),
      );
    return said(first, second) === said(second, third);
  }

  *run([name = '', ...words]: readonly string[], streams: Streams = this.#own): Process<number> {
    const program = name.replace(DIRECTORY, '');
    if (/^(ba|a|da)?sh$/.test(program)) return yield* this.#shell(name, words, streams);
    switch (program) {
      case 'true':
        return 0;
      case 'false':
        return 1;
      case 'echo':
        streams.write(echoed(words));
        return 0;
      case 'printf':
        streams.write(formatted(words));
        return 0;
      case 'sleep':
        return this.#sleep(words);
      case 'tail':
        if (words.some((word) => /^-[0-9n]*[fF]$/.test(word))) throw new Endless();
        throw new NotKnown(program);
      case 'test': {
        const [operator = '', path = ''] = words;
        return testOutcome(words) ?? this.#testFile(operator, path);
      }
      case 'env':
        if (words.length > 0) throw new NotKnown();
        for (const line of containerEnvironment(this.#hostname, this.#lines)) streams.write(`${line}\n`);
        return 0;
      case 'touch':
        for (const path of words) this.#touch(path);
        return 0;
      case 'cat':
        if (words.length === 0) throw new NotKnown();
        for (const path of words) this.#show(path, streams);
        return 0;
      default:
        throw new NotKnown(program);
    }
  }

  /** What nobody leads elsewhere is written to the log; nobody types anything. */
  get #own(): Streams {
    return {
      write: (piece) =>
        this.#write(typeof piece === 'string' ? piece : new TextDecoder().decode(piece), 'stdout'),
      writeError: (text) => this.#write(text, 'stderr'),
      *read() {
        return undefined;
      },
    };
  }

  #testFile(operator: string, path: string): number {
    if (!/^-[defr]$/.test(operator)) throw new NotKnown();
    if (this.#seconds > 0) throw new NotKnown(LATER);
    if (this.#files.isDirectory(resolved(path))) return operator === '-f' ? 1 : 0;
    return this.readFile(path) && operator !== '-d' ? 0 : 1;
  }

  #touch(path: string): void {
    if (path.startsWith('-')) throw new NotKnown();
    if (this.#files.isReadOnly(resolved(path))) throw new NotKnown('touch');
    if (!this.readFile(path)) this.#keep(path, new Uint8Array());
  }

  /** What it says of one that is missing goes by its image. */
  #show(path: string, streams: Streams): void {
    const bytes = path.startsWith('-') ? undefined : this.readFile(path);
    if (!bytes) throw new NotKnown();
    streams.write(bytes);
  }

  *#shell(name: string, words: readonly string[], streams: Streams): Process<number> {
    this.#shellName = name;
    const asked = invocationOf(words);
    if (asked.kind !== 'script') throw new NotKnown();
    const shell = Shell.at(this, asked.given);
    const script = parseScript(asked.text);
    yield* shell.run(script, streams);
    return shell.exitCode;
  }

  /** It has no end. */
  #writeRest(stream: 'stdout' | 'stderr'): void {
    const text = this.#open[stream];
    if (text === '') return;
    const entry = { text, afterSeconds: this.#seconds, isPartial: true as const };
    this.#logs.push(stream === 'stderr' ? { ...entry, stream } : entry);
  }

  /** A line is written when it ends. */
  #write(text: string, stream: 'stdout' | 'stderr'): void {
    const lines = `${this.#open[stream]}${text}`.split('\n');
    this.#open[stream] = lines.pop() ?? '';
    for (const line of lines)
      this.#logs.push({
        text: line,
        afterSeconds: this.#seconds,
        ...(stream === 'stderr' && { stream }),
      });
    if (this.#logs.length > MOST_LINES) throw new Endless();
  }

  #sleep([text = '', ...more]: readonly string[]): number {
    const seconds = sleepSeconds(text);
    if (seconds === undefined || more.length > 0) throw new NotKnown();
    if (seconds === Infinity) throw new Endless();
    this.#seconds += seconds;
    return 0;
  }
}
