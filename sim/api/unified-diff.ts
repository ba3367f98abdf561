/**
 * Two texts compared line by line, as `diff -u` shows it: matching blocks are found as Python's difflib does, the longest
 * first, where lines of long texts that come often begin none. Pure.
 */
import { append } from './append.ts';

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Range {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

const CONTEXT = 3;
/** Texts with fewer lines have no popular ones. */
const LONG = 200;

/** Hunks with their headers, each line ended; empty: they are the same. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  return hunksOf(changesBetween(a, b))
    .map((changes) => hunkText(changes, a, b))
    .join('');
}

/** What is between the matching blocks. */
function changesBetween(a: readonly string[], b: readonly string[]): readonly Range[] {
  const blocks = matchingBlocks(a, b);
  const changes: Range[] = [];
  let [aFrom, bFrom] = [0, 0];
  for (const { a: aTo, b: bTo, size } of [...blocks, { a: a.length, b: b.length, size: 0 }]) {
    if (aFrom < aTo || bFrom < bTo) changes.push({ aFrom, aTo, bFrom, bTo });
    [aFrom, bFrom] = [aTo + size, bTo + size];
  }
  return changes;
}

function matchingBlocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  const places = placesOf(b);
  const blocks: Block[] = [];
  const open: Range[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  for (let range = open.pop(); range; range = open.pop()) {
    const block = longestMatch(a, b, places, range);
    if (block.size === 0) continue;
    blocks.push(block);
    open.push(
      { ...range, aTo: block.a, bTo: block.b },
      { ...range, aFrom: block.a + block.size, bFrom: block.b + block.size },
    );
  }
  return blocks.toSorted((left, right) => left.a - right.a || left.b - right.b);
}

function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [at, line] of b.entries()) {
    const known = places.get(line);
    if (known) known.push(at);
    else places.set(line, [at]);
  }
  const most = Math.floor(b.length / 100) + 1;
  if (b.length >= LONG) for (const [line, at] of places) if (at.length > most) places.delete(line);
  return places;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  { aFrom, aTo, bFrom, bTo }: Range,
): Block {
  let best: Block = { a: aFrom, b: bFrom, size: 0 };
  let lengths = new Map<number, number>();
  for (let at = aFrom; at < aTo; at++) {
    const next = new Map<number, number>();
    for (const place of places.get(a[at] ?? '') ?? []) {
      if (place < bFrom || place >= bTo) continue;
      const size = (lengths.get(place - 1) ?? 0) + 1;
      next.set(place, size);
      if (size > best.size) best = { a: at - size + 1, b: place - size + 1, size };
    }
    lengths = next;
  }
  let { a: start, b: other, size } = best;
  for (; start > aFrom && other > bFrom && a[start - 1] === b[other - 1]; size++)
    [start, other] = [start - 1, other - 1];
  while (start + size < aTo && other + size < bTo && a[start + size] === b[other + size]) size++;
  return { a: start, b: other, size };
}

/** Changes whose contexts touch are shown together. */
function hunksOf(changes: readonly Range[]): readonly (readonly Range[])[] {
  const hunks: Range[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const before = hunk?.at(-1);
    if (hunk && before && change.aFrom - before.aTo <= 2 * CONTEXT) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunkText(changes: readonly Range[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return '';
  const lead = Math.min(CONTEXT, first.aFrom);
  const tail = Math.min(CONTEXT, a.length - last.aTo);
  const [aStart, aEnd] = [first.aFrom - lead, last.aTo + tail];
  const [bStart, bEnd] = [first.bFrom - lead, last.bTo + tail];
  const lines = [`@@ -${rangeText(aStart, aEnd)} +${rangeText(bStart, bEnd)} @@`];
  let at = aStart;
  for (const { aFrom, aTo, bFrom, bTo } of changes) {
    append(lines, linesWith(' ', a.slice(at, aFrom)));
    append(lines, linesWith('-', a.slice(aFrom, aTo)));
    append(lines, linesWith('+', b.slice(bFrom, bTo)));
    at = aTo;
  }
  append(lines, linesWith(' ', a.slice(at, aEnd)));
  return lines.map((line) => `${line}\n`).join('');
}

const linesWith = (mark: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${mark}${line}`);

function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
