/**
 * Commands in a container (`exec`): what the workload's behaviour answers, or one of a few programs that every image
 * has here. There is no shell but one that runs simple commands, and no files but those of the behaviour and of volumes,
 * `/etc/hostname`, `/proc/1/mem` and what was written; what is missing is told as a container runtime tells it.
 */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { agnhostText } from './agnhost/agnhost-course.ts';
import { isAgnhostImage, isAgnhostProgram } from './agnhost/agnhost-image.ts';
import { mountTest } from './agnhost/mount-test.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import type { ContainerUser, RuntimeContainer } from './container-runtime.ts';
import { isBusyBoxImage } from './image-name.ts';
import { containerEnvironment } from './environment-lines.ts';
import { awk, grep, head, seq, tail, wc } from './text-programs.ts';
import { curl, wget } from './http-programs.ts';
import { dig, getent, nc, nslookup } from './network-programs.ts';
import { hexdump, stat } from './file-inspection.ts';
import { ip, sysctl } from './kernel-programs.ts';
import { base64, tar } from './archive-programs.ts';
import { find, mkdir, mv, rm, touch } from './file-moving.ts';
import { cat, fileAt, filesOf, ls, readFile, tee, test, writeFile } from './file-programs.ts';
import { echoed, sleepSeconds, testOutcome } from '../shell/builtins.ts';
import { invocationOf } from '../shell/invocation.ts';
import { parseScript } from '../shell/parse-script.ts';
import { Shell } from '../shell/shell.ts';
import type { ShellHost } from '../shell/shell-state.ts';
import { Input } from '../shell/streams.ts';
import { IncompleteScript, ShellSyntaxError } from '../shell/syntax.ts';

export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** It was never started; `message` is the runtime's. */
  | { readonly kind: 'not-started'; readonly message: string };

/** `name`: as it was called. */
type Program = (
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
  name: string,
) => Process<number>;

const NOT_FOUND_EXIT = 127;
const USAGE_EXIT = 2;

