/** Sets of indexes as a Job's status writes them: `0,1,3-5`. Pure. */

export type Indexes = ReadonlySet<number>;

/** What is no number, and what the Job does not have, is left out. */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  const indexes = new Set<number>();
  if (!text) return indexes;
  for (const part of text.split(',')) {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** Two neighbours are named both, more by their ends. */
export function formatIndexes(indexes: Indexes): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    const first = sorted[at] ?? 0;
    let last = first;
    while (sorted[at + 1] === last + 1) {
      last++;
      at++;
    }
    at++;
    if (first === last) parts.push(String(first));
    else parts.push(`${first}${last === first + 1 ? ',' : '-'}${last}`);
  }
  return parts.join(',');
}

export const union = (...sets: readonly Indexes[]): Indexes => new Set(sets.flatMap((set) => [...set]));

/** The lowest that are not taken. */
export function firstFree(taken: Indexes, completions: number, count: number): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index++)
    if (!taken.has(index)) free.push(index);
  return free;
}
