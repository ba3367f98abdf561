/**
 * Writes the TypeScript types of the built-in kinds, `sim/api/types/`, out of the catalog: one module
 * for each group and version; and the handles by which clients name them, `sim/client/builtin-handles.ts`.
 * `npx tsx sim/cli/generate-types.ts`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResourceFact } from '../api/catalog/builtin-resources.ts';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { FieldSchema, ScalarName, Schema, StructSchema } from '../api/schema.ts';
import { typeDescription } from '../apiserver/openapi/descriptions.ts';
import { byKey } from '../api/go-text.ts';

const { types, kinds, resources } = RELEASE_1_31.catalog;
const TARGET = join(dirname(fileURLToPath(import.meta.url)), '../api/types');

const SCALARS: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  boolean: 'boolean',
  int32: 'number',
  int64: 'number',
  float64: 'number',
  bytes: 'string',
  timestamp: 'string',
  microtime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
};

/** What a text stands for. */
const SCALAR_DOCS: Partial<Readonly<Record<ScalarName, string>>> = {
  bytes: 'Base64.',
  timestamp: 'RFC 3339, whole seconds.',
  microtime: 'RFC 3339, with microseconds.',
  duration: 'Duration such as `1h30m`.',
  quantity: 'Quantity such as `500m`, `2` or `1Gi`.',
  intOrString: 'Number, or percentage such as `25%`, or name of a port.',
};

/** Written by hand in `sim/api/object.ts`. */
const BY_HAND: Readonly<Record<string, string>> = {
  'meta.k8s.io/v1.ObjectMeta': 'ObjectMeta',
  'meta.k8s.io/v1.ListMeta': 'ListMeta',
  'meta.k8s.io/v1.OwnerReference': 'OwnerReference',
  'meta.k8s.io/v1.ManagedFieldsEntry': 'ManagedFieldsEntry',
};

class Module {
  readonly structs = new Map<string, StructSchema>();
  readonly imports = new Map<string, Set<string>>();
}

const modules = new Map<string, Module>();
const objectKeys = new Set<string>();

const moduleNameOf = (key: string): string =>
  key.slice(0, key.lastIndexOf('.')).replaceAll('.', '-').replace('/', '-').replace(/^v1$/, 'core-v1');
const typeNameOf = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

function visit(schema: Schema): void {
  if (schema.kind === 'list') visit(schema.items);
  if (schema.kind === 'map') visit(schema.values);
  if (schema.kind !== 'struct' || schema.key === '' || schema.key in BY_HAND) return;
  const module = modules.get(moduleNameOf(schema.key)) ?? new Module();
  modules.set(moduleNameOf(schema.key), module);
  const name = typeNameOf(schema.key);
  if (module.structs.has(name)) return;
  module.structs.set(name, schema);
  for (const field of schema.fields) visit(field.schema);
}

function typeText(schema: Schema, module: string): string {
  switch (schema.kind) {
    case 'scalar':
      return SCALARS[schema.scalar];
    case 'opaque':
      return 'Json';
    case 'list':
      return `readonly ${wrapped(typeText(schema.items, module))}[]`;
    case 'map':
      return `Readonly<Record<string, ${typeText(schema.values, module)}>>`;
    case 'struct':
      return structText(schema, module);
  }
}

const wrapped = (text: string): string => (text.includes(' ') ? `(${text})` : text);

function structText({ key, customJson }: StructSchema, module: string): string {
  if (customJson) return 'Json';
  const known = BY_HAND[key];
  if (known) {
    importInto(module, '../object', known);
    return known;
  }
  if (moduleNameOf(key) !== module) importInto(module, `./${moduleNameOf(key)}`, typeNameOf(key));
  return typeNameOf(key);
}

function importInto(module: string, from: string, name: string): void {
  const { imports } = modules.get(module) ?? new Module();
  const names = imports.get(from) ?? new Set();
  names.add(name);
  imports.set(from, names);
}

/** What the catalog knows of a member, for whoever points at it. */
function fieldDoc(field: FieldSchema): string {
  const { schema, required, enum: words } = field;
  const facts = [
    schema.kind === 'scalar' ? SCALAR_DOCS[schema.scalar] : undefined,
    words && `One of ${words.map((word) => JSON.stringify(word)).join(', ')}.`,
    isTelling(field.default) ? `Default ${JSON.stringify(field.default)}.` : undefined,
    schema.kind === 'list' && schema.listMapKeys.length > 0
      ? `Items are told apart by ${schema.listMapKeys.join(', ')}.`
      : undefined,
    required ? 'Required.' : undefined,
    schema.kind === 'struct' ? typeDescription(typeNameOf(schema.key)) : undefined,
  ];
  return docText(facts.filter((fact) => fact !== undefined).join(' ') || undefined, '  ');
}

/** What Go's types are without a word is no news. */
const isTelling = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== 0 && JSON.stringify(value) !== '{}';

const docText = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

