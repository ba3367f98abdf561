/**
 * `/exec`, `/attach` and `/run` of a node agent: commands in a container, and what it writes, as streams. The caller
 * gets the outcome as a Status on the error channel. Specification: not shown (Kubernetes 1.31).
 */
import { append } from '../../api/append.ts';
import { CHANNEL, streamFailure } from '../../api/stream-frame.ts';
import type { Process } from '../../engine/process.ts';
import { type AgentAnswer, type AgentCall, allOf, firstOf } from './agent-port.ts';
import { type AgentOutcome, type AgentStream, statusBytes, type StreamEnds } from './agent-stream.ts';
import type { AgentView } from './agent-view.ts';
import { newOutput, untilEnded } from './container-following.ts';
import { CollectedOutput } from '../runtime/collected-output.ts';
import type { CommandStreams } from '../runtime/command-place.ts';
import type { ContainerConsole } from '../runtime/container-console.ts';
import { type CommandEnd, runCommand } from '../runtime/container-commands.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { Terminal } from '../runtime/terminal.ts';
import { TOO_MUCH_UNREAD } from '../runtime/typed-bytes.ts';

const TEXT = new TextEncoder();
const FROM_TEXT = new TextDecoder();
/** Of a command whose container ends. */
const KILLED: CommandEnd = { kind: 'exited', exitCode: 137 };
const NO_POD: AgentAnswer = { status: 404, body: 'pod does not exist' };
const NO_STREAMS: AgentAnswer = {
  status: 400,
  body: 'you must specify at least 1 of stdin, stdout, stderr',
};
const NO_UPGRADE: AgentAnswer = { status: 500, body: 'Upgrade request required\n' };

interface Wishes {
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly hasErrors: boolean;
  readonly isTerminal: boolean;
}

export function execOf(view: AgentView, segments: readonly string[], call: AgentCall): AgentOutcome {
  const words = allOf(call.query, 'command');
  return streamOf(view, segments, call, (container, wishes) => ({
    kind: 'stream',
    outlivesCaller: true,
    *run(ends): Process<void> {
      const end = yield* runIn(view, container, words, commandStreams(ends, wishes));
      ends.send(CHANNEL.error, statusBytes(statusOf(end, words)));
    },
  }));
}

export function attachOf(view: AgentView, segments: readonly string[], call: AgentCall): AgentOutcome {
  return streamOf(view, segments, call, (container, wishes) => ({
    kind: 'stream',
    *run(ends): Process<void> {
      const { console } = container;
      const problem = console && (yield* attachedTo(console, view, container, { ends, wishes }));
      if (!console) yield* shownLines(view, container, commandStreams(ends, wishes));
      ends.send(CHANNEL.error, statusBytes(problem === undefined ? SUCCESS : streamFailure(problem)));
    },
  }));
}

function* shownLines(view: AgentView, container: RuntimeContainer, streams: CommandStreams): Process<void> {
  yield* newOutput(view, container, (lines) => {
    for (const { stream, text } of lines)
      if (stream === 'stdout') streams.write(`${text}\n`);
      else streams.writeError(`${text}\n`);
    return true;
  });
}

/** What is typed goes to the container's own process, and all that this writes is shown, until it ends. Answers why not so long. */
function* attachedTo(
  console: ContainerConsole,
  view: AgentView,
  { id }: RuntimeContainer,
  { ends, wishes }: { readonly ends: StreamEnds; readonly wishes: Wishes },
): Process<string | undefined> {
  const streams = commandStreams(ends, wishes);
  const detach = console.attach((piece, stream) =>
    stream === 'stdout' ? streams.write(piece) : streams.writeError(textOf(piece)),
  );
  function* typing(): Process<string | undefined> {
    for (let bytes = yield* ends.read(); bytes; bytes = yield* ends.read())
      if (!console.type(bytes)) return TOO_MUCH_UNREAD;
    console.leave();
    yield* untilEnded(view, id);
    return undefined;
  }
  try {
    const ways = [untilEnded(view, id), ...(wishes.hasInput ? [typing()] : [])];
    const { value } = yield* view.context.race(ways);
    return value ?? undefined;
  } finally {
    detach();
    if (wishes.hasInput) console.leave();
  }
}

/** A command with one answer: what it has written; 500 when it fails. */
export function* runOf(
  view: AgentView,
  segments: readonly string[],
  { query }: AgentCall,
): Process<AgentAnswer> {
  const found = containerOf(view, segments);
  if ('status' in found) return found;
  const words = (firstOf(query, 'cmd') ?? '').split(' ');
  const output = new CollectedOutput();
  const end = yield* runIn(view, found, words, output.streams);
  if (end.kind === 'not-started') return { status: 500, body: end.message };
  if (end.exitCode === 0)
    return { status: 200, body: output.stdout + output.stderr, contentType: 'application/json' };
  return {
    status: 500,
    body: `command '${words.join(' ')}' exited with ${end.exitCode}: ${output.stderr}`,
  };
}

