/**
 * Keeps what `kubesim verify --keep FILE` recorded of a real server: `npx tsx sim/cli/keep-found.ts AREA COUNT FILE…`
 * writes `model/golden/found/AREA.jsonl`. A case is kept up to the first step that the simulation answers
 * otherwise; cases of which nothing is left, or nothing new, are not.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from '../../model/golden/replay/compare.ts';
import type { GoldenCase, Step } from '../../model/golden/replay/golden-case.ts';
import { replayCase } from '../../model/golden/replay/replay-case.ts';
import { VirtualServer } from './golden/virtual-server.ts';
import { compactCase } from './verify/verify-report.ts';

const TARGET = join(import.meta.dirname, '../../model/golden/found');
/** A case without any difference has to be found in this many attempts. */
const ATTEMPTS = 5;
/** More of an answer is no longer worth its place. */
const MAX_LENGTH = 12_000;

const [area, limit = '', ...files] = process.argv.slice(2);
if (area === undefined || files.length === 0) throw new Error('usage: keep-found.ts AREA COUNT FILE…');
const server = new VirtualServer();
const kept = new Set<string>();
let replays = 0;
for (const golden of files.flatMap(casesOf)) {
  if (kept.size >= Number(limit)) break;
  const agreed = agreedPart(golden);
  const line = agreed && compactCase(agreed);
  if (line !== undefined && line.length <= MAX_LENGTH && passes(JSON.parse(line) as GoldenCase))
    kept.add(line);
}
mkdirSync(TARGET, { recursive: true });
writeFileSync(join(TARGET, `${area}.jsonl`), `${[...kept].join('\n')}\n`);
process.stdout.write(`${area}: ${kept.size} cases\n`);

function casesOf(file: string): readonly GoldenCase[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.jsonl'))
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as GoldenCase);
  const { doc: _doc, ...rest } = JSON.parse(text) as GoldenCase & { doc?: string };
  return [{ ...rest, name: rest.name ?? file.replace(/^.*\/|\.json$/g, '') }];
}

function agreedPart(golden: GoldenCase): GoldenCase | undefined {
  let { steps } = golden;
  for (let attempt = 0; attempt < ATTEMPTS && steps.length > 0; attempt += 1) {
    const part = { ...golden, steps };
    const first = firstDifference(part);
    if (!first) return hasNews(steps) ? part : undefined;
    steps = steps.slice(0, first.step - 1);
  }
  return undefined;
}

/** Whether anything was refused or warned of, or asked for in a way that is not plain. */
function hasNews(steps: readonly Step[]): boolean {
  return steps.length > 1 || /"status":4\d\d|"warning"/.test(JSON.stringify(steps));
}

function firstDifference(golden: GoldenCase): Difference | undefined {
  replays += 1;
  return replayCase(golden, server, `k${String(replays).padStart(6, '0')}`)[0];
}

/** What a case says of managers is not always beside the point. */
function passes(golden: GoldenCase): boolean {
  return firstDifference(golden) === undefined;
}