/** Closed: what the API refuses, the compiler refuses. Later releases may add words that answers then hold. */
function unionOf({ schema, required, enum: words, itemEnum }: FieldSchema): string | undefined {
  const union = (known: readonly string[]): string => known.map((word) => `'${word}'`).join(' | ');
  // Nothing said is the empty text, as Go has it.
  if (words && schema.kind === 'scalar' && !required) return union([...new Set([...words, ''])]);
  if (words && schema.kind === 'scalar') return union(words);
  if (itemEnum && schema.kind === 'list') return `readonly ${wrapped(union(itemEnum))}[]`;
  return undefined;
}

function fieldText(field: FieldSchema, module: string, isObject: boolean): string {
  const { name, schema, required } = field;
  if (isObject && (name === 'apiVersion' || name === 'kind')) return `  readonly ${name}: string;\n`;
  const isAlways = required || (isObject && name === 'metadata');
  const text = unionOf(field) ?? typeText(schema, module);
  if (text.includes('Json')) importInto(module, '../object', 'Json');
  return `${fieldDoc(field)}  readonly ${/^[a-zA-Z]\w*$/.test(name) ? name : JSON.stringify(name)}${isAlways ? '' : '?'}: ${text};\n`;
}

for (const { group, version, kind } of resources.all) {
  const key = kinds.find({ group, version, kind })?.typeKey;
  if (key === undefined) continue;
  objectKeys.add(key);
  visit(types.structOf(key));
}
for (const key of [
  'autoscaling/v1.Scale',
  'policy/v1.Eviction',
  'v1.Binding',
  'authentication.k8s.io/v1.TokenRequest',
  'meta.k8s.io/v1.LabelSelector',
]) {
  if (!key.includes('meta')) objectKeys.add(key);
  visit(types.structOf(key));
}

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const [name, module] of [...modules].sort(byKey)) {
  const bodies = [...module.structs].sort(byKey).map(([typeName, struct]) => {
    const isObject = objectKeys.has(struct.key);
    const fields = struct.fields.map((field) => fieldText(field, name, isObject)).join('');
    const about = docText(typeDescription(typeName), '');
    // An interface would need ApiObject's index signature, which lets every misspelt member pass.
    return isObject
      ? `${about}export type ${typeName} = {\n${fields}};\n`
      : `${about}export interface ${typeName} {\n${fields}}\n`;
  });
  const imports = [...module.imports]
    .sort(byKey)
    .map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}.ts';\n`);
  const head = `/** Generated from the catalog by sim/cli/generate-types.ts: types of ${name}. */\n`;
  writeFileSync(join(TARGET, `${name}.ts`), `${head}${imports.join('')}\n${bodies.join('\n')}`);
}

writeFileSync(join(TARGET, '../../client/builtin-handles.ts'), handlesText());

/** The preferred version of everything that is stored and served by default. */
function handlesText(): string {
  const preferred = new Map(
    resources.groups('default').map(({ name, preferredVersion }) => [name, preferredVersion]),
  );
  const facts = resources.all.filter(
    ({ group, version, verbs, isDefault }) =>
      isDefault && preferred.get(group) === version && verbs.includes('get'),
  );
  const taken = new Set<string>();
  const imported = new Map<string, Set<string>>();
  const rows: string[] = [];
  for (const fact of facts) {
    const { group, version, resource, kind, namespaced } = fact;
    const plural = camelPlural(fact);
    const name = taken.has(plural) ? `${plural}${version.toUpperCase()}` : plural;
    taken.add(name);
    const module = moduleNameOf(`${group ? `${group}/` : ''}${version}.${kind}`);
    imported.set(module, (imported.get(module) ?? new Set()).add(kind));
    const type = name === plural ? kind : `${kind}${version.toUpperCase()}`;
    if (type !== kind) imported.get(module)?.delete(kind);
    if (type !== kind) imported.get(module)?.add(`${kind} as ${type}`);
    rows.push(
      `  ${name}: handle<${type}>('${group}', '${version}', '${resource}', '${kind}', ${namespaced}),\n`,
    );
  }
  const imports = [...imported]
    .sort(byKey)
    .map(
      ([module, names]) =>
        `import type { ${[...names].sort().join(', ')} } from '../api/types/${module}.ts';\n`,
    );
  return `/** Generated from the catalog by sim/cli/generate-types.ts: the built-in resources in their preferred versions. */
import type { ApiObject } from '../api/object.ts';
${imports.join('')}import type { ResourceHandle } from './resource-handle.ts';

const handle = <T extends ApiObject>(
  group: string,
  version: string,
  resource: string,
  kind: string,
  isNamespaced: boolean,
): ResourceHandle<T> => ({ group, version, resource, kind, isNamespaced });

export const BUILTIN_HANDLES = {
${rows.join('')}} as const;
`;
}

/** `ConfigMap`, `configmaps` → `configMaps`: the kind's capitals, the resource's plural. */
function camelPlural({ kind, resource }: ResourceFact): string {
  const lower = kind.toLowerCase();
  let common = 0;
  while (common < lower.length && lower[common] === resource[common]) common++;
  const text = kind.slice(0, common) + resource.slice(common);
  const capitals = /^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/.exec(text)?.[0] ?? '';
  return capitals.toLowerCase() + text.slice(capitals.length);
}
