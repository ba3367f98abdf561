/**
 * The published schemas of custom kinds: what their definitions say, with the members that every object has, and with
 * those of objects that are embedded in them. Specification: "OpenAPI".
 */
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import { gvkJson, META_PREFIX, refTo } from './schema-names.ts';

const API_VERSION = 'APIVersion defines the version of the schema that the object is written in.';
const KIND = 'Kind is the name of the schema that the object is written in. It is never changed.';
const METADATA = "Standard object's metadata.";
const LIST_METADATA = 'Standard list metadata.';
/** Said of objects, and not published. */
const UNPUBLISHED: ReadonlySet<string> = new Set(['example', 'externalDocs']);
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

const text = (description: string): JsonObject => ({ description, type: 'string' });

const metaRef = (name: string, description: string): JsonObject => ({
  description,
  allOf: [refTo(META_PREFIX + name)],
});

const OBJECT_MEMBERS: JsonObject = {
  apiVersion: text(API_VERSION),
  kind: text(KIND),
  metadata: metaRef('ObjectMeta', METADATA),
};

export function customKindSchema(kind: GroupVersionKind, declared: JsonObject): JsonObject {
  const published = publishedSchema(declared);
  return {
    type: 'object',
    ...published,
    properties: { ...(published['properties'] as JsonObject | undefined), ...OBJECT_MEMBERS },
    'x-kubernetes-group-version-kind': [gvkJson(kind)],
  };
}

/** A declared schema and all that is in it. */
function publishedSchema(declared: JsonObject): JsonObject {
  const members = Object.entries(declared).filter(([name]) => !UNPUBLISHED.has(name));
  const schema: JsonObject = Object.fromEntries(
    members.map(([name, value]) => [name, publishedMember(name, value)]),
  );
  const isNumberOrText = declared['x-kubernetes-int-or-string'] === true && declared['anyOf'] === undefined;
  const typed = isNumberOrText && !('allOf' in declared) ? { ...schema, anyOf: INT_OR_STRING } : schema;
  if (declared['x-kubernetes-embedded-resource'] !== true) return typed;
  const properties = { ...(schema['properties'] as JsonObject | undefined), ...OBJECT_MEMBERS };
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return { ...typed, properties, required: [...required, ...missing] };
}

function publishedMember(name: string, value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (name === 'items' || name === 'additionalProperties') return publishedSchema(value as JsonObject);
  if (name !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, schema]) => [member, publishedSchema(schema as JsonObject)]),
  );
}

/** The schema of its list. @param itemName schema name of the kind */
export const customListSchema = (list: GroupVersionKind, itemName: string): JsonObject => ({
  description: `${list.kind} is a list of ${itemName.slice(itemName.lastIndexOf('.') + 1)}`,
  type: 'object',
  required: ['items'],
  properties: {
    apiVersion: text(API_VERSION),
    items: { description: 'Objects of the kind.', type: 'array', items: refTo(itemName) },
    kind: text(KIND),
    metadata: metaRef('ListMeta', LIST_METADATA),
  },
  'x-kubernetes-group-version-kind': [gvkJson(list)],
});
