/**
 * Published bugs of servers: each is planted into a build of its own, and hunted with one property that knows of no bug. The
 * same property on the program as it is has to stay green.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { Hunted } from './hunt.ts';
import { buildHunter } from './hunter-builds.ts';
import type { Planted } from './planting.ts';
import type { PublishedBug } from './published-table.ts';

export interface PublishedPlanted extends Planted {
  readonly name: string;
  readonly published: {
    /** Such as `owner/repository#12`. */
    readonly thread: string;
    readonly property: string;
  };
}

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'model/mutants');
const LONGEST_SENTENCE = 400;
/** Real time may be several times that of the processor, when others work too. */
const PATIENCE = 8;

export function publishedPlanted(): readonly PublishedPlanted[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap(
      (name) => parse(readFileSync(join(FOLDER, name), 'utf8')) as readonly Partial<PublishedPlanted>[],
    )
    .filter((each): each is PublishedPlanted => each.published !== undefined);
}

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
  const { runs, cpuMs, steps, faults, detail = '', explanation = [] } = hunted;
  return {
    runs,
    cpuSeconds: Math.round(cpuMs / 100) / 10,
    ...(steps !== undefined && { steps: steps - (faults ?? 0), faults: faults ?? 0 }),
    sentences: [detail, ...explanation].map((sentence) => sentence.slice(0, LONGEST_SENTENCE)),
  };
}
