/**
 * Bugs that nobody thought of: places drawn over rooms of the program, and one small mechanical change at each. What the
 * shipped search finds of them says more than any list that was written by whoever wrote the search. Some change nothing
 * that can be seen; nobody can tell those from the others but a reader.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../attack/random.ts';
import type { Planted } from './planting.ts';

interface Change {
  readonly what: string;
  /** The line after it; undefined: it does not apply there. */
  readonly apply: (line: string) => string | undefined;
}

const swapping = (from: RegExp, to: string): ((line: string) => string | undefined) => {
  return (line) => (from.test(line) ? line.replace(from, to) : undefined);
};

/** Statements that stand on one line and declare nothing, nor are fields of a class. */
const STATEMENTS = [
  /^\s+(?:yield\* |void )?\w[\w.#[\]?]*\(.*\);$/,
  /^\s+(?:if \(.*\) )?(?:continue|return);$/,
  /^\s+delete .+;$/,
  /^(?:\s+\w+[.[][^=]*|\s{4,}\w+) [+-]?= .+;$/,
];

const CHANGES: readonly Change[] = [
  { what: 'left out', apply: (line) => (STATEMENTS.some((form) => form.test(line)) ? '' : undefined) },
  {
    what: 'condition turned',
    apply: swapping(/^(\s+(?:\} else )?if )\((.+)\)( \{| return.*;| continue;)$/, '$1(!($2))$3'),
  },
  {
    what: 'condition never',
    apply: swapping(/^(\s+(?:\} else )?if )\((.+)\)( \{| return.*;| continue;)$/, '$1(false)$3'),
  },
  { what: 'and for or', apply: swapping(/ \|\| /, ' && ') },
  { what: 'or for and', apply: swapping(/ && /, ' || ') },
  { what: 'equal for different', apply: swapping(/ !== /, ' === ') },
  { what: 'different for equal', apply: swapping(/ === /, ' !== ') },
  { what: 'bound moved', apply: swapping(/ < /, ' <= ') },
  { what: 'bound moved', apply: swapping(/ > /, ' >= ') },
  { what: 'bound moved', apply: swapping(/ >= /, ' > ') },
  { what: 'bound moved', apply: swapping(/ <= /, ' < ') },
  { what: 'one less', apply: swapping(/ \+ 1\b/, '') },
  { what: 'no more for true', apply: swapping(/\btrue\b/, 'false') },
  { what: 'true for false', apply: swapping(/\bfalse\b/, 'true') },
];

export interface Mechanical extends Planted {
  readonly name: string;
  readonly about: string;
}

/** So many of them, each at a place of its own. `rooms`: folders from the top of the project. */
export function mechanicalMutants(
  root: string,
  rooms: readonly string[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Mechanical[] {
  const files = rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
    )
    .filter((file) => /\.ts$/.test(file) && !/\.(?:test|fixture|contract)\.ts$/.test(file))
    .sort();
  const lines = files.flatMap((file) => placesOf(file, readFileSync(join(root, file), 'utf8')));
  const random = new Random(seed);
  const drawn: Mechanical[] = [];
  while (drawn.length < count && lines.length > 0) {
    const [place] = lines.splice(random.below(lines.length), 1);
    if (place) drawn.push(random.pick(place));
  }
  return drawn;
}

/** For each line that can be changed, the ways to. */
function placesOf(file: string, text: string): readonly (readonly Mechanical[])[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (/^\s*(?:\/?\*|\/\/|import |export |type |interface |\| )/.test(line)) return [];
    const found = unique(text, lines, at);
    if (!found) return [];
    const ways = CHANGES.flatMap(({ what, apply }) => {
      const changed = apply(line);
      if (changed === undefined) return [];
      const replace = `${found.slice(0, found.length - line.length)}${changed}`;
      return [{ name: `${file}:${at + 1}`, about: `${what}: ${line.trim()}`, file, find: found, replace }];
    });
    return ways.length > 0 ? [ways] : [];
  });
}

/** The line, with as many before it as it takes to be there once. */
function unique(text: string, lines: readonly string[], at: number): string | undefined {
  for (let from = at; from >= 0 && from > at - 8; from--) {
    const part = lines.slice(from, at + 1).join('\n');
    if (text.split(part).length === 2) return part;
  }
  return undefined;
}
