/**
 * Runs every scenario once, every property with a few seeds, and what is drawn for accounts, and writes down which lines each
 * has come by (`reach.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { DRAWN, printsOf } from '../accounts/drawn.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { processorMs } from './processor-ms.ts';
import { reachOf } from './reach.ts';
import { ReachedLines } from './reached-lines.ts';

/** Each seed of a property is another story. */
const SEEDS = [1_000, 1_001, 1_002, 1_003, 1_004, 1_005];

const [root = '.', out = '', ...paths] = process.argv.slice(2);
const reached = new ReachedLines(root);
const { scenarios } = await findScenarios(paths);
const recorded = [];
reached.take();
for (const loaded of scenarios.filter(({ expectsFailure }) => expectsFailure !== true))
  for (const seed of loaded.draw ? SEEDS : [1]) {
    const started = processorMs();
    await executeRun(loaded, { seed, makeWorld: createClusterWorld, looksCloser: false });
    const ms = Math.round(processorMs() - started);
    recorded.push({ name: loaded.scenario.metadata.name, seed, ms, lines: reached.take() });
  }
for (const drawn of DRAWN) {
  const started = processorMs();
  printsOf(drawn);
  const ms = Math.round(processorMs() - started);
  recorded.push({ name: drawn.title, seed: 0, ms, lines: reached.take() });
}
const reach = reachOf(recorded, (file) => readFileSync(join(root, file), 'utf8'));
writeFileSync(out, JSON.stringify(reach));
process.exit(0);
