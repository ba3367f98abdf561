/**
 * Types that some release has otherwise than 1.31, or that 1.31 does not have. Members are kept once: those of 1.31, then
 * `pool`; a release names the numbers of its own. A release that does not have the type is taken to have the one of the
 * next: versions that it does not serve are still converted through.
 */
import {
  fieldRow,
  goTypeNames,
  type SourceExtras,
  type SourceFacts,
  type SourceType,
} from '../import-catalog.ts';
import { BASE, MINORS, type ReleaseFacts } from './release-facts.ts';

/** Beside its members: `m`, `w`, `c`, `o` as in the tables of 1.31. */
type TypeMarks = Readonly<Record<string, unknown>>;

interface TypeChange {
  /** Rows that 1.31 does not have. */
  readonly pool?: readonly unknown[];
  /** From which minor release on which members there are: `0-12.14`; `=`: as in 1.31. */
  readonly since: readonly (readonly [minor: number, members: string])[];
  readonly marks?: TypeMarks;
}

export function typeTable(facts: ReleaseFacts): Readonly<Record<string, TypeChange>> {
  const table: Record<string, TypeChange> = {};
  for (const key of [...facts.typeKeys].sort()) {
    const change = changeOf(key, facts);
    if (change) table[key] = change;
  }
  return table;
}

function changeOf(key: string, facts: ReleaseFacts): TypeChange | undefined {
  const goNames = goTypeNames();
  const extra = extrasOf(key, facts);
  const rowsOf = (type: SourceType): string[] =>
    type.fields.map((field) =>
      JSON.stringify(
        fieldRow(
          key,
          field,
          extra.fields?.[field.name] ?? {},
          isRequired(extra, field.name),
          goNames[`${key}.${field.name}`],
        ),
      ),
    );
  const base = facts.base.types[key];
  if (base?.leaf) return undefined;
  const pool = base ? rowsOf(base) : [];
  const inBase = pool.length;
  const since: [number, string][] = [];
  let marks: TypeMarks | undefined;
  for (const minor of MINORS) {
    const type = facts.typeAt(minor, key);
    if (!type || type.leaf) continue;
    const members =
      minor === BASE
        ? '='
        : rangesOf(
            rowsOf(type).map((row) => indexIn(pool, row)),
            inBase,
          );
    if (since.at(-1)?.[1] !== members) since.push([minor, members]);
    if (!base) marks = marksOf(type, extra);
  }
  const own = pool.slice(inBase).map((row) => JSON.parse(row) as unknown);
  if (since.length === 0 || (since.length === 1 && since[0]?.[1] === '=')) return undefined;
  return { ...(own.length > 0 && { pool: own }), since, ...(marks && { marks }) };
}

const isRequired = ({ required = [] }: Pick<SourceExtras, 'required'>, name: string): boolean =>
  required.includes(name);

function indexIn(pool: string[], row: string): number {
  const known = pool.indexOf(row);
  return known >= 0 ? known : pool.push(row) - 1;
}

/** `0-12.14`; `=` for all of 1.31 in their order. */
function rangesOf(numbers: readonly number[], inBase: number): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  if (inBase > 0 && ranges.length === 1 && ranges[0]?.[0] === 0 && ranges[0][1] === inBase - 1) return '=';
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join('.');
}

const SIBLINGS = ['v1', 'v2', 'v1beta1', 'v1beta2', 'v1beta3'] as const;
/** Groups whose versions of old hold types of theirs. */
const HEIRS: Readonly<Record<string, readonly string[]>> = {
  extensions: ['apps', 'networking.k8s.io', 'policy'],
};

/** What OpenAPI said of the type in 1.31; of others, how the lists and maps of their namesake in a served version merge. */
function extrasOf(key: string, facts: ReleaseFacts): Partial<SourceExtras> & Pick<SourceExtras, 'required'> {
  const own = facts.extras[key];
  if (own) return own;
  const [groupVersion, name] = [key.slice(0, key.lastIndexOf('.')), key.slice(key.lastIndexOf('.') + 1)];
  const [group = ''] = groupVersion.includes('/') ? groupVersion.split('/') : [''];
  for (const heir of [group, ...(HEIRS[group] ?? [])])
    for (const version of SIBLINGS) {
      const sibling = facts.extras[`${heir === '' ? '' : `${heir}/`}${version}.${name}`];
      if (sibling) return { ...(sibling.mapType && { mapType: sibling.mapType }), ...mergingOf(sibling) };
    }
  return {};
}

const mergingOf = ({ fields = {} }: SourceExtras): Pick<SourceExtras, 'fields'> => ({
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, { listType, listMapKeys, mapType }]): [string, SourceFacts] => [
      name,
      { ...(listType && { listType }), ...(listMapKeys && { listMapKeys }), ...(mapType && { mapType }) },
    ]),
  ),
});

const marksOf = ({ wrap, customJSON }: SourceType, { mapType }: Partial<SourceExtras>): TypeMarks => ({
  ...(mapType && { m: mapType }),
  ...(wrap && { w: wrap }),
  ...(customJSON && { c: customJSON }),
});
