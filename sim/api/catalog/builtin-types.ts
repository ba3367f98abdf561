/**
 * The shapes of all built-in types of release 1.31, by catalog key (`apps/v1.Deployment`, `v1.Pod`,
 * `meta.k8s.io/v1.ObjectMeta`). A group's table is parsed when one of its types is asked for, and a
 * schema is made once; equal keys give the same object, so callers may memoise by identity.
 * Knows nothing of kinds, resources or requests.
 */
import type {
  FieldSchema,
  InlinedStruct,
  ListSchema,
  OpaqueName,
  OpaqueSchema,
  ScalarName,
  ScalarSchema,
  Schema,
  StructSchema,
  CustomJson,
} from '../schema.ts';
import { TYPE_TABLES } from './tables/type-tables.ts';

interface FieldExtras {
  readonly lt?: ListSchema['listType'];
  readonly lk?: readonly string[];
  readonly mt?: 'granular' | 'atomic';
  readonly ps?: NonNullable<ListSchema['patchStrategy']>;
  readonly pk?: string;
  readonly d?: unknown;
  readonly e?: readonly string[];
  readonly id?: unknown;
  readonly ie?: readonly string[];
  readonly g?: string;
}

type FieldRow = readonly [name: string, proto: number, type: string, flags: number, extras?: FieldExtras];

interface TypeRow {
  readonly f: readonly FieldRow[];
  readonly m?: 'atomic';
  readonly w?: string;
  readonly c?: CustomJson;
  readonly o?: 1;
  readonly u?: unknown;
}

/** Types by name; `''` holds the beginning of their OpenAPI names. */
type VersionTable = Readonly<Record<string, TypeRow | string>>;

const OMIT_EMPTY = 1;
const POINTER = 2;
const INLINE = 4;
const REQUIRED = 8;

const SCALARS: ReadonlySet<string> = new Set<ScalarName>([
  'string',
  'boolean',
  'int32',
  'int64',
  'float64',
  'bytes',
  'timestamp',
  'microtime',
  'duration',
  'quantity',
  'intOrString',
]);
const OPAQUES: ReadonlySet<string> = new Set<OpaqueName>(['rawExtension', 'fieldsV1', 'json', 'any']);
const isScalarName = (type: string): type is ScalarName => SCALARS.has(type);
const isOpaqueName = (type: string): type is OpaqueName => OPAQUES.has(type);

const parsedGroups = new Map<string, Readonly<Record<string, VersionTable>>>();
const structs = new Map<string, StructSchema>();
const scalars = new Map<string, ScalarSchema>();
const opaques = new Map<OpaqueName, OpaqueSchema>();

/** `apps/v1.Deployment` → `apps/v1` and `Deployment`. */
const splitKey = (key: string): { groupVersion: string; name: string } => {
  const dot = key.lastIndexOf('.');
  return { groupVersion: key.slice(0, dot), name: key.slice(dot + 1) };
};

const versionTable = (groupVersion: string): VersionTable | undefined => {
  const slash = groupVersion.indexOf('/');
  const group = slash < 0 ? '' : groupVersion.slice(0, slash);
  let versions = parsedGroups.get(group);
  if (!versions) {
    const text = TYPE_TABLES.get(group);
    if (text === undefined) return undefined;
    versions = JSON.parse(text) as Readonly<Record<string, VersionTable>>;
    parsedGroups.set(group, versions);
  }
  return versions[groupVersion.slice(slash + 1)];
};

const rowOf = (key: string): TypeRow | undefined => {
  const { groupVersion, name } = splitKey(key);
  const row = versionTable(groupVersion)?.[name];
  return typeof row === 'object' ? row : undefined;
};

const scalarOf = (scalar: ScalarName, goType: string | undefined): ScalarSchema => {
  const memoKey = goType === undefined ? scalar : `${scalar} ${goType}`;
  const known = scalars.get(memoKey);
  if (known) return known;
  const schema: ScalarSchema = { kind: 'scalar', scalar, ...(goType !== undefined && { goType }) };
  scalars.set(memoKey, schema);
  return schema;
};

const opaqueOf = (opaque: OpaqueName): OpaqueSchema => {
  const known = opaques.get(opaque);
  if (known) return known;
  const schema: OpaqueSchema = { kind: 'opaque', opaque };
  opaques.set(opaque, schema);
  return schema;
};

/** Go type of the elements where the whole type says it: `[]v1.X` and `map[v1.K]v1.X` → `v1.X`. */
const elementExtras = (goType: string | undefined): FieldExtras => {
  const element = goType && /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(goType)?.[1];
  return element ? { g: element } : {};
};

const schemaOf = (type: string, scope: string, extras: FieldExtras): Schema => {
  if (type.startsWith('[]')) return listOf(type.slice(2), scope, extras);
  if (type.startsWith('map[string]')) {
    const values = schemaOf(type.slice(11), scope, elementExtras(extras.g));
    return { kind: 'map', values, mapType: extras.mt ?? 'granular', ...(extras.g && { goType: extras.g }) };
  }
  if (isScalarName(type)) return scalarOf(type, extras.g);
  if (isOpaqueName(type)) return opaqueOf(type);
  const schema = namedOf(type.startsWith('~') ? `${scope}.${type.slice(1)}` : type);
  const isOverridden = schema.kind === 'struct' && extras.mt !== undefined && extras.mt !== schema.mapType;
  return isOverridden ? { ...schema, mapType: extras.mt } : schema;
};

