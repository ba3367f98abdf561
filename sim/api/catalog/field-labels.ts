/** The labels that field selectors of each built-in resource may name. Specification: "Field selectors". */
import { FIELD_LABELS } from './tables/field-labels.ts';

export interface FieldLabels {
  readonly labels: readonly string[];
  /** Message of the 400 for any other label, which stands for `{label}`. */
  readonly unsupportedMessage: string;
}

interface LabelTable {
  readonly messages: readonly string[];
  readonly rows: Readonly<Record<string, readonly [message: number, ...labels: string[]]>>;
}

let parsed: LabelTable | undefined;

/** Labels of a built-in resource; undefined if it is none or cannot be listed. */
export const fieldLabelsOf = ({
  group,
  version,
  resource,
}: {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}): FieldLabels | undefined => {
  parsed ??= JSON.parse(FIELD_LABELS) as LabelTable;
  const row = parsed.rows[`${group}/${version}/${resource}`];
  if (!row) return undefined;
  const [message, ...labels] = row;
  return { labels, unsupportedMessage: parsed.messages[message] ?? '' };
};
