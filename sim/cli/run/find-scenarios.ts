/** Finds scenario files and reads them: all that are good, and everything that is wrong with the others. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadScenarios, type LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { formatProblems } from '../../../scenarios/language/problem.ts';

export interface FoundScenarios {
  readonly scenarios: readonly LoadedScenario[];
  /** Texts for the terminal, one for each bad file. */
  readonly problems: readonly string[];
}

export async function findScenarios(paths: readonly string[]): Promise<FoundScenarios> {
  const scenarios: LoadedScenario[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const files = await filesAt(path);
    if (files === undefined) problems.push(`${path}: there is no such file or folder`);
    else if (files.length === 0)
      problems.push(`${path}: there are no scenarios (files that end in .yaml or .yml)`);
    for (const file of files ?? []) {
      for (const result of loadScenarios(file, await readFile(file, 'utf8'))) {
        if (result.kind === 'loaded') scenarios.push(result.loaded);
        else problems.push(formatProblems(result.problems, result.text));
      }
    }
  }
  return { scenarios, problems: [...problems, ...repeatedNames(scenarios)] };
}

function repeatedNames(scenarios: readonly LoadedScenario[]): string[] {
  const firsts = new Map<string, LoadedScenario>();
  return scenarios.flatMap((loaded) => {
    const { file, scenario, locate } = loaded;
    const { name } = scenario.metadata;
    const first = firsts.get(name);
    firsts.set(name, first ?? loaded);
    // A file may be named twice on the command line.
    if (!first || (first.file === file && isAtSamePlace(first, loaded))) return [];
    const other = first.file;
    const { line, column } = locate(['metadata', 'name']);
    return [
      `${file}:${line}:${column}: the name \`${name}\` is taken by ${other}\n  expected: a name of its own for every scenario`,
    ];
  });
}

const isAtSamePlace = (a: LoadedScenario, b: LoadedScenario): boolean =>
  a.locate(['metadata', 'name']).line === b.locate(['metadata', 'name']).line;

/** Undefined when there is nothing at the path. In order of their names. */
async function filesAt(path: string): Promise<string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const nested = await Promise.all(
    sorted.map(async (entry) => {
      if (entry.isDirectory())
        return entry.name === 'node_modules' ? [] : ((await filesAt(join(path, entry.name))) ?? []);
      return /\.ya?ml$/.test(entry.name) ? [join(path, entry.name)] : [];
    }),
  );
  return nested.flat();
}
