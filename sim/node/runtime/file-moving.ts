/** `mv`, `rm` and `touch` of simulated containers, for single files, and `find`. */
import type { Process } from '../../engine/process.ts';
import { fitsSource, globSource } from '../shell/glob.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { filesOf, isDirectory, removeFile, resolved, writeFile } from './file-programs.ts';

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

/** `rm [-f] file…`. */
export function* rm(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  const isForced = words.some((word) => isOption(word) && word.includes('f'));
  let exitCode = 0;
  for (const path of words.filter(isPath)) {
    const isThere = filesOf(place).has(resolved(path));
    const problem = isThere ? removeFile(place, path) : isForced ? undefined : 'No such file or directory';
    if (problem === undefined) continue;
    streams.writeError(`rm: cannot remove '${path}': ${problem}\n`);
    exitCode = 1;
  }
  return exitCode;
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
