/**
 * Brings recorded cases into the project: `npx tsx sim/cli/import-golden.ts DIR [AREA…]`. DIR holds a
 * directory of JSON files for each area. Writes one file for each area, `model/golden/cases/AREA.jsonl`,
 * a case on each line without its prose. Without areas, those that are there already are renewed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = join(import.meta.dirname, '../../model/golden/cases');
/** Members that only people read. */
const PROSE: ReadonlySet<string> = new Set(['doc', 'note', 'recordedFrom']);

const [source, ...named] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: import-golden.ts DIR [AREA…]');
mkdirSync(TARGET, { recursive: true });
const areas = named.length > 0 ? named : readdirSync(TARGET).map((file) => file.replace(/\.jsonl$/, ''));
for (const area of areas) importArea(join(source, area), area);

function importArea(directory: string, area: string): void {
  if (!existsSync(directory)) throw new Error(`no area ${area} in ${source}`);
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort();
  const lines = files.map((file) => compact(readFileSync(join(directory, file), 'utf8')));
  writeFileSync(join(TARGET, `${area}.jsonl`), `${lines.join('\n')}\n`);
  process.stdout.write(`${area}: ${lines.length} cases\n`);
}

/** Prose stands only at the case and at its steps: bodies may have members of the same names. */
function compact(text: string): string {
  const { steps, setup, cleanup, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({
    ...withoutProse(rest),
    ...(Array.isArray(setup) && { setup: setup.map(withoutProse) }),
    ...(Array.isArray(steps) && { steps: steps.map(withoutProse) }),
    ...(Array.isArray(cleanup) && { cleanup: cleanup.map(withoutProse) }),
  });
}

function withoutProse(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !PROSE.has(name)));
}
