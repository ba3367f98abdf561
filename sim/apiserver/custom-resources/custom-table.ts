/** Columns and cells of custom resources in a Table: the name, then what the definition asks for, or the age. */
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { ApiObject } from '../../api/object.ts';
import type { CustomResourceColumnDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { ageOf } from '../representation/age.ts';
import { CREATION_DESCRIPTION, NAME_DESCRIPTION } from '../representation/column-descriptions.ts';
import type { TableClock } from '../registry/table-row.ts';
import type { VersionTable } from '../registry/resource.ts';
import { type JsonPath, parseJsonPath } from './json-path.ts';

const NAME_COLUMN = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME_DESCRIPTION,
  priority: 0,
};

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: CREATION_DESCRIPTION,
  jsonPath: '.metadata.creationTimestamp',
};

export function customTable(asked: readonly CustomResourceColumnDefinition[] | undefined): VersionTable {
  const definitions = asked && asked.length > 0 ? asked : [AGE];
  const columns: readonly PrinterColumn[] = [NAME_COLUMN, ...definitions.map(columnOf)];
  const paths = definitions.map(({ type, jsonPath }) => ({ type, path: parseJsonPath(jsonPath) }));
  return {
    columns,
    row: (object, clock) => ({
      cells: [
        object.metadata.name ?? '',
        ...paths.map(({ type, path }) => cellOf(type, path, object, clock)),
      ],
    }),
  };
}

const columnOf = ({
  name,
  type,
  format = '',
  description = '',
  priority = 0,
  jsonPath,
}: CustomResourceColumnDefinition) => ({
  name,
  type,
  format,
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority,
});

function cellOf(type: string, path: JsonPath | undefined, object: ApiObject, clock: TableClock): unknown {
  const found = path?.find(object) ?? [];
  if (found.length === 0) return null;
  const [value] = found;
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, clock) : null;
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '<nil>';
  return encodeJson(value);
}

function dateCell(text: string, { nowMs }: TableClock): string {
  try {
    return ageOf(text, nowMs);
  } catch {
    return '<invalid>';
  }
}
