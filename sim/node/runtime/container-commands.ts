/**
 * Commands in a container (`exec`): what the workload's behaviour answers, or one of a few programs that every image
 * has here. There is no shell but one that runs simple commands, and no files but those of the behaviour,
 * `/etc/hostname`, `/proc/1/mem` and what was written; what is missing is told as a container runtime tells it.
 */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import type { RuntimeContainer } from './container-runtime.ts';
import { cat, ls, tar, tee, test } from './file-programs.ts';
import { assignmentOf, expanded, parseShell, ShellSyntaxError, type ShellCommand } from './shell-words.ts';

export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** It was never started; `message` is the runtime's. */
  | { readonly kind: 'not-started'; readonly message: string };

type Program = (words: readonly string[], streams: CommandStreams, place: CommandPlace) => Process<number>;

const NOT_FOUND_EXIT = 127;
const USAGE_EXIT = 2;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function* runCommand(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<CommandEnd> {
  const exitCode = yield* attempt(words, streams, place);
  if (exitCode !== undefined) return { kind: 'exited', exitCode };
  const id = place.context.site('exec ids').hex(64);
  const program = JSON.stringify(words[0] ?? '');
  const isPath = words[0]?.includes('/') === true;
  const why = isPath
    ? `exec: ${program}: stat ${words[0] ?? ''}: no such file or directory`
    : `exec: ${program}: executable file not found in $PATH`;
  const message = `failed to exec in container: failed to start exec "${id}": OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown`;
  return { kind: 'not-started', message };
}

/** Undefined: there is no such program. */
function* attempt(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number | undefined> {
  const answer = place.container.behaviour.exec?.[words.join(' ')];
  if (answer) {
    const { stdout = '', stderr = '', exitCode = 0, seconds: takes = 0 } = answer;
    if (takes > 0) yield* place.context.sleep(milliseconds(takes * 1_000));
    if (stdout !== '') streams.write(stdout);
    if (stderr !== '') streams.writeError(stderr);
    return exitCode;
  }
  const [name = '', ...rest] = words;
  const program = PROGRAMS.get(name.replace(/^(\/usr)?\/bin\//, ''));
  return program && (yield* program(rest, streams, place));
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    true: exitWith(0),
    false: exitWith(1),
    echo: printed((words) => (words[0] === '-n' ? words.slice(1).join(' ') : `${words.join(' ')}\n`)),
    hostname: printed((_words, { container }) => `${container.podName}\n`),
    pwd: printed(() => '/\n'),
    whoami: printed(() => 'root\n'),
    id: printed(() => 'uid=0(root) gid=0(root) groups=0(root)\n'),
    date: printed((_words, { context }) => `${dateText(context.wallMs())}\n`),
    env: printed((_words, { container }) =>
      environmentOf(container)
        .map((line) => `${line}\n`)
        .join(''),
    ),
    printenv: printEnvironment,
    sleep,
    cat,
    ls,
    tar,
    tee,
    test,
    sh,
    bash: sh,
  } satisfies Record<string, Program>),
);

function exitWith(exitCode: number): Program {
  return function* (): Process<number> {
    return exitCode;
  };
}

function printed(text: (words: readonly string[], place: CommandPlace) => string): Program {
  return function* (words, streams, place): Process<number> {
    streams.write(text(words, place));
    return 0;
  };
}

function environmentOf({ podName, environment }: RuntimeContainer): readonly string[] {
  return [`PATH=${PATH}`, `HOSTNAME=${podName}`, ...environment, 'HOME=/root'];
}

function* printEnvironment(
  words: readonly string[],
  streams: CommandStreams,
  { container }: CommandPlace,
): Process<number> {
  const lines = environmentOf(container);
  if (words.length === 0) streams.write(lines.map((line) => `${line}\n`).join(''));
  const found = words.map((name) => valueIn(container, name));
  for (const value of found) if (value !== undefined) streams.write(`${value}\n`);
  return found.includes(undefined) ? 1 : 0;
}

/** The last setting of a variable counts. */
const valueIn = (container: RuntimeContainer, name: string): string | undefined =>
  environmentOf(container)
    .findLast((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** `Mon Jan 15 10:00:00 UTC 2025`. */
function dateText(wallMs: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(wallMs)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} UTC ${year}`;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  '': 1_000,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function* sleep(
  words: readonly string[],
  streams: CommandStreams,
  { context }: CommandPlace,
): Process<number> {
  const match = /^([0-9]+(?:\.[0-9]+)?)([smhd]?)$/.exec(words[0] ?? '');
  if (!match) {
    streams.writeError(
      words.length === 0 ? 'sleep: missing operand\n' : `sleep: invalid time interval '${words[0] ?? ''}'\n`,
    );
    return 1;
  }
  yield* context.sleep(milliseconds(Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 0)));
  return 0;
}

const FROM_TEXT = new TextDecoder();

/** `sh -c 'a && b; c'`, or commands line by line from standard input. */
function* sh(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  if (words[0] === '-c')
    return (yield* runScript(words[1] ?? '', streams, { place, variables: new Map() })).exitCode;
  if (words.length > 0) {
    streams.writeError(`sh: 0: cannot open ${words[0] ?? ''}: No such file\n`);
    return NOT_FOUND_EXIT;
  }
  let exitCode = 0;
  const session: ShellSession = { place, variables: new Map() };
  let typed = '';
  for (;;) {
    const bytes = yield* streams.read();
    typed += bytes ? FROM_TEXT.decode(bytes).replaceAll('\r', '\n') : '\n';
    const end = typed.indexOf(END_OF_INPUT);
    const lines = (end < 0 ? typed : `${typed.slice(0, end)}\n`).split('\n');
    typed = lines.pop() ?? '';
    for (const line of lines) {
      const result = yield* runScript(line, streams, session, exitCode);
      ({ exitCode } = result);
      if (result.isLast) return exitCode;
    }
    if (!bytes || end >= 0) return exitCode;
  }
}

/** Ctrl-D on a terminal. */
const END_OF_INPUT = '\x04';

interface ScriptResult {
  readonly exitCode: number;
  /** It said `exit`. */
  readonly isLast: boolean;
}

/** What one shell remembers from line to line. */
interface ShellSession {
  readonly place: CommandPlace;
  readonly variables: Map<string, string>;
}

function* runScript(
  script: string,
  streams: CommandStreams,
  session: ShellSession,
  before = 0,
): Process<ScriptResult> {
  let commands: readonly ShellCommand[];
  try {
    commands = parseShell(script);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    streams.writeError(`sh: 1: ${error.message}\n`);
    return { exitCode: USAGE_EXIT, isLast: true };
  }
  const { place, variables } = session;
  let exitCode = before;
  /** What the command before has written into a pipe. */
  let piped: string[] | undefined;
  let isSkipped = false;
  for (const { words: parts, when, isPiped } of commands) {
    const valueOf = (name: string): string =>
      name === '?' ? String(exitCode) : (variables.get(name) ?? valueIn(place.container, name) ?? '');
    // A pipe is run or left out as a whole.
    if (piped === undefined)
      isSkipped = (when === 'succeeded' && exitCode !== 0) || (when === 'failed' && exitCode === 0);
    const input = piped;
    piped = isPiped ? [] : undefined;
    if (isSkipped) continue;
    const assignments = parts.map(assignmentOf);
    if (assignments.every((each) => each !== undefined)) {
      for (const { name, value } of assignments) variables.set(name, expanded([value], valueOf).join(''));
      exitCode = 0;
      continue;
    }
    const words = expanded(parts, valueOf);
    if (words.length === 0) continue;
    if (words[0] === 'exit') return { exitCode: Number(words[1] ?? exitCode) & 0xff, isLast: true };
    const done = yield* attempt(words, throughPipes(streams, input, piped), place);
    if (done === undefined) streams.writeError(`sh: 1: ${words[0] ?? ''}: not found\n`);
    exitCode = done ?? NOT_FOUND_EXIT;
  }
  return { exitCode, isLast: false };
}

const TO_BYTES = new TextEncoder();

/** Commands of a pipe run one after the other: the next one reads what the one before has written. */
function throughPipes(
  streams: CommandStreams,
  input: readonly string[] | undefined,
  output: string[] | undefined,
): CommandStreams {
  let rest: Uint8Array | undefined = input && TO_BYTES.encode(input.join(''));
  return {
    write: (piece) => {
      if (output) output.push(typeof piece === 'string' ? piece : FROM_TEXT.decode(piece));
      else streams.write(piece);
    },
    writeError: (piece) => streams.writeError(piece),
    *read(): Process<Uint8Array | undefined> {
      if (input === undefined) return yield* streams.read();
      const piece = rest;
      rest = undefined;
      return piece && piece.length > 0 ? piece : undefined;
    },
  };
}
