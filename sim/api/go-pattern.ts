/**
 * Regular expressions in Go's syntax, run by an engine that never backtracks. Compiling one takes time by its size, as
 * repetitions are written out: beyond a bound that a real server has not it is refused in Go's words for a higher one.
 * Those compiled last are kept, for schemas and rules ask for the same ones with every object.
 */
import { RE2JS } from 're2js';

/** Characters, and about how many instructions they come to: far more than any pattern of a definition in use has. */
const LONGEST = 10_000;
const MOST_WEIGHT = 50_000;
/** Of all patterns that are kept. */
const MOST_WEIGHT_KEPT = 1_000_000;
/** What it costs to keep the smallest. */
const KEEPING = 100;
const LONGEST_SHOWN = 100;

export type GoPattern =
  | { readonly kind: 'pattern'; readonly pattern: RE2JS }
  /** It is no regular expression, in Go's words. */
  | { readonly kind: 'problem'; readonly problem: string };

const known = new Map<string, GoPattern>();
let weightKept = 0;

export function goPattern(source: string): GoPattern {
  const before = known.get(source);
  if (before) return before;
  const weight = source.length > LONGEST ? Infinity : weightOf(source);
  if (weight > MOST_WEIGHT) return tooLarge(source);
  if (weightKept + weight > MOST_WEIGHT_KEPT) {
    known.clear();
    weightKept = 0;
  }
  weightKept += weight + KEEPING;
  const made = compiled(source);
  known.set(source, made);
  return made;
}

function tooLarge(source: string): GoPattern {
  const shown = source.length > LONGEST_SHOWN ? `${source.slice(0, LONGEST_SHOWN)}…` : source;
  return { kind: 'problem', problem: `error parsing regexp: expression too large: \`${shown}\`` };
}

function compiled(source: string): GoPattern {
  try {
    return { kind: 'pattern', pattern: RE2JS.compile(source) };
  } catch (error) {
    return { kind: 'problem', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What an instruction or two stands for, or a repetition; told apart without ever going back far. */
const TOKENS =
  /\\(?:[pPx]\{[^}]{0,40}\}|[\s\S]|$)|\[\^?\]?[^\]\\]*(?:\\[\s\S][^\]\\]*)*\]?|\{(\d{1,6})(?:,(\d{0,6}))?\}|[\s\S]/g;

/** How many instructions a pattern comes to, about, once all repetitions are written out. */
export function weightOf(source: string): number {
  const groups: Group[] = [{ sum: 0, last: 0 }];
  let group = groups[0];
  for (const { 0: token, 1: least, 2: most } of source.matchAll(TOKENS)) {
    if (!group) break;
    if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? least));
      group.sum += group.last * (times - 1);
      group.last *= times;
    } else if (token === '(') {
      group = { sum: 1, last: 0 };
      groups.push(group);
    } else if (token === ')' && groups.length > 1) {
      const { sum }: Group = group;
      groups.pop();
      group = groups.at(-1);
      if (group) add(group, sum + 1);
    } else if (token === '*' || token === '+' || token === '?') group.sum += 1;
    else add(group, 1);
  }
  return groups.reduce((sum, each) => sum + each.sum, 0);
}

interface Group {
  sum: number;
  /** Of what a repetition repeats. */
  last: number;
}

function add(group: Group, weight: number): void {
  group.sum += weight;
  group.last = weight;
}
