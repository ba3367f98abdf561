/** `grep`, `wc`, `awk`, `head`, `tail` and `seq` of simulated containers: over files, or what they are given to read. */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { goPattern } from '../../api/go-pattern.ts';
import { unescaped } from '../shell/builtins.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { allOf, readFile } from './file-programs.ts';

const USAGE_EXIT = 2;

/** `grep [-qivEF] [-e] pattern [file…]`. */
export function* grep(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const flags = words.filter((word) => /^-[a-zA-Z]+$/.test(word)).join('');
  const [pattern, ...paths] = words.filter((word) => !/^-[a-zA-Z]+$/.test(word));
  if (pattern === undefined) {
    streams.writeError('Usage: grep [-qivEF] PATTERN [FILE]...\n');
    return USAGE_EXIT;
  }
  const texts = yield* textsOf('grep', paths, streams, place);
  if (!texts) return USAGE_EXIT;
  const fits = matcherOf(pattern, flags);
  const lines = texts
    .flatMap((text) => text.replace(/\n$/, '').split('\n'))
    .filter((line) => fits(line) !== flags.includes('v'));
  if (!flags.includes('q')) for (const line of lines) streams.write(`${line}\n`);
  return lines.length > 0 ? 0 : 1;
}

/** Of files, or of what comes; undefined: one is not there, which was told. */
function* textsOf(
  program: string,
  paths: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<readonly string[] | undefined> {
  const all = yield* contentsOf(program, paths, streams, place);
  return all?.map((bytes) => new TextDecoder().decode(bytes));
}

function* contentsOf(
  program: string,
  paths: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<readonly Uint8Array[] | undefined> {
  if (paths.length === 0) return [yield* allOf(streams)];
  const all: Uint8Array[] = [];
  for (const path of paths) {
    const bytes = path === '/dev/null' ? new Uint8Array() : readFile(place, path);
    if (typeof bytes === 'string') {
      streams.writeError(`${program}: ${path}: ${bytes}\n`);
      return undefined;
    }
    all.push(bytes);
  }
  return all;
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const isFlag = (word: string): boolean => /^-[a-zA-Z0-9]/.test(word);

/** A process of its own that does what nobody knows runs on. */
export function* notModelled(what: string, streams: CommandStreams, { own }: CommandPlace): Process<number> {
  if (own) return yield* own.park();
  streams.writeError(`not modelled: ${what}\n`);
  return USAGE_EXIT;
}

/** `wc [-lwc] [file…]`: of each file a line, with its name. */
export function* wc(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  const flags = words.filter(isFlag).join('');
  if (!/^(-[lwc]+)*$/.test(flags)) return yield* notModelled(`wc ${flags}`, streams, place);
  const paths = words.filter((word) => !isFlag(word));
  const all = yield* contentsOf('wc', paths, streams, place);
  if (!all) return 1;
  const isAll = flags === '';
  for (const [index, bytes] of all.entries()) {
    const text = new TextDecoder().decode(bytes);
    const counts: number[] = [];
    if (isAll || flags.includes('l')) counts.push(text.split('\n').length - 1);
    if (isAll || flags.includes('w')) counts.push(text.split(/\s+/).filter((word) => word !== '').length);
    if (isAll || flags.includes('c')) counts.push(bytes.length);
    const name = paths[index];
    streams.write(`${counts.join(' ')}${name === undefined ? '' : ` ${name}`}\n`);
  }
  return 0;
}

/** `awk [-F separator] '{print …}' [file…]`: fields and texts, one after the other; a comma is a space. */
export function* awk(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const left = [...words];
  let separator: string | undefined;
  if (left[0]?.startsWith('-F')) {
    const flag = left.shift() ?? '';
    separator = flag.length > 2 ? flag.slice(2) : left.shift();
  }
  const [, printed] = /^\s*\{\s*print\s*(.*?);?\s*\}\s*$/s.exec(left.shift() ?? '') ?? [];
  const parts = printed === undefined ? undefined : partsOfPrint(printed);
  if (!parts) return yield* notModelled('awk: anything but {print …}', streams, place);
  const texts = yield* textsOf('awk', left, streams, place);
  if (!texts) return USAGE_EXIT;
  for (const line of texts.flatMap(linesOf)) {
    const fields = separator === undefined ? line.trim().split(/\s+/) : line.split(separator);
    const shown = parts.map((part) => (typeof part === 'string' ? part : fieldOf(part, line, fields)));
    streams.write(`${shown.join('')}\n`);
  }
  return 0;
}

/** The number of a field, of the last one, or a text. */
type PrintPart = string | { readonly field: number | 'last' };

const fieldOf = ({ field }: Exclude<PrintPart, string>, line: string, fields: readonly string[]): string =>
  field === 0 ? line : ((field === 'last' ? fields.at(-1) : fields[field - 1]) ?? '');

/** Undefined: not all of it is known. */
function partsOfPrint(text: string): readonly PrintPart[] | undefined {
  if (text.trim() === '') return [{ field: 0 }];
  const parts: PrintPart[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [whole, field, quoted, comma] = /^(?:\$(\d+|NF)|"((?:[^"\\]|\\.)*)"|(,))\s*/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    if (field !== undefined) parts.push({ field: field === 'NF' ? 'last' : Number(field) });
    else parts.push(comma === undefined ? unescaped(quoted ?? '') : ' ');
    rest = rest.slice(whole.length);
  }
  return parts;
}

const MOST_NUMBERS = 100_000;

/** `seq [first [step]] last`. */
export function* seq(words: readonly string[], streams: CommandStreams): Process<number> {
  const numbers = words.map(Number);
  const last = numbers.at(-1);
  const first = numbers.length > 1 ? (numbers[0] ?? 1) : 1;
  const step = numbers.length > 2 ? (numbers[1] ?? 1) : 1;
  if (last === undefined || numbers.some((number) => !Number.isFinite(number)) || step === 0) {
    streams.writeError('seq: invalid number\n');
    return 1;
  }
  const shown: string[] = [];
  for (let at = first; step > 0 ? at <= last : at >= last; at += step) {
    shown.push(`${at}\n`);
    if (shown.length > MOST_NUMBERS) break;
  }
  streams.write(shown.join(''));
  return 0;
}

/** `head [-n lines] [file…]`, `tail [-n lines] [file…]`; of one file or what comes `head -c bytes` and `tail -c [+]bytes`. */
export const head: TextProgram = (words, streams, place) => {
  const asked = bytesAsked(words);
  return asked
    ? someBytes('head', asked, { streams, place, take: (bytes, count) => bytes.subarray(0, count) })
    : ends('head', words, { streams, place, take: (lines, count) => lines.slice(0, count) });
};
export const tail: TextProgram = (words, streams, place) => {
  const asked = bytesAsked(words);
  return asked
    ? someBytes('tail', asked, { streams, place, take: lastBytes })
    : follow(words, place, () =>
        ends('tail', words, {
          streams,
          place,
          take: (lines, count) => (count === 0 ? [] : lines.slice(-count)),
        }),
      );
};

const lastBytes = (bytes: Uint8Array, count: number, isFrom: boolean): Uint8Array =>
  bytes.subarray(Math.max(0, isFrom ? count - 1 : bytes.length - count));

interface BytesAsked {
  readonly count: number;
  /** From the `count`-th on, rather than so many. */
  readonly isFrom: boolean;
  readonly path: string | undefined;
}

/** Undefined: it is asked for lines. */
function bytesAsked(words: readonly string[]): BytesAsked | undefined {
  const [, sign = '', digits = '', path] = /^-c ?(\+?)(\d+)(?: ([^-].*))?$/s.exec(words.join(' ')) ?? [];
  return digits === '' ? undefined : { count: Number(digits), isFrom: sign !== '', path };
}

function* someBytes(
  program: string,
  { count, isFrom, path }: BytesAsked,
  {
    streams,
    place,
    take,
  }: {
    readonly streams: CommandStreams;
    readonly place: CommandPlace;
    readonly take: (bytes: Uint8Array, count: number, isFrom: boolean) => Uint8Array;
  },
): Process<number> {
  const [bytes] = (yield* contentsOf(program, path === undefined ? [] : [path], streams, place)) ?? [];
  if (!bytes) return 1;
  streams.write(take(bytes, count, isFrom));
  return 0;
}

type TextProgram = (
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
) => Process<number>;

const USUAL_LINES = 10;
const LONGEST_NAP = milliseconds(86_400_000);

/** With `-f` it goes on without end; what is added later is not shown. */
function* follow(
  words: readonly string[],
  { context }: CommandPlace,
  show: () => Process<number>,
): Process<number> {
  const exitCode = yield* show();
  const isEndless = words.some((word) => /^-[0-9n]*[fF]$/.test(word));
  while (isEndless) yield* context.sleep(LONGEST_NAP);
  return exitCode;
}

function* ends(
  program: string,
  words: readonly string[],
  {
    streams,
    place,
    take,
  }: {
    readonly streams: CommandStreams;
    readonly place: CommandPlace;
    readonly take: (lines: readonly string[], count: number) => readonly string[];
  },
): Process<number> {
  const other = words.find((word) => isFlag(word) && !/^-(n?\d*|[0-9n]*[fF])$/.test(word));
  if (other !== undefined) return yield* notModelled(`${program} ${other}`, streams, place);
  const [, count = String(USUAL_LINES)] = /(?:^| )-n? ?(\d+)(?: |$)/.exec(words.join(' ')) ?? [];
  const at = words.indexOf('-n');
  const paths = words.filter((word, index) => !isFlag(word) && (at < 0 || index !== at + 1));
  const texts = yield* textsOf(program, paths, streams, place);
  if (!texts) return 1;
  for (const text of texts) for (const line of take(linesOf(text), Number(count))) streams.write(`${line}\n`);
  return 0;
}

function matcherOf(pattern: string, flags: string): (line: string) => boolean {
  const isBlind = flags.includes('i');
  const folded = (text: string): string => (isBlind ? text.toLowerCase() : text);
  if (flags.includes('F')) return (line) => folded(line).includes(folded(pattern));
  const expression = goPattern(folded(pattern));
  return (line) => expression.kind === 'pattern' && expression.pattern.test(folded(line));
}
