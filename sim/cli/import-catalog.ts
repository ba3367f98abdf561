/**
 * Turns a directory of generated facts about the built-in API types into the compact tables under
 * `sim/api/catalog/tables/`: `npx tsx sim/cli/import-catalog.ts DIR`. With `--check DIR` it writes
 * nothing, says which tables differ from their source, and exits 1 if one does.
 * `go-type-names.json` beside this script adds the Go types of members whose name cannot be derived
 * (decoding errors print them); they were listed by reflection over the public API modules.
 */
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { digestOf } from '../api/catalog/digest.ts';

interface SourceField {
  readonly name: string;
  readonly type: string;
  readonly proto?: number;
  readonly omitempty?: boolean;
  /** As good as a pointer: left out where nothing is set. */
  readonly omitzero?: boolean;
  readonly pointer?: boolean;
  readonly inline?: boolean;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface SourceType {
  readonly fields: readonly SourceField[];
  readonly wrap?: string;
  readonly customJSON?: string;
  readonly leaf?: boolean;
}

export interface SourceFacts {
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly items?: SourceFacts;
  readonly additionalProperties?: SourceFacts;
}

export interface SourceExtras {
  readonly required?: readonly string[];
  readonly mapType?: string;
  readonly openapi: string;
  readonly fields?: Readonly<Record<string, SourceFacts>>;
  readonly unions?: unknown;
}

export interface SourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
  readonly list?: string;
  readonly listOf?: string;
  readonly lifecycle?: {
    readonly introduced?: string;
    readonly deprecated?: string;
    readonly removed?: string;
    readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
  };
}

interface SourceCommonKind {
  readonly kind: string;
  readonly type: string;
  readonly groupVersions?: readonly string[];
  readonly all?: boolean;
  readonly except?: readonly string[];
}

interface SourceSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly default: boolean;
}

export interface SourceResource extends Omit<SourceSubresource, 'name'> {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources: readonly SourceSubresource[];
}

interface SourceColumns {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly priority: number;
  }[];
}

interface SourceLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly labels: readonly string[];
  readonly unsupportedMessage: string;
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** `apps/v1.Deployment` → group `apps`, version `v1`, name `Deployment`. */
const splitTypeKey = (key: string): { group: string; version: string; name: string } => {
  const dot = key.lastIndexOf('.');
  const groupVersion = key.slice(0, dot);
  const slash = groupVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    name: key.slice(dot + 1),
  };
};

const relativeType = (type: string, owner: string): string => {
  const prefix = /^(?:\[\]|map\[string\])*/.exec(type)?.[0] ?? '';
  const rest = type.slice(prefix.length);
  const ownerScope = owner.slice(0, owner.lastIndexOf('.') + 1);
  return rest.startsWith(ownerScope) && !rest.slice(ownerScope.length).includes('.')
    ? `${prefix}~${rest.slice(ownerScope.length)}`
    : type;
};

export const fieldRow = (
  owner: string,
  field: SourceField,
  facts: SourceFacts,
  required: boolean,
  goType: string | undefined,
): unknown[] => {
  const flags =
    (field.omitempty ? 1 : 0) |
    (field.pointer || field.omitzero ? 2 : 0) |
    (field.inline ? 4 : 0) |
    (required ? 8 : 0);
  const elements = facts.items ?? facts.additionalProperties ?? {};
  const more = {
    ...(facts.listType && { lt: facts.listType }),
    ...(facts.listMapKeys && { lk: facts.listMapKeys }),
    ...(facts.mapType && { mt: facts.mapType }),
    ...(field.patchStrategy && { ps: field.patchStrategy }),
    ...(field.patchMergeKey && { pk: field.patchMergeKey }),
    ...(facts.default !== undefined && { d: facts.default }),
    ...(facts.enum && { e: facts.enum }),
    ...(elements.default !== undefined && { id: elements.default }),
    ...(elements.enum && { ie: elements.enum }),
    ...(goType && { g: goType }),
  };
  const row: unknown[] = [field.name, field.proto ?? 0, relativeType(field.type, owner), flags];
  return Object.keys(more).length > 0 ? [...row, more] : row;
};

const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(join(directory, file), 'utf8'));

/** Of members whose Go type cannot be derived, by `<type key>.<member>`. */
export const goTypeNames = (): Readonly<Record<string, string>> =>
  (readGoTypes ??= readJson(import.meta.dirname, 'go-type-names.json') as Record<string, string>);

let readGoTypes: Readonly<Record<string, string>> | undefined;

