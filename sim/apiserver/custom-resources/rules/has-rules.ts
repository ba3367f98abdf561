/** Whether anything below a schema has a rule. */
import { isMap, itemsOf, type JSONSchemaProps } from '../json-schema.ts';

const known = new WeakMap<JSONSchemaProps, boolean>();

export function hasRules(schema: JSONSchemaProps): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const { additionalProperties } = schema;
  const items = itemsOf(schema);
  const has =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (isMap(additionalProperties) && hasRules(additionalProperties)) ||
    Object.values(schema.properties ?? {}).some(hasRules) ||
    (schema.allOf ?? []).some(hasRules);
  known.set(schema, has);
  return has;
}

/** How many parts of a schema have rules of their own. */
export function numberWithRules(schema: JSONSchemaProps | undefined): number {
  if (!schema || !hasRules(schema)) return 0;
  const { additionalProperties, properties = {}, allOf = [] } = schema;
  const items = itemsOf(schema);
  const parts: readonly (JSONSchemaProps | undefined)[] = [
    items,
    isMap(additionalProperties) ? additionalProperties : undefined,
    ...Object.values(properties),
    ...allOf,
  ];
  const own = (schema['x-kubernetes-validations'] ?? []).length > 0 ? 1 : 0;
  return parts.reduce((sum, part) => sum + numberWithRules(part), own);
}
