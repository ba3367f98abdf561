/** The columns of each built-in resource in a Table. Specification: "Table representation". */
import type { GroupVersionResource } from './builtin-resources.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  /** 0 is always shown; higher ones in wide output. */
  readonly priority: number;
  /** What the API says of it; absent: what it says of such a column everywhere. */
  readonly description?: string;
}

/** Texts by resource and column, as indexes of a list without repetitions. */
export interface ColumnTexts {
  readonly texts: readonly string[];
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

type ColumnRow = readonly [name: string, type: string, format: string, priority: number];

export type ColumnTable = Readonly<Record<string, readonly ColumnRow[]>>;

/** Of one release. */
export class BuiltinColumns {
  readonly #read: () => ColumnTable;
  readonly #readTexts: () => ColumnTexts;
  #texts: ColumnTexts | undefined;
  #table: ColumnTable | undefined;
  readonly #known = new Map<string, readonly PrinterColumn[]>();

  /** Each is called once, when columns are first asked for. */
  constructor(read: () => ColumnTable, readTexts: () => ColumnTexts) {
    this.#read = read;
    this.#readTexts = readTexts;
  }

  /** Columns of a built-in resource; undefined if it is none or cannot be listed. */
  of({ group, version, resource }: GroupVersionResource): readonly PrinterColumn[] | undefined {
    const key = `${group}/${version}/${resource}`;
    const known = this.#known.get(key);
    if (known) return known;
    this.#table ??= this.#read();
    const { rows, texts } = (this.#texts ??= this.#readTexts());
    const made = this.#table[key]?.map(([name, type, format, priority]) => {
      const text = texts[rows[key]?.[name] ?? -1];
      return { name, type, format, priority, ...(text !== undefined && { description: text }) };
    });
    if (made) this.#known.set(key, made);
    return made;
  }
}
