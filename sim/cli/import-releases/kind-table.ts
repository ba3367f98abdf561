/**
 * Kinds that some release registers otherwise than 1.31: not at all, or with another life cycle. Since when a kind is
 * there makes no difference by itself and is left out.
 */
import { kindRow, type SourceKind } from '../import-catalog.ts';
import { BASE, MINORS, type ReleaseFacts } from './release-facts.ts';

/** From which minor release on: 0, it is not registered; 1, as in 1.31; or its row. */
type KindChange = readonly (readonly [minor: number, row: 0 | 1 | readonly unknown[]])[];

export function kindTable(facts: ReleaseFacts): Readonly<Record<string, KindChange>> {
  const table: Record<string, KindChange> = {};
  for (const name of [...facts.kindNames].sort()) {
    const changes: [number, 0 | 1 | readonly unknown[]][] = [];
    const base = textOf(facts.base.kinds.get(name));
    for (const minor of MINORS) {
      const kind = facts.kindAt(minor, name);
      const row = kind === undefined ? 0 : minor === BASE || textOf(kind) === base ? 1 : kindRow(kind);
      if (JSON.stringify(changes.at(-1)?.[1]) !== JSON.stringify(row)) changes.push([minor, row]);
    }
    if (changes.length !== 1 || changes[0]?.[1] !== 1) table[name] = changes;
  }
  return table;
}

/** What makes a difference: a life cycle that is only begun makes none. */
function textOf(kind: SourceKind | undefined): string {
  if (!kind) return '';
  const [name, type = 0, list = 0, listOf = 0, introduced = 0, ...end] = kindRow(kind);
  return JSON.stringify([name, type, list, listOf, ...(end.length > 0 ? [introduced, ...end] : [])]);
}
