/** Elements of lists with keys (`x-kubernetes-list-type: map`), which alone can be told from one another. */
import { jsonKey } from '../../api/json-key.ts';
import { isMap, type JSONSchemaProps } from './json-schema.ts';

/** Finds the first element of a list that has the keys of another element. Undefined: there is no telling. */
export function itemsByKeys(
  schema: JSONSchemaProps,
  list: unknown,
): ((item: unknown) => unknown) | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(list)) return undefined;
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown): string =>
    jsonKey(names.map((name) => (isMap(item) ? item[name] : undefined)));
  let items: Map<string, unknown> | undefined;
  return (item) => {
    // Of the first, if there are several.
    items ??= new Map(list.toReversed().map((each: unknown) => [keyOf(each), each]));
    return items.get(keyOf(item));
  };
}