const typeTables = (directory: string): Map<string, string> => {
  const types = readJson(directory, 'types.json') as Record<string, SourceType>;
  const { types: extras } = readJson(directory, 'schema-extras.json') as {
    types: Record<string, SourceExtras>;
  };
  const goTypes = goTypeNames();
  const owners = ownersOfInlined(types);
  const groups = new Map<string, Record<string, Record<string, unknown>>>();
  for (const key of Object.keys(types).sort()) {
    const source = types[key];
    if (!source || source.leaf) continue;
    const { group, version, name } = splitTypeKey(key);
    const extra = extras[key];
    const told = extra ?? extras[owners.get(key) ?? ''];
    const required = new Set(told?.required);
    const fields = source.fields.map((field) =>
      fieldRow(
        key,
        field,
        told?.fields?.[field.name] ?? {},
        required.has(field.name),
        goTypes[`${key}.${field.name}`],
      ),
    );
    const versions = groups.get(group) ?? {};
    groups.set(group, versions);
    (versions[version] ??= {})[name] = {
      f: fields,
      ...(extra?.mapType && { m: extra.mapType }),
      ...(source.wrap && { w: source.wrap }),
      ...(source.customJSON && { c: source.customJSON }),
      ...(extra && { o: extra.openapi.slice(0, -name.length) }),
      ...(extra?.unions ? { u: extra.unions } : undefined),
    };
  }
  return new Map([...groups].map(([group, versions]) => [group, JSON.stringify(shareOpenApi(versions))]));
};

/** Of what has no schema of its own, the schema of the type that has its members among its own tells. */
const ownersOfInlined = (types: Readonly<Record<string, SourceType>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(types).flatMap(([key, { fields }]) =>
      fields.filter(({ inline }) => inline).map(({ type }) => [type, key] as const),
    ),
  );

/** The OpenAPI name's beginning is the same for all types of a version: it is kept once, under `''`. */
const shareOpenApi = (versions: Record<string, Record<string, unknown>>): unknown => {
  for (const types of Object.values(versions)) {
    let prefix: string | undefined;
    for (const entry of Object.values(types) as { o?: string | number }[]) {
      if (entry.o === undefined) continue;
      prefix = String(entry.o);
      entry.o = 1;
    }
    if (prefix) types[''] = prefix;
  }
  return versions;
};

/** As the tables have it. */
export function kindRow(kind: SourceKind): readonly unknown[] {
  const groupVersion = kind.group ? `${kind.group}/${kind.version}` : kind.version;
  const cycle = kind.lifecycle;
  const replacement = cycle?.replacement;
  const row: unknown[] = [
    kind.kind,
    kind.type === `${groupVersion}.${kind.kind}` ? 0 : kind.type,
    kind.list ?? 0,
    kind.listOf ?? 0,
    cycle?.introduced ?? 0,
    cycle?.deprecated ?? 0,
    cycle?.removed ?? 0,
    replacement ? [replacement.group, replacement.version, replacement.kind] : 0,
  ];
  while (row.at(-1) === 0) row.pop();
  return row;
}

const kindTable = (directory: string): string => {
  const source = readJson(directory, 'kinds.json') as {
    kinds: SourceKind[];
    common: SourceCommonKind[];
    groupVersions: string[];
  };
  const kinds: Record<string, unknown[]> = {};
  for (const kind of source.kinds) {
    const groupVersion = kind.group ? `${kind.group}/${kind.version}` : kind.version;
    const row = kindRow(kind);
    (kinds[groupVersion] ??= []).push(row);
  }
  return JSON.stringify({ kinds, common: source.common, groupVersions: source.groupVersions });
};

export const verbBits = (verbs: readonly string[]): number =>
  verbs.reduce((bits, verb) => {
    const index = VERBS.indexOf(verb);
    if (index < 0) throw new Error(`unknown verb ${verb}`);
    return bits | (1 << index);
  }, 0);

/** As the tables have it. */
export const resourceRow = (entry: SourceResource): unknown => ({
  g: entry.group,
  v: entry.version,
  r: entry.resource,
  s: entry.singular,
  k: entry.kind,
  b: verbBits(entry.verbs),
  ...(entry.namespaced && { n: 1 }),
  ...(entry.shortNames && { sn: entry.shortNames }),
  ...(entry.categories && { c: entry.categories }),
  ...(entry.storageVersionHash && { h: entry.storageVersionHash }),
  ...(entry.default && { d: 1 }),
  ...(entry.subresources.length > 0 && {
    u: entry.subresources.map((sub) => [
      sub.name,
      sub.group,
      sub.version,
      sub.kind,
      verbBits(sub.verbs),
      sub.default ? 1 : 0,
    ]),
  }),
});

const resourceTable = (directory: string): string => {
  const source = readJson(directory, 'resources.json') as {
    resources: SourceResource[];
    groups: Record<string, unknown>;
  };
  const resources = source.resources.map(resourceRow);
  return JSON.stringify({ resources, groups: source.groups });
};

