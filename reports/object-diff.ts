/** What has changed between two snapshots of all objects, line by line. Pure. */
import type { Snapshot } from './run-record.ts';

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'skipped';
  readonly text: string;
}

export interface ObjectDiff {
  readonly name: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly lines: readonly DiffLine[];
}

/** Objects that differ, by name. */
export function diffSnapshots(before: Snapshot, after: Snapshot): readonly ObjectDiff[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): ObjectDiff[] => {
    const [old, now] = [before[name], after[name]];
    const [oldLines, newLines] = [linesOf(old), linesOf(now)];
    if (oldLines.join('\n') === newLines.join('\n')) return [];
    const change = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed';
    return [{ name, change, lines: withContext(diffLines(oldLines, newLines)) }];
  });
}

/** An indented form without brackets and quotes where they say nothing; managed fields are noise here. */
function linesOf(value: unknown, indent = ''): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [`${indent}${JSON.stringify(value)}`];
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item: unknown) => ['-', item])
    : Object.entries(value);
  return entries.flatMap(([name, member]) => {
    if (name === 'managedFields' || member === undefined) return [];
    const head = name === '-' ? `${indent}-` : `${indent}${name}:`;
    if (typeof member !== 'object' || member === null)
      return [`${head} ${typeof member === 'string' ? member : JSON.stringify(member)}`];
    if (Object.keys(member).length === 0) return [`${head} ${Array.isArray(member) ? '[]' : '{}'}`];
    return [head, ...linesOf(member, `${indent}  `)];
  });
}

/** Longest common subsequence: objects are small. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const down = lengths[(row + 1) * width + column] ?? 0;
      const right = lengths[row * width + column + 1] ?? 0;
      const diagonal = lengths[(row + 1) * width + column + 1] ?? 0;
      lengths[row * width + column] = before[row] === after[column] ? diagonal + 1 : Math.max(down, right);
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const isSame = row < before.length && column < after.length && before[row] === after[column];
    const dropsOld =
      column >= after.length ||
      (row < before.length &&
        (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0));
    if (isSame) {
      lines.push({ kind: 'same', text: before[row++] ?? '' });
      column++;
    } else if (dropsOld) lines.push({ kind: 'removed', text: before[row++] ?? '' });
    else lines.push({ kind: 'added', text: after[column++] ?? '' });
  }
  return lines;
}

const CONTEXT = 3;

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index): DiffLine[] => {
    if (isNear[index]) return [line];
    const startsGap = index === 0 || isNear[index - 1];
    return startsGap ? [{ kind: 'skipped', text: '…' }] : [];
  });
}
