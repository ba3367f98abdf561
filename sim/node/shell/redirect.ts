/** Where commands of a script read and write instead. */
import type { Process } from '../../engine/process.ts';
import { textOfWord, type Values } from './expand.ts';
import type { ShellHost, ShellVoice } from './shell-state.ts';
import { Input, Output, type Streams } from './streams.ts';
import { notModelled, type Redirection, ShellSyntaxError } from './syntax.ts';

export interface ShellStreams extends Streams {
  readonly input: Input;
}

export interface Redirected {
  readonly streams: ShellStreams;
  /** Afterwards: what was written becomes files. */
  close(): void;
}

type Write = (piece: string | Uint8Array) => void;

const NOWHERE = '/dev/null';

/** Undefined: a file is not there, which was told. @throws ShellSyntaxError */
export function* redirected(
  redirections: readonly Redirection[],
  streams: ShellStreams,
  values: Values,
  host: ShellHost,
): Process<Redirected | undefined> {
  const files: (() => void)[] = [];
  let { write, writeError, input } = streams;
  for (const { from, operator, target } of redirections) {
    const to = yield* textOfWord(target, values);
    if (operator === '<') {
      const bytes = to === NOWHERE ? new Uint8Array() : host.readFile(to);
      if (!bytes || typeof bytes === 'string') {
        streams.writeError(complaint(host.voice, { verb: 'open', path: to, why: bytes ?? 'No such file' }));
        return undefined;
      }
      input = Input.of(bytes);
      continue;
    }
    const sink =
      operator === '>&' ? duplicate(from, to, write, writeError) : fileAt(to, operator, host, files);
    if (typeof sink === 'string') {
      streams.writeError(complaint(host.voice, { verb: 'create', path: to, why: sink }));
      return undefined;
    }
    if (from === 2) writeError = sink;
    else write = sink;
  }
  const own = input;
  return {
    streams: { write, writeError, input: own, read: () => own.read() },
    close: () => files.forEach((each) => each()),
  };
}

function duplicate(from: number, to: string, write: Write, writeError: (text: string) => void): Write {
  if (to === '1' && from === 2) return write;
  if (to === '2' && from === 1)
    return (piece) => writeError(typeof piece === 'string' ? piece : new TextDecoder().decode(piece));
  throw notModelled(`${from}>&${to}`);
}

interface Complaint {
  readonly verb: 'open' | 'create';
  readonly path: string;
  readonly why: string;
}

const complaint = ({ name, isBusyBox }: ShellVoice, { verb, path, why }: Complaint): string =>
  isBusyBox
    ? `${name}: can't ${verb} ${path}: ${why === 'No such file' ? 'no such file' : why}\n`
    : `${name}: 1: cannot ${verb} ${path}: ${why}\n`;

/** Who adds to a file need not be able to read it. */
function presentIn(path: string, host: ShellHost): Uint8Array | string {
  const bytes = host.readFile(path);
  return bytes === undefined || typeof bytes === 'string' ? '' : bytes;
}

/** It is there as soon as it is opened. A text: why it cannot be written. */
function fileAt(path: string, operator: string, host: ShellHost, files: (() => void)[]): Write | string {
  if (path === NOWHERE) return () => undefined;
  const output = new Output();
  if (operator === '>>') output.write(presentIn(path, host));
  const refusal = host.writeFile(path, output.bytes);
  if (refusal !== undefined) return refusal;
  files.push(() => {
    const problem = host.writeFile(path, output.bytes);
    if (problem !== undefined) throw new ShellSyntaxError(`cannot create ${path}: ${problem}`);
  });
  return (piece) => output.write(piece);
}
