/**
 * The OpenAPI schemas of one release's built-in types, by the names under which documents refer to them. Each is
 * made when it is first asked for and kept with the catalog, whichever server asks.
 */
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { Catalog } from '../../api/catalog/catalog.ts';
import type { JsonObject } from '../../api/object.ts';
import type { FieldSchema } from '../../api/schema.ts';
import { customName } from './schema-names.ts';
import { type KindsByType, leafSchema, structSchema } from './type-schema.ts';

const known = new WeakMap<Catalog, BuiltinSchemas>();

export function builtinSchemasOf(catalog: Catalog): BuiltinSchemas {
  let schemas = known.get(catalog);
  if (!schemas) known.set(catalog, (schemas = new BuiltinSchemas(catalog)));
  return schemas;
}

export class BuiltinSchemas {
  readonly #catalog: Catalog;
  readonly #schemas = new Map<string, JsonObject>();
  #keysByName: ReadonlyMap<string, string> | undefined;
  #kindsByType: KindsByType | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  isBuiltin(kind: GroupVersionKind): boolean {
    return this.#catalog.kinds.find(kind) !== undefined;
  }

  /** Schema name of a kind, built-in or custom. */
  nameOfKind(kind: GroupVersionKind): string {
    const fact = this.#catalog.kinds.find(kind);
    return (fact && this.#catalog.types.structOf(fact.typeKey).openApiName) ?? customName(kind);
  }

  /** Schema name of the list of a kind. */
  nameOfList(kind: GroupVersionKind): string {
    return this.nameOfKind({ ...kind, kind: this.#catalog.kinds.find(kind)?.list ?? `${kind.kind}List` });
  }

  /** The members of an options kind, such as `PodExecOptions`. */
  membersOf(kind: GroupVersionKind): readonly FieldSchema[] {
    const { types, kinds } = this.#catalog;
    const typeKey = kinds.find(kind)?.typeKey;
    if (!typeKey || !types.hasStruct(typeKey)) return [];
    return types.structOf(typeKey).fields.filter(({ name }) => name !== 'kind' && name !== 'apiVersion');
  }

  /** Undefined: no built-in type has that name. */
  schema(name: string): JsonObject | undefined {
    const leaf = leafSchema(name);
    if (leaf) return leaf;
    const schema = this.#schemas.get(name);
    if (schema) return schema;
    const key = this.#keys().get(name);
    if (key === undefined) return undefined;
    const made = structSchema(this.#catalog.types.structOf(key), this.#kinds());
    this.#schemas.set(name, made);
    return made;
  }

  /** Catalog keys by their names in OpenAPI. */
  #keys(): ReadonlyMap<string, string> {
    const { types } = this.#catalog;
    return (this.#keysByName ??= new Map(
      types.allKeys().flatMap((key) => {
        const { openApiName } = types.structOf(key);
        return openApiName === undefined ? [] : [[openApiName, key] as const];
      }),
    ));
  }

  /** Which kinds a type is, in the order of groups and versions. */
  #kinds(): KindsByType {
    if (this.#kindsByType) return this.#kindsByType;
    const { kinds } = this.#catalog;
    const found = new Map<string, GroupVersionKind[]>();
    for (const fact of [...kinds.groupVersions].sort().flatMap((version) => kinds.of(version))) {
      const same = found.get(fact.typeKey);
      if (same) same.push(fact);
      else found.set(fact.typeKey, [fact]);
    }
    return (this.#kindsByType = found);
  }
}
