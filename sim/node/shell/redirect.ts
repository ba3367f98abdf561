/** Where commands of a script read and write instead. */
import type { Process } from '../../engine/process.ts';
import { textOfWord, type Values } from './expand.ts';
import type { ShellHost } from './shell-state.ts';
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
      if (!bytes) {
        streams.writeError(`sh: 1: cannot open ${to}: No such file\n`);
        return undefined;
      }
      input = Input.of(new TextDecoder().decode(bytes));
      continue;
    }
    const sink =
      operator === '>&' ? duplicate(from, to, write, writeError) : fileAt(to, operator, host, files);
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

function fileAt(path: string, operator: string, host: ShellHost, files: (() => void)[]): Write {
  if (path === NOWHERE) return () => undefined;
  const output = new Output();
  if (operator === '>>') output.write(host.readFile(path) ?? '');
  files.push(() => {
    const problem = host.writeFile(path, output.bytes);
    if (problem !== undefined) throw new ShellSyntaxError(`cannot create ${path}: ${problem}`);
  });
  return (piece) => output.write(piece);
}
