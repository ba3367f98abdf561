/** `grep` of simulated containers: over what it is given to read. */
import type { Process } from '../../engine/process.ts';
import { goPattern } from '../../api/go-pattern.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { filesOf, resolved } from './file-programs.ts';

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
  const texts: string[] = [];
  for (const path of paths) {
    const bytes = filesOf(place).get(resolved(path));
    if (!bytes) {
      streams.writeError(`grep: ${path}: No such file or directory\n`);
      return USAGE_EXIT;
    }
    texts.push(new TextDecoder().decode(bytes));
  }
  if (paths.length === 0) texts.push(yield* allOf(streams));
  const fits = matcherOf(pattern, flags);
  const lines = texts
    .flatMap((text) => text.replace(/\n$/, '').split('\n'))
    .filter((line) => fits(line) !== flags.includes('v'));
  if (!flags.includes('q')) for (const line of lines) streams.write(`${line}\n`);
  return lines.length > 0 ? 0 : 1;
}

function matcherOf(pattern: string, flags: string): (line: string) => boolean {
  const isBlind = flags.includes('i');
  const folded = (text: string): string => (isBlind ? text.toLowerCase() : text);
  if (flags.includes('F')) return (line) => folded(line).includes(folded(pattern));
  const expression = goPattern(folded(pattern));
  return (line) => expression.kind === 'pattern' && expression.pattern.test(folded(line));
}

function* allOf(streams: CommandStreams): Process<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = yield* streams.read(); bytes; bytes = yield* streams.read())
    text += decoder.decode(bytes, { stream: true });
  return text;
}
