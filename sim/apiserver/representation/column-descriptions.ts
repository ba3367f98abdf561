/** What a Table says about its columns beside their names; the words are the API's own documentation of the fields. */
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import type { Resource } from '../registry/resource.ts';

export interface DescribedColumn extends PrinterColumn {
  readonly description: string;
}

export const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
export const CREATION_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** Columns that stand for one field of metadata, whatever the kind. */
const COMMON: Readonly<Record<string, string>> = {
  Name: NAME_DESCRIPTION,
  Age: CREATION_DESCRIPTION,
  'Created At': CREATION_DESCRIPTION,
};

const known = new WeakMap<readonly PrinterColumn[], readonly DescribedColumn[]>();

/** The columns with their descriptions, in the order of members that clients know. */
export function described(
  { columnDescriptions }: Resource,
  columns: readonly PrinterColumn[],
): readonly DescribedColumn[] {
  const cached = known.get(columns);
  if (cached) return cached;
  const made = columns.map(({ name, type, format, priority, ...rest }) => ({
    name,
    type,
    format,
    description: describedAlready(rest) ?? columnDescriptions?.[name] ?? COMMON[name] ?? '',
    priority,
  }));
  known.set(columns, made);
  return made;
}

/** Columns of custom resources bring their own text. */
const describedAlready = (rest: object): string | undefined => {
  const text: unknown = Reflect.get(rest, 'description');
  return typeof text === 'string' ? text : undefined;
};
