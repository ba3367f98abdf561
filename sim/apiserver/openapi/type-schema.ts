/**
 * OpenAPI schemas of the built-in types, made from their shapes. They carry everything that clients act upon: types,
 * formats, references, required members, defaults, enums, and the merge rules as `x-kubernetes-*` extensions.
 * The catalog has no descriptions; those of kinds and common members are the project's own.
 */
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import type {
  FieldSchema,
  ListSchema,
  MapSchema,
  ScalarName,
  Schema,
  StructSchema,
} from '../../api/schema.ts';
import { memberDescription, typeDescription } from './descriptions.ts';
import { gvkJson, LEAF_NAMES, META_PREFIX, refTo } from './schema-names.ts';

const SCALAR_SCHEMAS: Readonly<Record<ScalarName, JsonObject>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  timestamp: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
};

const OBJECT: JsonObject = { type: 'object' };

/** Schemas that are no struct of the catalog. */
const LEAF_SCHEMAS: ReadonlyMap<string, JsonObject> = new Map([
  ...(['timestamp', 'microtime', 'duration', 'quantity', 'intOrString'] as const).map(
    (leaf) => [LEAF_NAMES[leaf] ?? leaf, SCALAR_SCHEMAS[leaf]] as const,
  ),
  ...(['rawExtension', 'fieldsV1'] as const).map((leaf) => [LEAF_NAMES[leaf] ?? leaf, OBJECT] as const),
  [LEAF_NAMES.json ?? 'json', {}],
  [`${META_PREFIX}Patch`, OBJECT],
  [
    'io.k8s.apimachinery.pkg.version.Info',
    infoSchema([
      'major',
      'minor',
      'gitVersion',
      'gitCommit',
      'gitTreeState',
      'buildDate',
      'goVersion',
      'compiler',
      'platform',
    ]),
  ],
]);

function infoSchema(members: readonly string[]): JsonObject {
  const property: JsonObject = { type: 'string', default: '' };
  return {
    type: 'object',
    required: members,
    properties: Object.fromEntries([...members].sort().map((name) => [name, property])),
  };
}

/** The schema of a leaf type by its OpenAPI name, if it is one. */
export const leafSchema = (name: string): JsonObject | undefined => LEAF_SCHEMAS.get(name);

/** Which kinds a type is, by its key. */
export type KindsByType = ReadonlyMap<string, readonly GroupVersionKind[]>;

/** The schema of a struct. */
export function structSchema(struct: StructSchema, kindsByType: KindsByType): JsonObject {
  const kinds = kindsByType.get(struct.key);
  const required = struct.fields.filter((field) => field.required).map(({ name }) => name);
  const sorted = [...struct.fields].sort((a, b) => (a.name < b.name ? -1 : 1));
  const type = struct.key.slice(struct.key.lastIndexOf('.') + 1);
  const description = typeDescription(type);
  return {
    ...(description !== undefined && { description }),
    // What is sometimes an array or a boolean has no one type.
    ...(!struct.customJson && OBJECT),
    ...(required.length > 0 && { required }),
    ...(!struct.customJson &&
      sorted.length > 0 && {
        properties: Object.fromEntries(
          sorted.map((field) => [
            field.name,
            fieldSchema(field, memberDescription(type, kinds !== undefined, field.name), kindsByType),
          ]),
        ),
      }),
    ...(kinds && { 'x-kubernetes-group-version-kind': kinds.map(gvkJson) }),
    ...(struct.mapType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
    ...(struct.unions !== undefined && { 'x-kubernetes-unions': struct.unions as Json }),
  };
}

function fieldSchema(field: FieldSchema, description: string | undefined, kinds: KindsByType): JsonObject {
  return withFacts(valueSchema(field.schema, kinds, field), {
    ...(description !== undefined && { description }),
    ...(field.default !== undefined && { default: field.default as Json }),
    ...(field.enum && { enum: field.enum }),
    ...(field.patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  });
}

/** Facts beside a reference would be ignored: the reference is wrapped. */
function withFacts(schema: JsonObject, facts: JsonObject): JsonObject {
  if (Object.keys(facts).length === 0) return schema;
  return '$ref' in schema ? { allOf: [schema], ...facts } : { ...schema, ...facts };
}

/** @param field the member whose elements these are, if any: it knows their default and enum */
function valueSchema(schema: Schema, kinds: KindsByType, field?: FieldSchema): JsonObject {
  switch (schema.kind) {
    case 'scalar': {
      const name = LEAF_NAMES[schema.scalar];
      return name ? refTo(name) : SCALAR_SCHEMAS[schema.scalar];
    }
    case 'opaque': {
      const name = LEAF_NAMES[schema.opaque];
      return name ? refTo(name) : OBJECT;
    }
    case 'struct':
      return schema.openApiName ? refTo(schema.openApiName) : structSchema(schema, kinds);
    case 'list':
      return listSchema(schema, kinds, field);
    case 'map':
      return mapSchema(schema, kinds, field);
  }
}

const listSchema = (list: ListSchema, kinds: KindsByType, field?: FieldSchema): JsonObject => ({
  type: 'array',
  items: elementSchema(list.items, kinds, field),
  'x-kubernetes-list-type': list.listType,
  ...(list.listMapKeys.length > 0 && { 'x-kubernetes-list-map-keys': list.listMapKeys }),
  ...(list.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': list.patchMergeKey }),
  ...(list.patchStrategy && { 'x-kubernetes-patch-strategy': list.patchStrategy }),
});

const mapSchema = (map: MapSchema, kinds: KindsByType, field?: FieldSchema): JsonObject => ({
  type: 'object',
  additionalProperties: elementSchema(map.values, kinds, field),
  ...(map.mapType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
});

const elementSchema = (schema: Schema, kinds: KindsByType, field?: FieldSchema): JsonObject =>
  withFacts(valueSchema(schema, kinds), {
    ...(field?.itemDefault !== undefined && { default: field.itemDefault as Json }),
    ...(field?.itemEnum && { enum: field.itemEnum }),
  });
