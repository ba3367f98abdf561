/**
 * The shapes of all built-in types of a release, by catalog key (`apps/v1.Deployment`, `v1.Pod`,
 * `meta.k8s.io/v1.ObjectMeta`). A group's table is parsed when one of its types is asked for, and a
 * schema is made once; equal keys give the same object, so callers may memoise by identity.
 * Knows nothing of kinds, resources or requests.
 */
import { append } from '../append.ts';
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

/** Of one group, by version. */
export type TypeTable = Readonly<Record<string, VersionTable>>;

export interface TypeTables {
  /** In discovery order; the core group is `''`. */
  readonly groups: Iterable<string>;
  /** Called once for each group, when one of its types is first asked for. */
  read(group: string): TypeTable | undefined;
}

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

const scalars = new Map<string, ScalarSchema>();
const opaques = new Map<OpaqueName, OpaqueSchema>();

/** `apps/v1.Deployment` → `apps/v1` and `Deployment`. */
const splitKey = (key: string): { groupVersion: string; name: string } => {
  const dot = key.lastIndexOf('.');
  return { groupVersion: key.slice(0, dot), name: key.slice(dot + 1) };
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

/** Of one release: equal keys give the same object. */
export class BuiltinTypes {
  readonly #tables: TypeTables;
  readonly #groups = new Map<string, TypeTable | undefined>();
  readonly #structs = new Map<string, StructSchema>();

  constructor(tables: TypeTables) {
    this.#tables = tables;
  }

  /**
   * The schema of a built-in type, made once.
   * @throws Error if the catalog has no struct of that key.
   */
  structOf(typeKey: string): StructSchema {
    const known = this.#structs.get(typeKey);
    if (known) return known;
    const row = this.#rowOf(typeKey);
    if (!row) throw new Error(`the catalog has no type ${typeKey}`);
    return this.#makeStruct(typeKey, row);
  }

  /** Whether the catalog has a struct of that key. */
  hasStruct(typeKey: string): boolean {
    const row = this.#rowOf(typeKey);
    return row !== undefined && row.w === undefined;
  }

  /** Keys of all built-in structs, in bytewise order within each group. */
  allKeys(): readonly string[] {
    const keys: string[] = [];
    for (const group of this.#tables.groups)
      for (const version of Object.keys(this.#group(group) ?? {})) append(keys, this.#keysOf(group, version));
    return keys;
  }

  #keysOf(group: string, version: string): readonly string[] {
    const groupVersion = group ? `${group}/${version}` : version;
    return Object.keys(this.#versionTable(groupVersion) ?? {})
      .filter((name) => name !== '')
      .map((name) => `${groupVersion}.${name}`)
      .filter((key) => this.hasStruct(key));
  }

  #group(group: string): TypeTable | undefined {
    if (this.#groups.has(group)) return this.#groups.get(group);
    const table = this.#tables.read(group);
    // Unknown groups are not kept: their names come from clients and have no bound.
    if (table) this.#groups.set(group, table);
    return table;
  }

  #versionTable(groupVersion: string): VersionTable | undefined {
    const slash = groupVersion.indexOf('/');
    const group = slash < 0 ? '' : groupVersion.slice(0, slash);
    return this.#group(group)?.[groupVersion.slice(slash + 1)];
  }

  #rowOf(key: string): TypeRow | undefined {
    const { groupVersion, name } = splitKey(key);
    const row = this.#versionTable(groupVersion)?.[name];
    return typeof row === 'object' ? row : undefined;
  }

  #schemaOf(type: string, scope: string, extras: FieldExtras): Schema {
    if (type.startsWith('[]')) return this.#listOf(type.slice(2), scope, extras);
    if (type.startsWith('map[string]')) {
      const values = this.#schemaOf(type.slice(11), scope, elementExtras(extras.g));
      return { kind: 'map', values, mapType: extras.mt ?? 'granular', ...(extras.g && { goType: extras.g }) };
    }
    if (isScalarName(type)) return scalarOf(type, extras.g);
    if (isOpaqueName(type)) return opaqueOf(type);
    const schema = this.#namedOf(inScope(type, scope));
    const isOverridden = schema.kind === 'struct' && extras.mt !== undefined && extras.mt !== schema.mapType;
    return isOverridden ? { ...schema, mapType: extras.mt } : schema;
  }

  #listOf(itemType: string, scope: string, extras: FieldExtras): ListSchema {
    return {
      kind: 'list',
      items: this.#schemaOf(itemType, scope, elementExtras(extras.g)),
      listType: extras.lt ?? 'atomic',
      listMapKeys: extras.lk ?? [],
      ...(extras.ps && { patchStrategy: extras.ps }),
      ...(extras.pk !== undefined && { patchMergeKey: extras.pk }),
      ...(extras.g && { goType: extras.g }),
    };
  }

  /** A named type is a struct, or a list that has a message of its own (`ExtraValue`, `Verbs`). */
  #namedOf(key: string): Schema {
    const row = this.#rowOf(key);
    if (row?.w === undefined) return this.structOf(key);
    const { groupVersion, name } = splitKey(key);
    const version = groupVersion.slice(groupVersion.indexOf('/') + 1);
    return {
      ...this.#listOf(row.w.slice(2), groupVersion, { g: `${version}.${name}` }),
      protoWrapped: true,
    };
  }

  #fieldOf(row: FieldRow, scope: string): FieldSchema {
    const [name, proto, type, flags, extras = {}] = row;
    const schema = this.#schemaOf(type, scope, extras);
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
  }

  #makeStruct(typeKey: string, row: TypeRow): StructSchema {
    const { groupVersion, name } = splitKey(typeKey);
    const fields: FieldSchema[] = [];
    const fieldsByName = new Map<string, FieldSchema>();
    const inlined: InlinedStruct[] = [];
    const openApiPrefix = this.#versionTable(groupVersion)?.[''];
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
    this.#structs.set(typeKey, schema);
    for (const fieldRow of row.f) {
      if (fieldRow[3] & INLINE) this.#addInlined(fieldRow, groupVersion, fields, inlined);
      else fields.push(this.#fieldOf(fieldRow, groupVersion));
    }
    for (const field of fields) fieldsByName.set(field.name, field);
    return schema;
  }

  #addInlined(
    [, proto, type]: FieldRow,
    scope: string,
    fields: FieldSchema[],
    inlined: InlinedStruct[],
  ): void {
    const schema = this.structOf(inScope(type, scope));
    // The members stand in the parent's JSON, but not in its message.
    for (const field of schema.fields) fields.push({ ...field, proto: 0 });
    if (proto > 0) inlined.push({ proto, schema });
  }
}

/** `~Name` is of the same group version. */
const inScope = (type: string, scope: string): string =>
  type.startsWith('~') ? `${scope}.${type.slice(1)}` : type;
