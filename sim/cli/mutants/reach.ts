/**
 * Which runs execute which lines: recorded once on the right program, so that a hunt begins with what comes by the place
 * that was changed. A line that no run comes by is not known here, and neither is one of a file that has changed since.
 */
import { createHash } from 'node:crypto';

export interface RecordedRun {
  readonly name: string;
  readonly seed: number;
  /** Of the processor. */
  readonly ms: number;
}

export interface Reach {
  readonly runs: readonly RecordedRun[];
  /** Numbers of runs; lines that the same ones come by share one. */
  readonly sets: readonly (readonly number[])[];
  readonly files: Readonly<Record<string, FileReach>>;
}

interface FileReach {
  readonly digest: string;
  /** Of each line that anybody comes by, which set. */
  readonly lines: Readonly<Record<number, number>>;
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Lines of a statement stand below the one that it begins on. */
const LINES_OF_A_STATEMENT = 8;

/** Undefined: nobody comes by, or nothing is known of the file as it is. */
export function runsBy(
  reach: Reach,
  { file, line }: Place,
  text: string,
): readonly RecordedRun[] | undefined {
  const known = reach.files[file];
  if (!known || known.digest !== digestOf(text)) return undefined;
  for (let at = line; at > Math.max(0, line - LINES_OF_A_STATEMENT); at--) {
    const set = known.lines[at];
    if (set === undefined) continue;
    return (reach.sets[set] ?? []).flatMap((number) => reach.runs[number] ?? []);
  }
  return undefined;
}

/** `lines`: of each run, as `file:line`. */
export function reachOf(
  recorded: readonly (RecordedRun & { readonly lines: Iterable<string> })[],
  textOf: (file: string) => string,
): Reach {
  const numbers = new Map<string, number[]>();
  for (const [number, { lines }] of recorded.entries())
    for (const line of lines) {
      const own = numbers.get(line);
      if (own) own.push(number);
      else numbers.set(line, [number]);
    }
  const sets: (readonly number[])[] = [];
  const places = new Map<string, number>();
  const files: Record<string, { digest: string; lines: Record<number, number> }> = {};
  for (const [line, set] of [...numbers].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const key = set.join();
    const place = places.get(key) ?? sets.push(set) - 1;
    places.set(key, place);
    const [file = '', number = '0'] = line.split(':');
    (files[file] ??= { digest: digestOf(textOf(file)), lines: {} }).lines[Number(number)] = place;
  }
  return { runs: recorded.map(({ name, seed, ms }) => ({ name, seed, ms })), sets, files };
}
