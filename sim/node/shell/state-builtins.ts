/** What the shell does itself. Undefined: it is no command of its own, but maybe a program. */
import type { Process } from '../../engine/process.ts';
import { echoed, formatted, testOutcome } from './builtins.ts';
import type { ShellStreams } from './redirect.ts';
import type { End, ShellState } from './shell-state.ts';
import { notModelled } from './syntax.ts';

const USAGE_EXIT = 2;
const DONE: End = { exitCode: 0 };
/** What a shell would do itself and this one does not is no missing program. */
const UNKNOWN: ReadonlySet<string> = new Set(
  'cd source . exec alias ulimit umask kill jobs fg bg getopts command type'.split(' '),
);

export function* builtin(
  state: ShellState,
  [name = '', ...words]: readonly string[],
  streams: ShellStreams,
): Process<End | undefined> {
  if (UNKNOWN.has(name)) throw notModelled(name);
  switch (name) {
    case ':':
    case 'trap':
    case 'wait':
      return DONE;
    case 'exit':
      return { exitCode: codeOf(words[0], state), leaves: { what: 'script', levels: 0 } };
    case 'return':
      return { exitCode: codeOf(words[0], state), leaves: { what: 'function', levels: 0 } };
    case 'break':
    case 'continue': {
      const what = name === 'break' ? 'loop' : 'round';
      // There is nothing to leave beyond the outermost loop.
      const levels = Math.min(state.loops, Math.max(1, Number(words[0] ?? 1)));
      return levels === 0 ? DONE : { exitCode: 0, leaves: { what, levels } };
    }
    case 'read':
      return yield* readLine(state, words, streams);
    case 'printf':
      streams.write(formatted(words));
      return DONE;
    case 'echo':
      streams.write(echoed(words));
      return DONE;
    case '[':
    case 'test':
      return yield* tested(state, [name, ...words], streams);
    case '[[':
      return yield* tested(state, ['test', ...simpleTest(words)], streams);
    default:
      return ofVariables(state, name, words);
  }
}

function ofVariables(state: ShellState, name: string, words: readonly string[]): End | undefined {
  switch (name) {
    case 'export':
    case 'local':
    case 'readonly':
      for (const word of words) {
        const equals = word.indexOf('=');
        if (equals > 0) state.variables.set(word.slice(0, equals), word.slice(equals + 1));
      }
      return DONE;
    case 'unset':
      for (const variable of words) state.variables.delete(variable);
      return DONE;
    case 'set':
      if (words[0] === '--') state.given = words.slice(1);
      for (const word of words) if (/^[-+]\w*e/.test(word)) state.endsOnFailure = word.startsWith('-');
      return DONE;
    case 'shift':
      state.given = state.given.slice(Number(words[0] ?? 1));
      return DONE;
    default:
      return undefined;
  }
}

const codeOf = (text: string | undefined, { exitCode }: ShellState): number =>
  Number(text ?? exitCode) & 0xff;

function* readLine(
  { variables }: ShellState,
  words: readonly string[],
  { input }: ShellStreams,
): Process<End> {
  const names = words.filter((word) => !word.startsWith('-'));
  const line = yield* input.line();
  let rest = (line ?? '').trim();
  for (const [index, name] of names.entries()) {
    // The last one has all that is left, as it is.
    const [piece = ''] = index === names.length - 1 ? [rest] : (/^[^ \t]*/.exec(rest) ?? []);
    variables.set(name, piece);
    rest = rest.slice(piece.length).trimStart();
  }
  return { exitCode: line === undefined ? 1 : 0 };
}

const MOST_WORDS = 3;

/** Of `[[ … ]]` what `test` can do as well: neither patterns nor several tests in one. */
function simpleTest(words: readonly string[]): readonly string[] {
  const asked = words.slice(0, -1);
  const bare = asked[0] === '!' ? asked.slice(1) : asked;
  const isSimple = words.at(-1) === ']]' && bare.length <= MOST_WORDS && testOutcome(bare) !== USAGE_EXIT;
  if (!isSimple || /[*?[]/.test(bare[2] ?? '')) throw notModelled('[[');
  return asked;
}

function* tested(
  { host }: ShellState,
  [name, ...words]: readonly string[],
  streams: ShellStreams,
): Process<End> {
  if (name === '[' && words.at(-1) !== ']') {
    streams.writeError('sh: 1: [: missing ]\n');
    return { exitCode: USAGE_EXIT };
  }
  const asked = name === '[' ? words.slice(0, -1) : words;
  const exitCode = testOutcome(asked);
  if (exitCode !== undefined) return { exitCode };
  const isNegated = asked[0] === '!';
  const known = (yield* host.run(['test', ...(isNegated ? asked.slice(1) : asked)], streams)) ?? USAGE_EXIT;
  return { exitCode: isNegated && known < USAGE_EXIT ? 1 - known : known };
}
