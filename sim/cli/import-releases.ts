/**
 * Turns generated facts about other releases (`DIR/releases/`, differences to 1.31) into the tables under
 * `sim/api/release/tables/`: `npx tsx sim/cli/import-releases.ts DIR`; with `--check` it writes nothing and exits 1 if
 * a table is not what the facts give. What no fact says of 1.15, 1.16, 1.18, 1.19 is inferred: see `release-facts.ts`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gateTable } from './import-releases/gate-table.ts';
import { kindTable } from './import-releases/kind-table.ts';
import { readFacts } from './import-releases/release-facts.ts';
import { servedTable } from './import-releases/served-table.ts';
import { typeTable } from './import-releases/type-table.ts';

const TABLES_DIRECTORY = join(import.meta.dirname, '../api/release/tables');

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** All files, by name. */
function tableFiles(directory: string): ReadonlyMap<string, string> {
  const facts = readFacts(directory);
  const tables = {
    'type-changes': typeTable(facts),
    'kind-changes': kindTable(facts),
    'served-changes': servedTable(facts),
    'gate-stages': gateTable(facts),
  };
  return new Map(
    Object.entries(tables).map(([name, table]) => [
      `${name}.ts`,
      `// Made by sim/cli/import-releases.ts; parsed on first use.\nexport const ${name.toUpperCase().replaceAll('-', '_')} =\n  ${quoted(JSON.stringify(table))};\n`,
    ]),
  );
}

/** Names of the committed tables that are not what `directory` gives. */
export const differingReleaseTables = (directory: string): string[] =>
  [...tableFiles(directory)]
    .filter(([name, text]) => {
      const path = join(TABLES_DIRECTORY, name);
      return !existsSync(path) || readFileSync(path, 'utf8') !== text;
    })
    .map(([name]) => name);

function main(args: readonly string[]): number {
  const directory = args.find((arg) => !arg.startsWith('--'));
  if (directory === undefined) {
    console.error('usage: import-releases [--check] DIR');
    return 2;
  }
  if (args.includes('--check')) {
    const differing = differingReleaseTables(directory);
    for (const name of differing) console.error(`${name} differs from its source`);
    return differing.length > 0 ? 1 : 0;
  }
  mkdirSync(TABLES_DIRECTORY, { recursive: true });
  for (const [name, text] of tableFiles(directory)) writeFileSync(join(TABLES_DIRECTORY, name), text);
  return 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = main(process.argv.slice(2));
