/**
 * `items` that are neither a schema nor schemas, such as `false` and `[]`: validation tells them from none, and nothing
 * of them is stored or shown. Pure. Specification: not shown (Kubernetes: JSONSchemaPropsOrArray).
 */
import { isMap, type JsonMap } from './json-schema.ts';

const OF_NAMED = ['properties', 'patternProperties', 'definitions', 'dependencies'];
const OF_LISTED = ['allOf', 'anyOf', 'oneOf'];
const OF_ONE = ['not', 'additionalProperties', 'additionalItems'];

/** Only a schema that has such a place is written to. */
export function dropEmptyItems(schema: unknown): void {
  if (!isMap(schema)) return;
  const { items } = schema;
  if (items === false || (Array.isArray(items) && items.length === 0)) delete schema['items'];
  for (const part of partsOf(schema)) dropEmptyItems(part);
}

function* partsOf(schema: JsonMap): Iterable<unknown> {
  const { items } = schema;
  if (Array.isArray(items)) yield* items;
  else yield items;
  for (const member of OF_ONE) yield schema[member];
  for (const member of OF_LISTED) {
    const listed = schema[member];
    if (Array.isArray(listed)) yield* listed;
  }
  for (const member of OF_NAMED) {
    const named = schema[member];
    if (isMap(named)) yield* Object.values(named);
  }
}
