/**
 * Published bugs of servers: each is planted into a build of its own, and hunted with one property that knows of no bug. The
 * same property on the program as it is has to stay green.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Hunted } from './hunt.ts';
import { buildHunter } from './hunter-builds.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import type { PublishedBug } from './published-table.ts';
import { shortened } from './sentence.ts';

export type PublishedPlanted = PlantedBug & Required<Pick<PlantedBug, 'published'>>;

const ROOT = resolve(import.meta.dirname, '../../..');
/** Real time may be several times that of the processor, when others work too. */
const PATIENCE = 8;

export const publishedPlanted = (): readonly PublishedPlanted[] =>
  plantedBugs().filter((each): each is PublishedPlanted => each.published !== undefined);

/** Undefined: the seeds of the budget do not find it. */
export async function huntedPlanted(
  { published: { property }, ...bug }: PublishedPlanted,
  budgetSeconds: number,
): Promise<PublishedBug['found']> {
  const dir = mkdtempSync(join(tmpdir(), 'kubesim-published-'));
  try {
    const program = await buildHunter(dir, bug);
    const among = join(ROOT, 'scenarios/published', `${property}.yaml`);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, String(budgetSeconds), 'promises', '', '', among],
      { cwd: ROOT, timeout: (budgetSeconds * PATIENCE + 60) * 1_000 },
    );
    return foundOf(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Hunted);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function foundOf(hunted: Hunted): PublishedBug['found'] {
  if (!hunted.isFound) return undefined;
  const { runs, cpuMs, steps, faults, choices, smallerMs = 0, detail = '', explanation = [] } = hunted;
  return {
    runs,
    cpuSeconds: Math.round(cpuMs / 100) / 10,
    ...(steps !== undefined && {
      steps: steps - (faults ?? 0),
      faults: faults ?? 0,
      ...(choices !== undefined && { choices }),
      smallerSeconds: Math.round(smallerMs / 100) / 10,
    }),
    sentences: [detail, ...explanation].map(shortened),
  };
}