function streamOf(
  view: AgentView,
  segments: readonly string[],
  call: AgentCall,
  make: (container: RuntimeContainer, wishes: Wishes) => AgentStream,
): AgentOutcome {
  const isAsked = (name: string): boolean => firstOf(call.query, name) === '1';
  const isTerminal = isAsked('tty');
  const wishes = {
    hasInput: isAsked('input'),
    hasOutput: isAsked('output'),
    // A terminal has one output for both.
    hasErrors: isAsked('error') && !isTerminal,
    isTerminal,
  };
  if (!wishes.hasInput && !wishes.hasOutput && !wishes.hasErrors) return NO_STREAMS;
  const found = containerOf(view, segments);
  if ('status' in found) return found;
  return call.upgrades === true ? make(found, wishes) : NO_UPGRADE;
}

/** `namespace/pod/container` or `namespace/pod/uid/container`, where it runs. */
function containerOf(view: AgentView, segments: readonly string[]): RuntimeContainer | AgentAnswer {
  const [namespace = '', pod = '', uidOrName = '', last] = segments;
  const [uid, name] = last === undefined ? [undefined, uidOrName] : [uidOrName, last];
  const worker = view.find(namespace, pod);
  if (!worker) return NO_POD;
  const isOfPod = uid === undefined || worker.pod.metadata.uid === uid;
  const container = isOfPod ? worker.containerOf(name) : undefined;
  if (container && view.runtime.fateOf(container.id, view.runtimeMs).kind === 'running') return container;
  return { status: 500, body: `container not found (${JSON.stringify(name)})` };
}

const textOf = (output: string | Uint8Array): string =>
  typeof output === 'string' ? output : FROM_TEXT.decode(output);

const bytesOf = (output: string | Uint8Array): Uint8Array =>
  typeof output === 'string' ? TEXT.encode(output) : output;

/** A terminal goes back to the left for each line. */
const onTerminal = (output: string | Uint8Array): Uint8Array =>
  TEXT.encode(textOf(output).replaceAll('\n', '\r\n'));

function commandStreams(ends: StreamEnds, wishes: Wishes): CommandStreams {
  const { send } = ends;
  const { hasInput, hasOutput, hasErrors, isTerminal } = wishes;
  const write = (output: string | Uint8Array): void => {
    if (hasOutput) send(CHANNEL.stdout, isTerminal ? onTerminal(output) : bytesOf(output));
  };
  return {
    write,
    writeError: (text) => {
      if (isTerminal) write(text);
      else if (hasErrors) send(CHANNEL.stderr, TEXT.encode(text));
    },
    isTerminal,
    read: !hasInput ? noInput : isTerminal ? linesOf(ends, new Terminal(write)) : () => ends.read(),
  };
}

function* noInput(): Process<undefined> {
  return undefined;
}

/** Of what is typed on a terminal a command gets line by line. */
function linesOf(ends: StreamEnds, terminal: Terminal): () => Process<Uint8Array | undefined> {
  const lines: (Uint8Array | undefined)[] = [];
  return function* () {
    while (lines.length === 0) {
      const bytes = yield* ends.read();
      append(lines, bytes ? terminal.type(bytes) : [undefined]);
    }
    return lines.shift();
  };
}

/** A command ends with its container. */
function* runIn(
  view: AgentView,
  container: RuntimeContainer,
  words: readonly string[],
  streams: CommandStreams,
): Process<CommandEnd> {
  const { context, runtime } = view;
  yield* runtime.answer(context);
  if (container.mounts) yield* view.refreshFiles(container.podUid);
  const first = yield* context.race([
    runCommand(words, streams, {
      context,
      container,
      runtime,
      process: () => runtime.processOf(container, view.runtimeMs),
      network: view.network,
    }),
    untilEnded(view, container.id),
  ]);
  return first.index === 0 ? first.value : KILLED;
}

const SUCCESS = { metadata: {}, status: 'Success' };

function statusOf(end: CommandEnd, words: readonly string[]): object {
  if (end.kind === 'not-started')
    return streamFailure(`error executing command in container: ${end.message}`);
  if (end.exitCode === 0) return SUCCESS;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: error executing command [${words.join(' ')}], exit code ${end.exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(end.exitCode) }] },
  };
}
