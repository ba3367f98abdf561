/** The labels that field selectors of each built-in resource may name. Specification: "Field selectors". */
import type { GroupVersionResource } from './builtin-resources.ts';

export interface FieldLabels {
  readonly labels: readonly string[];
  /** Message of the 400 for any other label, which stands for `{label}`. */
  readonly unsupportedMessage: string;
}

export interface LabelTable {
  readonly messages: readonly string[];
  readonly rows: Readonly<Record<string, readonly [message: number, ...labels: string[]]>>;
}

/** Of one release. */
export class BuiltinFieldLabels {
  readonly #read: () => LabelTable;
  #table: LabelTable | undefined;

  /** `read` is called once, when labels are first asked for. */
  constructor(read: () => LabelTable) {
    this.#read = read;
  }

  /** Labels of a built-in resource; undefined if it is none or cannot be listed. */
  of({ group, version, resource }: GroupVersionResource): FieldLabels | undefined {
    this.#table ??= this.#read();
    const row = this.#table.rows[`${group}/${version}/${resource}`];
    if (!row) return undefined;
    const [message, ...labels] = row;
    return { labels, unsupportedMessage: this.#table.messages[message] ?? '' };
  }
}
