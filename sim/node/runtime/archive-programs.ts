/**
 * `tar` and `base64` of simulated containers, as clients have them that copy files into containers and out of them
 * (`kubectl cp`, the Java clients). What is made smaller (`tar cz`) is not made smaller here, but is in that form.
 */
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeBase64, encodeBase64 } from '../../api/codec/base64.ts';
import type { Process } from '../../engine/process.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { allOf, below, filesOf, readFile, resolved, writeFile } from './file-programs.ts';
import { USUAL_FILE_MODE } from './file-tree.ts';
import { gzipped } from './gzip.ts';
import { packTar, unpackTar } from './tar-archive.ts';

const USAGE_EXIT = 2;
const VERSION = 'tar (GNU tar) 1.34\n';

/** `tar c[z]f archive path…`, `tar xf archive`, each with `-C directory`; the archive is `-` where none is named. */
export function* tar(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  if (words.includes('--version')) {
    streams.write(VERSION);
    return 0;
  }
  const asked = tarAsked(words);
  if (!asked) {
    streams.writeError(`not modelled: tar ${words.join(' ')}\n`);
    return USAGE_EXIT;
  }
  return asked.mode === 'x' ? yield* extract(asked, streams, place) : create(asked, streams, place);
}

interface TarAsked {
  readonly mode: 'c' | 'x';
  /** `-`: what is read or written. */
  readonly archive: string;
  readonly directory: string;
  readonly paths: readonly string[];
  readonly isZipped: boolean;
}

/** Say whose files are, or when they were changed: all here are root's, as far as archives tell, and of now. */
const COUNT_FOR_NOTHING = /^--(no-)?(same-owner|same-permissions|preserve-permissions)$/;
const LETTERS_FOR_NOTHING = 'hkmopPv';

/** Undefined: not all of it is known here. */
function tarAsked(words: readonly string[]): TarAsked | undefined {
  const left = words.filter((word) => !COUNT_FOR_NOTHING.test(word));
  // The first word needs no dash.
  if (left[0]?.startsWith('-') === false) left[0] = `-${left[0]}`;
  let [mode, archive, directory, isZipped]: [TarAsked['mode'] | undefined, string, string, boolean] = [
    undefined,
    '-',
    '/',
    false,
  ];
  const paths: string[] = [];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!/^-./.test(word)) paths.push(word);
    else
      for (const letter of word.slice(1)) {
        if (letter === 'c' || letter === 'x') mode = letter;
        else if (letter === 'f') archive = left.shift() ?? '-';
        else if (letter === 'C') directory = left.shift() ?? '/';
        else if (letter === 'z') isZipped = true;
        else if (!LETTERS_FOR_NOTHING.includes(letter)) return undefined;
      }
  }
  const isOther = mode === 'x' && (isZipped || paths.length > 0);
  return mode === undefined || isOther ? undefined : { mode, archive, directory, paths, isZipped };
}

function create(
  { archive, directory, paths, isZipped }: TarAsked,
  streams: CommandStreams,
  place: CommandPlace,
): number {
  const files = filesOf(place);
  const wanted = new Set<string>();
  let exitCode = 0;
  for (const path of paths) {
    const whole = resolved(path, directory);
    const found = [...files.keys()].filter((file) => file === whole || file.startsWith(below(whole)));
    for (const file of found) wanted.add(file);
    if (found.length > 0) continue;
    streams.writeError(`tar: ${path}: Cannot stat: No such file or directory\n`);
    exitCode = USAGE_EXIT;
  }
  const base = paths.every((path) => path.startsWith('/')) ? '/' : below(resolved(directory));
  const entries = [...wanted].sort().map((path) => ({
    name: path.startsWith(base) ? path.slice(base.length) : path.slice(1),
    bytes: files.get(path) ?? new Uint8Array(),
    mode: USUAL_FILE_MODE,
  }));
  const packed = packTar(entries, Math.floor(place.context.wallMs() / 1_000));
  const bytes = isZipped ? gzipped(packed) : packed;
  if (archive === '-') streams.write(bytes);
  else {
    const problem = writeFile(place, archive, bytes);
    if (problem !== undefined) return refused(streams, `${archive}: Cannot open: ${problem}`);
  }
  return exitCode;
}

function* extract(
  { archive, directory }: TarAsked,
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const bytes = archive === '-' ? yield* allOf(streams) : readFile(place, archive);
  if (typeof bytes === 'string') return refused(streams, `${archive}: Cannot open: ${bytes}`);
  const entries = unpackTar(bytes);
  if (!entries) return refused(streams, 'This does not look like a tar archive');
  let exitCode = 0;
  for (const { name, bytes: content } of entries) {
    const path = resolved(name.replace(/^\/+/, ''), resolved(directory));
    const problem = writeFile(place, path, content);
    if (problem !== undefined) exitCode = refused(streams, `${name}: Cannot open: ${problem}`);
  }
  return exitCode;
}

function refused(streams: CommandStreams, why: string): number {
  streams.writeError(`tar: ${why}\n`);
  return USAGE_EXIT;
}

const LINE_LENGTH = 76;

/** `base64 [-d] [-w columns] [file]`. */
export function* base64(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const at = words.findIndex((word) => /^(-w|--wrap=)/.test(word));
  const wrap = at < 0 ? `${LINE_LENGTH}` : words[at]?.replace(/^(-w|--wrap=)/, '') || (words[at + 1] ?? '');
  const columns = /^\d{1,9}$/.test(wrap) ? Number(wrap) : undefined;
  if (columns === undefined) {
    streams.writeError(`base64: invalid wrap size: '${wrap}'\n`);
    return 1;
  }
  const isReversed = words.some((word) => /^(-d|-D|--decode)$/.test(word));
  const [path] = words.filter((word, index) => !/^-./.test(word) && !(words[index - 1] === '-w'));
  const bytes = path === undefined || path === '-' ? yield* allOf(streams) : readFile(place, path);
  if (typeof bytes === 'string') {
    streams.writeError(`base64: ${path}: ${bytes}\n`);
    return 1;
  }
  if (isReversed) return decoded(bytes, streams);
  const text = encodeBase64(bytes);
  const lines = columns > 0 ? text.replaceAll(new RegExp(`.{1,${columns}}`, 'g'), '$&\n') : text;
  streams.write(lines);
  return 0;
}

function decoded(bytes: Uint8Array, streams: CommandStreams): number {
  try {
    streams.write(decodeBase64(new TextDecoder().decode(bytes)));
    return 0;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    streams.writeError('base64: invalid input\n');
    return 1;
  }
}
