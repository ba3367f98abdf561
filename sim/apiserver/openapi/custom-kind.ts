import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import { gvkJson, META_PREFIX, refTo } from './schema-names.ts';

const TEXT: JsonObject = { type: 'string' };

/** The published schema of a custom kind: what its CustomResourceDefinition says, with the members that every object has. */
export function customKindSchema(kind: GroupVersionKind, declared: JsonObject): JsonObject {
  const properties = declared['properties'] as JsonObject | undefined;
  return {
    type: 'object',
    ...declared,
    properties: {
      ...properties,
      apiVersion: TEXT,
      kind: TEXT,
      metadata: refTo(`${META_PREFIX}ObjectMeta`),
    },
    'x-kubernetes-group-version-kind': [gvkJson(kind)],
  };
}

/** The schema of its list. @param itemName schema name of the kind */
export const customListSchema = (list: GroupVersionKind, itemName: string): JsonObject => ({
  type: 'object',
  required: ['items'],
  properties: {
    apiVersion: TEXT,
    items: { type: 'array', items: refTo(itemName) },
    kind: TEXT,
    metadata: refTo(`${META_PREFIX}ListMeta`),
  },
  'x-kubernetes-group-version-kind': [gvkJson(list)],
});
