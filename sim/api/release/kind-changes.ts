/** The kinds of a release other than 1.31, with the life cycles that it knows of. */
import type { KindTable } from '../catalog/builtin-kinds.ts';
import { KINDS } from '../catalog/tables/kinds.ts';
import { KIND_CHANGES } from './tables/kind-changes.ts';

type KindRow = KindTable['kinds'][string][number];

type Changes = Readonly<Record<string, readonly (readonly [minor: number, row: 0 | 1 | KindRow])[]>>;

let changes: Changes | undefined;

/** Servers tell of deprecated versions since 1.19: to older ones no version is deprecated. */
const WARNINGS_BEGAN = 19;

export function kindTableOf(minor: number): KindTable {
  const base = JSON.parse(KINDS) as KindTable;
  const kinds = new Map<string, Map<string, KindRow>>(
    Object.entries(base.kinds).map(([groupVersion, rows]) => [
      groupVersion,
      new Map(rows.map((row) => [row[0], row])),
    ]),
  );
  for (const [name, since] of Object.entries((changes ??= JSON.parse(KIND_CHANGES) as Changes))) {
    let row: 0 | 1 | KindRow = 0;
    for (const [from, its] of since) if (from <= minor) row = its;
    if (row === 1) continue;
    const dot = name.lastIndexOf('.');
    const groupVersion = name.slice(0, dot);
    let ofVersion = kinds.get(groupVersion);
    if (!ofVersion) kinds.set(groupVersion, (ofVersion = new Map<string, KindRow>()));
    if (row === 0) ofVersion.delete(name.slice(dot + 1));
    else ofVersion.set(name.slice(dot + 1), row);
  }
  const rows = [...kinds].map(([groupVersion, ofVersion]): [string, readonly KindRow[]] => [
    groupVersion,
    [...ofVersion.values()].map((row) =>
      minor < WARNINGS_BEGAN ? (row.slice(0, 5) as unknown as KindRow) : row,
    ),
  ]);
  const before = new Set(Object.keys(base.kinds));
  const present = rows.filter(([, ofVersion]) => ofVersion.length > 0);
  return {
    kinds: Object.fromEntries(present),
    common: base.common,
    // Some have shared kinds alone.
    groupVersions: [
      ...base.groupVersions.filter((name) => !before.has(name)),
      ...present.map(([groupVersion]) => groupVersion),
    ].sort(),
  };
}