const listOf = (itemType: string, scope: string, extras: FieldExtras): ListSchema => {
  return {
    kind: 'list',
    items: schemaOf(itemType, scope, elementExtras(extras.g)),
    listType: extras.lt ?? 'atomic',
    listMapKeys: extras.lk ?? [],
    ...(extras.ps && { patchStrategy: extras.ps }),
    ...(extras.pk !== undefined && { patchMergeKey: extras.pk }),
    ...(extras.g && { goType: extras.g }),
  };
};

/** A named type is a struct, or a list that has a message of its own (`ExtraValue`, `Verbs`). */
const namedOf = (key: string): Schema => {
  const row = rowOf(key);
  if (row?.w === undefined) return structOf(key);
  const { groupVersion, name } = splitKey(key);
  const version = groupVersion.slice(groupVersion.indexOf('/') + 1);
  return { ...listOf(row.w.slice(2), groupVersion, { g: `${version}.${name}` }), protoWrapped: true };
};

const fieldOf = (row: FieldRow, scope: string): FieldSchema => {
  const [name, proto, type, flags, extras = {}] = row;
  const schema = schemaOf(type, scope, extras);
  return {
    name,
    schema,
    pointer: (flags & POINTER) !== 0,
    omitEmpty: (flags & OMIT_EMPTY) !== 0,
    required: (flags & REQUIRED) !== 0,
    ...(extras.d !== undefined && { default: extras.d }),
    ...(extras.e && { enum: extras.e }),
    ...(extras.id !== undefined && { itemDefault: extras.id }),
    ...(extras.ie && { itemEnum: extras.ie }),
    ...(schema.kind !== 'list' && extras.ps && { patchStrategy: extras.ps }),
    proto,
  };
};

/**
 * The schema of a built-in type, made once.
 * @throws Error if the catalog has no struct of that key.
 */
export const structOf = (typeKey: string): StructSchema => {
  const known = structs.get(typeKey);
  if (known) return known;
  const row = rowOf(typeKey);
  if (!row) throw new Error(`the catalog has no type ${typeKey}`);
  return makeStruct(typeKey, row);
};

const makeStruct = (typeKey: string, row: TypeRow): StructSchema => {
  const { groupVersion, name } = splitKey(typeKey);
  const fields: FieldSchema[] = [];
  const fieldsByName = new Map<string, FieldSchema>();
  const inlined: InlinedStruct[] = [];
  const openApiPrefix = versionTable(groupVersion)?.[''];
  const schema: StructSchema = {
    kind: 'struct',
    key: typeKey,
    goName: name,
    fields,
    fieldsByName,
    mapType: row.m ?? 'granular',
    preservesUnknownFields: false,
    ...(row.c && { customJson: row.c }),
    inlined,
    ...(row.o && typeof openApiPrefix === 'string' && { openApiName: openApiPrefix + name }),
    ...(row.u !== undefined && { unions: row.u }),
  };
  // Known before its members are looked at: types refer to themselves (JSONSchemaProps).
  structs.set(typeKey, schema);
  for (const fieldRow of row.f) {
    if (fieldRow[3] & INLINE) addInlined(fieldRow, groupVersion, fields, inlined);
    else fields.push(fieldOf(fieldRow, groupVersion));
  }
  for (const field of fields) fieldsByName.set(field.name, field);
  return schema;
};

const addInlined = (
  [, proto, type]: FieldRow,
  scope: string,
  fields: FieldSchema[],
  inlined: InlinedStruct[],
): void => {
  const schema = structOf(type.startsWith('~') ? `${scope}.${type.slice(1)}` : type);
  // The members stand in the parent's JSON, but not in its message.
  for (const field of schema.fields) fields.push({ ...field, proto: 0 });
  if (proto > 0) inlined.push({ proto, schema });
};

/** Whether the catalog has a struct of that key. */
export const hasStruct = (typeKey: string): boolean => {
  const row = rowOf(typeKey);
  return row !== undefined && row.w === undefined;
};

/** Keys of all built-in structs, in bytewise order within each group. */
export const allTypeKeys = (): readonly string[] => {
  const keys: string[] = [];
  for (const group of TYPE_TABLES.keys())
    for (const version of versionsOf(group)) keys.push(...typeKeysOf(group, version));
  return keys;
};

const versionsOf = (group: string): readonly string[] => {
  versionTable(group === '' ? '' : `${group}/`);
  return Object.keys(parsedGroups.get(group) ?? {});
};

const typeKeysOf = (group: string, version: string): readonly string[] => {
  const groupVersion = group ? `${group}/${version}` : version;
  return Object.keys(versionTable(groupVersion) ?? {})
    .filter((name) => name !== '')
    .map((name) => `${groupVersion}.${name}`)
    .filter(hasStruct);
};
