/** `mkdir`, `mv`, `rm` and `touch` of simulated containers, and `find`. Files are moved one by one. */
import type { Process } from '../../engine/process.ts';
import { fitsSource, globSource } from '../shell/glob.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import {
  below,
  filesOf,
  isDirectory,
  makeDirectory,
  removeFile,
  resolved,
  writeFile,
} from './file-programs.ts';

const isOption = (word: string): boolean => word.startsWith('-');
const isPath = (word: string): boolean => !isOption(word);

/** `mv [-v] file target`: into a directory, or to another name. */
export function* mv(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  const [source = '', target = ''] = words.filter(isPath);
  const files = filesOf(place);
  const from = resolved(source);
  const bytes = files.get(from);
  if (!bytes) {
    streams.writeError(`mv: cannot stat '${source}': No such file or directory\n`);
    return 1;
  }
  // The last file of a directory may just have left it.
  const isInto = target.endsWith('/') || isDirectory(place, files, resolved(target));
  const name = from.slice(from.lastIndexOf('/') + 1);
  const shown = isInto ? `${target.replace(/\/$/, '')}/${name}` : target;
  const problem =
    writeFile(place, shown, bytes) ?? (resolved(shown) === from ? undefined : removeFile(place, from));
  if (problem !== undefined) {
    streams.writeError(`mv: cannot move '${source}' to '${shown}': ${problem}\n`);
    return 1;
  }
  if (words.some((word) => isOption(word) && word.includes('v')))
    streams.write(`renamed '${source}' -> '${shown}'\n`);
  return 0;
}

/** `mkdir [-p] directory…`: with `-p` those above it as well, and it may be there. */
export function* mkdir(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const isLenient = words.some((word) => /^(-p|--parents)$/.test(word));
  let exitCode = 0;
  for (const path of words.filter(isPath)) {
    const problem = madeProblem(place, path, isLenient);
    if (problem === undefined) continue;
    streams.writeError(`mkdir: cannot create directory '${path}': ${problem}\n`);
    exitCode = 1;
  }
  return exitCode;
}

function madeProblem(place: CommandPlace, path: string, isLenient: boolean): string | undefined {
  const whole = resolved(path);
  const files = filesOf(place);
  const isFolder = isDirectory(place, files, whole);
  if (isFolder || files.has(whole)) return isFolder && isLenient ? undefined : 'File exists';
  const above = resolved(`${whole}/..`);
  return isLenient || isDirectory(place, files, above) ? makeDirectory(place, whole) : NOT_THERE;
}

/** `rm [-rf] path…`: directories with `-r` alone. */
export function* rm(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  const has = (flags: RegExp): boolean => words.some((word) => isOption(word) && flags.test(word));
  const [isForced, isDeep] = [has(/f/), has(/[rR]/)];
  let exitCode = 0;
  for (const path of words.filter(isPath)) {
    const problem = removalProblem(place, path, isDeep);
    if (problem === undefined || (isForced && problem === NOT_THERE)) continue;
    streams.writeError(`rm: cannot remove '${path}': ${problem}\n`);
    exitCode = 1;
  }
  return exitCode;
}

const NOT_THERE = 'No such file or directory';

/** Undefined: it was taken away. */
function removalProblem(place: CommandPlace, path: string, isDeep: boolean): string | undefined {
  const whole = resolved(path);
  const files = filesOf(place);
  if (files.has(whole)) return removeFile(place, whole);
  if (!isDirectory(place, files, whole)) return NOT_THERE;
  return isDeep ? removeTree(place, files, whole) : 'Is a directory';
}

/** Undefined: nothing is left in it. */
function removeTree(
  place: CommandPlace,
  files: ReadonlyMap<string, unknown>,
  path: string,
): string | undefined {
  const { container, runtime } = place;
  const isIn = (each: string): boolean => each === path || each.startsWith(below(path));
  for (const made of [...runtime.written.directoriesOf(container.id)].filter(isIn))
    runtime.written.removeDirectory(container.id, made);
  for (const file of [...files.keys()].filter(isIn)) {
    const problem = removeFile(place, file);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `touch file…`: empty ones where there is none. */
export function* touch(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  let exitCode = 0;
  for (const path of words.filter(isPath)) {
    const problem = filesOf(place).has(resolved(path)) ? undefined : writeFile(place, path, new Uint8Array());
    if (problem === undefined) continue;
    streams.writeError(`touch: cannot touch '${path}': ${problem}\n`);
    exitCode = 1;
  }
  return exitCode;
}

/** `find directory… [-mindepth n] [-type f] [-name pattern] [-delete]`: files, as there are no directories without. */
export function* find(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const isDeleting = words.includes('-delete');
  const at = words.indexOf('-name');
  const pattern = at < 0 ? undefined : globSource(words[at + 1] ?? '');
  const first = words.findIndex(isOption);
  const roots = first < 0 ? words : words.slice(0, first);
  let exitCode = 0;
  for (const root of roots.length === 0 ? ['.'] : roots) {
    const whole = resolved(root);
    const files = filesOf(place);
    if (!files.has(whole) && !isDirectory(place, files, whole)) {
      streams.writeError(`find: ${root}: No such file or directory\n`);
      exitCode = 1;
    }
    const below = whole === '/' ? whole : `${whole}/`;
    for (const path of [...files.keys()].sort()) {
      if (path !== whole && !path.startsWith(below)) continue;
      if (pattern !== undefined && !fitsSource(path.slice(path.lastIndexOf('/') + 1), pattern)) continue;
      const problem = isDeleting ? removeFile(place, path) : undefined;
      if (problem !== undefined) {
        streams.writeError(`find: ${path}: ${problem}\n`);
        exitCode = 1;
      } else if (!isDeleting) streams.write(`${root.replace(/\/$/, '')}${path.slice(below.length - 1)}\n`);
    }
  }
  return exitCode;
}
