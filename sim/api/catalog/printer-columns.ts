/** The columns of each built-in resource in a Table. Specification: "Table representation". */
import type { GroupVersionResource } from './builtin-resources.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  /** 0 is always shown; higher ones in wide output. */
  readonly priority: number;
}

type ColumnRow = readonly [name: string, type: string, format: string, priority: number];

export type ColumnTable = Readonly<Record<string, readonly ColumnRow[]>>;

/** Of one release. */
export class BuiltinColumns {
  readonly #read: () => ColumnTable;
  #table: ColumnTable | undefined;
  readonly #known = new Map<string, readonly PrinterColumn[]>();

  /** `read` is called once, when columns are first asked for. */
  constructor(read: () => ColumnTable) {
    this.#read = read;
  }

  /** Columns of a built-in resource; undefined if it is none or cannot be listed. */
  of({ group, version, resource }: GroupVersionResource): readonly PrinterColumn[] | undefined {
    const key = `${group}/${version}/${resource}`;
    const known = this.#known.get(key);
    if (known) return known;
    this.#table ??= this.#read();
    const made = this.#table[key]?.map(([name, type, format, priority]) => ({
      name,
      type,
      format,
      priority,
    }));
    if (made) this.#known.set(key, made);
    return made;
  }
}
