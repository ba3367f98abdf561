import { append } from '../../api/append.ts';
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import { byKey } from '../../api/go-text.ts';
import type { BuiltinSchemas } from './builtin-schemas.ts';
import { customKindSchema, customListSchema } from './custom-kind.ts';
import { customName, nameOfRef } from './schema-names.ts';

/** Schemas that a custom group brings, by name. */
export type CustomSchemas = ReadonlyMap<string, JsonObject>;

/** Schemas of the kinds that are not built in. @param declared the `openAPIV3Schema` of a kind, as its definition has it; undefined if it has none */
export function customSchemas(
  builtin: BuiltinSchemas,
  kinds: readonly GroupVersionKind[],
  declared: (kind: GroupVersionKind) => JsonObject | undefined,
): CustomSchemas {
  const schemas = new Map<string, JsonObject>();
  for (const kind of kinds) {
    if (builtin.isBuiltin(kind)) continue;
    const list = { ...kind, kind: `${kind.kind}List` };
    schemas.set(customName(kind), customKindSchema(kind, declared(kind) ?? {}));
    schemas.set(customName(list), customListSchema(list, customName(kind)));
  }
  return schemas;
}

/** All schemas that some part of a document refers to, directly or through other schemas, sorted by name. */
export function componentsFor(document: Json, custom: CustomSchemas, builtin: BuiltinSchemas): JsonObject {
  const found = new Map<string, JsonObject>();
  const waiting = [...refsIn(document)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const schema = custom.get(name) ?? builtin.schema(name);
    if (!schema) continue;
    found.set(name, schema);
    append(waiting, refsIn(schema));
  }
  return Object.fromEntries([...found].sort(byKey));
}

/** Names of the schemas that a value refers to. */
function refsIn(value: Json | undefined): Set<string> {
  const names = new Set<string>();
  collectRefs(value, names);
  return names;
}

function collectRefs(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [member, part] of Object.entries(value)) {
    if (member === '$ref' && typeof part === 'string') names.add(nameOfRef(part));
    else collectRefs(part, names);
  }
}