const rowKey = (row: { group: string; version: string; resource: string }): string =>
  `${row.group}/${row.version}/${row.resource}`;

const columnTable = (directory: string): string => {
  const source = readJson(directory, 'columns.json') as SourceColumns[];
  return JSON.stringify(
    Object.fromEntries(
      source.map((row) => [
        rowKey(row),
        row.columns.map((column) => [column.name, column.type, column.format, column.priority]),
      ]),
    ),
  );
};

const labelTable = (directory: string): string => {
  const source = readJson(directory, 'fieldlabels.json') as SourceLabels[];
  const messages = [...new Set(source.map((row) => row.unsupportedMessage))].sort();
  const rows = Object.fromEntries(
    source.map((row) => [rowKey(row), [messages.indexOf(row.unsupportedMessage), ...row.labels]]),
  );
  return JSON.stringify({ messages, rows });
};

const constantName = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

const tableModule = (name: string, json: string): string =>
  `// Made by sim/cli/import-catalog.ts; parsed on first use.\nexport const ${constantName(name)} =\n  ${quoted(json)};\n`;

const groupFile = (group: string): string => `types-${group === '' ? 'core' : group.replaceAll('.', '-')}`;

const typeIndex = (groups: readonly string[]): string => {
  const lines = groups.map(
    (group) => `import { ${constantName(groupFile(group))} } from './${groupFile(group)}.ts';`,
  );
  const rows = groups.map((group) => `  [${quoted(group)}, ${constantName(groupFile(group))}],`);
  return `// Made by sim/cli/import-catalog.ts.\n${lines.join('\n')}\n\n/** Type tables by API group. */\nexport const TYPE_TABLES: ReadonlyMap<string, string> = new Map([\n${rows.join('\n')}\n]);\n`;
};

interface SourceLifeCycles {
  readonly kinds: Readonly<
    Record<
      string,
      {
        readonly first: string;
        readonly last: string;
        readonly introduced?: string;
        readonly deprecated?: string;
        readonly removed?: string;
        readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
      }
    >
  >;
}

/** Of each kind of any release: since when, deprecated, not served from, in favour of; empty where nothing is said. */
function lifeCycleTable(directory: string): string {
  const { kinds } = readJson(directory, 'releases/lifecycle.json') as SourceLifeCycles;
  const rows = Object.entries(kinds)
    .filter(([name]) => !name.endsWith('List'))
    .map(([name, { first, introduced, deprecated, removed, replacement: by }]) => [
      name,
      [
        introduced ?? first,
        deprecated ?? '',
        removed ?? '',
        by ? `${by.group === '' ? '' : `${by.group}/`}${by.version}.${by.kind}` : '',
      ],
    ]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** All files of `sim/api/catalog/tables`, by name. */
const tableFiles = (directory: string): Map<string, string> => {
  const files = new Map<string, string>();
  const types = typeTables(directory);
  const tables: [string, string][] = [
    ['kinds', kindTable(directory)],
    ['resources', resourceTable(directory)],
    ['columns', columnTable(directory)],
    ['field-labels', labelTable(directory)],
    ['life-cycles', lifeCycleTable(directory)],
    ...[...types].map(([group, json]): [string, string] => [groupFile(group), json]),
  ];
  for (const [name, json] of tables) files.set(`${name}.ts`, tableModule(name, json));
  files.set('type-tables.ts', typeIndex([...types.keys()]));
  const digests = tables.map(([name, json]) => `  ['${name}', '${digestOf(json)}'],\n`).join('');
  files.set(
    'digests.ts',
    `// Made by sim/cli/import-catalog.ts.\n/** Digest of each table, taken when it was made. */\nexport const TABLE_DIGESTS: ReadonlyMap<string, string> = new Map([\n${digests}]);\n`,
  );
  return files;
};

const TABLES_DIRECTORY = join(import.meta.dirname, '../api/catalog/tables');

/** Names of the committed tables that are not what `directory` gives. */
export const differingTables = (directory: string): string[] =>
  [...tableFiles(directory)]
    .filter(([name, text]) => {
      const path = join(TABLES_DIRECTORY, name);
      return !existsSync(path) || readFileSync(path, 'utf8') !== text;
    })
    .map(([name]) => name);

const main = (args: readonly string[]): number => {
  const check = args.includes('--check');
  const directory = args.find((arg) => !arg.startsWith('--'));
  if (!directory) {
    console.error('usage: import-catalog [--check] DIR');
    return 2;
  }
  if (!check) {
    for (const [name, text] of tableFiles(directory)) writeFileSync(join(TABLES_DIRECTORY, name), text);
    return 0;
  }
  const differing = differingTables(directory);
  for (const name of differing) console.error(`${name} differs from its source`);
  return differing.length > 0 ? 1 : 0;
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = main(process.argv.slice(2));
