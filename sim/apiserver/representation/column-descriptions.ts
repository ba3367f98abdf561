/** What the server says of the columns that nearly every Table has. Other built-in columns come without a word. */
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';

export const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
export const CREATION_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Name: NAME_DESCRIPTION,
  Age: CREATION_DESCRIPTION,
  'Created At': CREATION_DESCRIPTION,
};

const OF_RESOURCES: Readonly<Record<string, string>> = {
  'configmaps Data':
    "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
};

export const described = (columns: readonly PrinterColumn[], resource: string): readonly object[] =>
  columns.map((column) => {
    const description = OF_RESOURCES[`${resource} ${column.name}`] ?? DESCRIPTIONS[column.name];
    return description === undefined ? column : { description, ...column };
  });