export function* runCommand(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<CommandEnd> {
  const exitCode = yield* runProgram(words, streams, place);
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

/** Undefined: there is no such program. Of the container's own process nobody can say that: it runs on. */
export function* runProgram(
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
  if (place.own && place.own.programsLeft-- <= 0) return yield* place.own.park();
  place.refreshFiles?.(words);
  const [name = '', ...rest] = words;
  const program = PROGRAMS.get(withoutDirectory(name));
  if (program) return yield* program(rest, streams, place, name);
  const asked = testProgram(words, place);
  if (asked?.[0] === 'mounttest') return yield* mountTest(asked.slice(1), streams, place);
  const text = asked && agnhostText(asked, (path) => fileAt(place, path));
  if (text !== undefined) {
    streams.write(text);
    return 0;
  }
  return place.own ? yield* place.own.park() : undefined;
}

/** Which of the test image's programs it is, and with what; undefined: none. */
function testProgram(
  words: readonly string[],
  { own, container }: CommandPlace,
): readonly string[] | undefined {
  const [name = '', ...rest] = words;
  if (isAgnhostProgram(name)) return rest;
  // The image itself says what runs.
  return own && words === container.command && isAgnhostImage(container.image) ? words : undefined;
}

/** Whether there is such a program in every image, by name or path. */
export const isProgram = (name: string): boolean => PROGRAMS.has(withoutDirectory(name));

const withoutDirectory = (name: string): string => name.replace(/^(\/usr)?\/bin\//, '');

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    true: exitWith(0),
    false: exitWith(1),
    echo: printed(echoed),
    hostname: printed((words, { container }) =>
      words[0] === '-i' ? `${container.podIP ?? ''}\n` : `${container.podName}\n`,
    ),
    pwd: printed(() => '/\n'),
    whoami: printed((_words, { container: { user } }) => (user?.uid ? `${user.uid}\n` : 'root\n')),
    id: printed((words, { container }) => `${identityOf(words, container.user)}\n`),
    date: printed((_words, { context }) => `${dateText(context.wallMs())}\n`),
    env: printed((_words, { container }) =>
      environmentOf(container)
        .map((line) => `${line}\n`)
        .join(''),
    ),
    printenv: printEnvironment,
    sleep,
    base64,
    cat,
    curl,
    dig,
    find,
    grep,
    nc,
    nslookup,
    wget,
    awk,
    getent,
    head,
    hexdump,
    ip,
    seq,
    stat,
    sysctl,
    tail,
    wc,
    ls,
    mkdir,
    mv,
    rm,
    touch,
    tar,
    tee,
    test: tested,
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

const ROOT: ContainerUser = { uid: 0, gid: 0, groups: [] };

/** Of `id`, `id -u`, `id -g`, `id -G`. */
function identityOf([flag]: readonly string[], { uid, gid, groups }: ContainerUser = ROOT): string {
  const all = [...new Set([gid, ...groups])];
  if (flag === '-u') return String(uid);
  if (flag === '-g') return String(gid);
  if (flag === '-G') return all.join(' ');
  const named = (id: number): string => (id === 0 ? '0(root)' : String(id));
  return `uid=${named(uid)} gid=${named(gid)} groups=${all.map(named).join(',')}`;
}

const environmentOf = ({ podName, environment }: RuntimeContainer): readonly string[] =>
  containerEnvironment(podName, environment);

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

const LONGEST_NAP = milliseconds(86_400_000);

function* sleep(
  words: readonly string[],
  streams: CommandStreams,
  { context }: CommandPlace,
): Process<number> {
  const seconds = sleepSeconds(words[0] ?? '');
  while (seconds === Infinity) yield* context.sleep(LONGEST_NAP);
  if (seconds === undefined) {
    streams.writeError(
      words.length === 0 ? 'sleep: missing operand\n' : `sleep: invalid time interval '${words[0] ?? ''}'\n`,
    );
    return 1;
  }
  yield* context.sleep(milliseconds(seconds * 1_000));
  return 0;
}

/** About texts and numbers as the shell has it, about files as the container has them. */
function* tested(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  return testOutcome(words) ?? (yield* test(words, streams, place));
}

/** The shell's view of the container. */
const hostOf = (place: CommandPlace, name: string): ShellHost => ({
  voice: { name, isBusyBox: isBusyBoxImage(place.container.image) },
  run: (words, streams) => runProgram(words, streams, place),
  environment: (name) => valueIn(place.container, name),
  files: () => filesOf(place).keys(),
  readFile: (path) => {
    const bytes = readFile(place, path);
    return bytes === 'No such file or directory' ? undefined : bytes;
  },
  writeFile: (path, bytes) => writeFile(place, path, bytes),
  nowMs: () => place.context.wallMs(),
});

/** `sh -c 'script' name words…`, a script in a file, or commands line by line from standard input. */
function* sh(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
  name: string,
): Process<number> {
  const asked = invocationOf(words);
  const host = hostOf(place, name);
  if (asked.kind === 'session') return yield* session(streams, host);
  const shell = Shell.at(host, asked.given);
  if (asked.kind === 'script') return yield* ran(shell, asked.text, streams);
  const file = readFile(place, asked.path);
  if (typeof file !== 'string') return yield* ran(shell, FROM_TEXT.decode(file), streams);
  streams.writeError(`sh: 0: cannot open ${asked.path}: ${file.replace(' or directory', '')}\n`);
  return NOT_FOUND_EXIT;
}

const FROM_TEXT = new TextDecoder();

function* ran(shell: Shell, script: string, streams: CommandStreams): Process<number> {
  try {
    yield* shell.run(parseScript(script), streams);
    return shell.exitCode;
  } catch (error) {
    return told(error, streams);
  }
}

function told(error: unknown, streams: CommandStreams): number {
  if (!(error instanceof ShellSyntaxError)) throw error;
  streams.writeError(`sh: 1: ${error.message}\n`);
  return USAGE_EXIT;
}

/** What a shell asks with for the next command, and for more of it. */
const PROMPTS = { command: '# ', more: '> ' };

/** A command may take several lines; what it reads itself are the lines behind it. */
function* session(streams: CommandStreams, host: ShellHost): Process<number> {
  const input = new Input(() => streams.read());
  const own: CommandStreams = {
    write: (output) => streams.write(output),
    writeError: (text) => streams.writeError(text),
    read: () => input.read(),
  };
  const shell = Shell.at(host);
  let typed = '';
  for (;;) {
    if (streams.isTerminal === true) streams.write(typed === '' ? PROMPTS.command : PROMPTS.more);
    const line = yield* input.line();
    const isLast = line === undefined;
    if (!isLast) typed += `${line}\n`;
    try {
      const script = parseScript(typed);
      typed = '';
      if (yield* shell.run(script, own, input)) return shell.exitCode;
    } catch (error) {
      if (!(error instanceof IncompleteScript) || isLast) return told(error, streams);
    }
    if (isLast) return shell.exitCode;
  }
}
