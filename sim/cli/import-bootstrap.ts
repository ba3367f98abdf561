/**
 * Brings the roles and bindings of a fresh API server into the project: `npx tsx sim/cli/import-bootstrap.ts DIR`.
 * DIR holds what `kubectl get RESOURCE -A -o json` prints of a server without controllers: `clusterroles.json`,
 * `clusterrolebindings.json`, `roles.json`, `rolebindings.json`. What every object of them has is left out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = join(import.meta.dirname, '../apiserver/bootstrap/tables/rbac-defaults.ts');
const RESOURCES = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
const COMMON_LABEL = 'kubernetes.io/bootstrapping';

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: import-bootstrap.ts DIR');

const tables = Object.fromEntries(RESOURCES.map((resource) => [resource, rowsOf(source, resource)]));
writeFileSync(
  TARGET,
  `// Made by sim/cli/import-bootstrap.ts; parsed on first use.\nexport const RBAC_DEFAULTS =\n  '${JSON.stringify(tables).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}';\n`,
);

function rowsOf(directory: string, resource: string): readonly object[] {
  const { items } = JSON.parse(readFileSync(join(directory, `${resource}.json`), 'utf8')) as {
    items: Item[];
  };
  return items.map(rowOf);
}

function rowOf({
  metadata: { name, namespace, labels = {} },
  rules,
  aggregationRule,
  subjects,
  roleRef,
}: Item): object {
  const more = Object.entries(labels).filter(([label]) => label !== COMMON_LABEL);
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(more.length > 0 && { labels: Object.fromEntries(more) }),
    ...(rules !== undefined && { rules }),
    ...(aggregationRule !== undefined && { aggregationRule }),
    ...(subjects !== undefined && { subjects }),
    ...(roleRef !== undefined && { roleRef }),
  };
}
