/** The columns of each built-in resource in a Table. Specification: "Table representation". */
import { COLUMNS } from './tables/columns.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  /** 0 is always shown; higher ones in wide output. */
  readonly priority: number;
}

type ColumnRow = readonly [name: string, type: string, format: string, priority: number];

let parsed: Readonly<Record<string, readonly ColumnRow[]>> | undefined;
const columns = new Map<string, readonly PrinterColumn[]>();

/** Columns of a built-in resource; undefined if it is none or cannot be listed. */
export const columnsOf = ({
  group,
  version,
  resource,
}: {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}): readonly PrinterColumn[] | undefined => {
  const key = `${group}/${version}/${resource}`;
  const known = columns.get(key);
  if (known) return known;
  parsed ??= JSON.parse(COLUMNS) as Readonly<Record<string, readonly ColumnRow[]>>;
  const made = parsed[key]?.map(([name, type, format, priority]) => ({ name, type, format, priority }));
  if (made) columns.set(key, made);
  return made;
};
