/** The types of a release other than 1.31: its tables with those types in place that are different there. */
import type { TypeTable, TypeTables } from '../catalog/builtin-types.ts';
import { TYPE_TABLES } from '../catalog/tables/type-tables.ts';
import { TYPE_CHANGES } from './tables/type-changes.ts';

interface TypeChange {
  readonly pool?: readonly unknown[];
  readonly since: readonly (readonly [minor: number, members: string])[];
  readonly marks?: Readonly<Record<string, unknown>>;
}

/** As `TypeTable`, whose rows are nobody's business but its reader's. */
type Versions = Record<string, Record<string, unknown>>;

interface Row {
  readonly f: readonly unknown[];
}

/** By group, version and name. */
let changes:
  ReadonlyMap<string, readonly (readonly [version: string, name: string, TypeChange])[]> | undefined;

export function typeTablesOf(minor: number): TypeTables {
  const known = (changes ??= readChanges());
  return {
    groups: new Set([...TYPE_TABLES.keys(), ...known.keys()]),
    read: (group) => {
      const text = TYPE_TABLES.get(group);
      const changed = known.get(group) ?? [];
      if (text === undefined && changed.length === 0) return undefined;
      const table = (text === undefined ? {} : JSON.parse(text)) as Versions;
      for (const [version, name, change] of changed) {
        const types = (table[version] ??= openApiOf(table, group, version));
        types[name] = rowAt(minor, types[name] as Row | undefined, change);
      }
      dropEarlyMarks(table, group, minor);
      return table as TypeTable;
    },
  };
}

/** Structs that were merged member by member until the release in which they became one value. */
const ATOMIC_SINCE: readonly (readonly [group: string, version: string, type: string, minor: number])[] = [
  ['networking.k8s.io', 'v1', 'ServiceBackendPort', 30],
];

function dropEarlyMarks(table: Versions, group: string, minor: number): void {
  for (const [ofGroup, version, type, since] of ATOMIC_SINCE) {
    const types = table[version];
    if (ofGroup !== group || since <= minor || !types?.[type]) continue;
    const { m: _atomic, ...row } = types[type] as { readonly m?: unknown };
    types[type] = row;
  }
}

function readChanges(): NonNullable<typeof changes> {
  const byGroup = new Map<string, [string, string, TypeChange][]>();
  for (const [key, change] of Object.entries(JSON.parse(TYPE_CHANGES) as Record<string, TypeChange>)) {
    const dot = key.lastIndexOf('.');
    const slash = key.indexOf('/');
    const group = slash < 0 ? '' : key.slice(0, slash);
    const known = byGroup.get(group) ?? [];
    byGroup.set(group, known);
    known.push([key.slice(slash + 1, dot), key.slice(dot + 1), change]);
  }
  return byGroup;
}

/** What the release has, or the next one that has the type: versions that are not served are converted through. */
function rowAt(minor: number, base: Row | undefined, { since, pool = [], marks }: TypeChange): unknown {
  let members = since[0]?.[1] ?? '';
  for (const [from, its] of since) if (from <= minor) members = its;
  if (members === '=') return base;
  const rows = [...(base?.f ?? []), ...pool];
  return { o: 1, ...base, ...marks, f: numbersIn(members).map((number) => rows[number]) };
}

/** `0-2.5` → 0, 1, 2, 5. */
const numbersIn = (text: string): readonly number[] =>
  text === ''
    ? []
    : text.split('.').flatMap((range) => {
        const [from = 0, to = from] = range.split('-').map(Number);
        return Array.from({ length: to - from + 1 }, (_, index) => from + index);
      });

/** The beginning of OpenAPI names, as other versions of the group have it. */
function openApiOf(table: Versions, group: string, version: string): Record<string, unknown> {
  for (const [other, types] of Object.entries(table)) {
    const prefix = types[''];
    if (typeof prefix === 'string') return { '': prefix.replace(`.${other}.`, `.${version}.`) };
  }
  return { '': `io.k8s.api.${group.split('.', 1)[0] ?? ''}.${version}.` };
}
