/**
 * `npm run false-alarms`: runs properties and scenarios, which are right, on the program, which is right, with ever more
 * seeds, each for the same time. Whatever is found is a mistake of the program, of a rule or of the scenario; that there is
 * none, is what it counts. A campaign may go on where it ended (`--out`).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { Command } from 'commander';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { type Shard, shardText, wholeNumber } from '../command-options.ts';
import { realTime } from '../explore-command.ts';
import { findScenarios } from '../run/find-scenarios.ts';

/** Whoever stops a campaign loses no more. */
const WRITES_EVERY_MS = 30_000;

interface Flags {
  readonly for: number;
  readonly from: number;
  readonly shard?: Shard;
  readonly out?: string;
}

/** What was run of one scenario or property. */
interface Done {
  readonly name: string;
  runs: number;
  nextSeed: number;
  tookMs: number;
  readonly alarms: { readonly seed: number; readonly property: string; readonly detail: string }[];
}

interface Turn {
  readonly loaded: LoadedScenario;
  readonly done: Done;
}

/** Who has had the least time is next, so what is quick draws more. */
const nextOf = (turns: readonly Turn[]): Turn | undefined =>
  turns.reduce<Turn | undefined>(
    (least, each) => (least && least.done.tookMs <= each.done.tookMs ? least : each),
    undefined,
  );

async function takeTurn({ loaded, done }: Turn, step: number): Promise<void> {
  const { name } = loaded.scenario.metadata;
  const seed = done.nextSeed;
  const began = performance.now();
  const { failure } = await executeRun(loaded, { seed, makeWorld: createClusterWorld, looksCloser: false });
  done.tookMs += performance.now() - began;
  done.nextSeed += step;
  done.runs++;
  if (!failure) return;
  done.alarms.push({ seed, property: failure.property, detail: failure.details[0] ?? '' });
  process.stdout.write(`${name} --seed ${seed}: ${failure.property}: ${failure.details[0] ?? ''}\n`);
}

/** What stands in the file that a campaign left. */
function before(out: string | undefined): ReadonlyMap<string, Done> {
  if (out === undefined || !existsSync(out)) return new Map();
  const { campaign } = JSON.parse(readFileSync(out, 'utf8')) as { campaign: readonly Done[] };
  return new Map(campaign.map((done) => [done.name, done]));
}

async function main(paths: readonly string[], flags: Flags): Promise<number> {
  const { from, shard = { index: 1, count: 1 }, out } = flags;
  const { scenarios } = await findScenarios(paths);
  const known = before(out);
  const turns = scenarios
    .filter(({ expectsFailure }) => expectsFailure !== true)
    .map((loaded): Turn => {
      const { name } = loaded.scenario.metadata;
      const nextSeed = from + shard.index - 1;
      return { loaded, done: known.get(name) ?? { name, runs: 0, nextSeed, tookMs: 0, alarms: [] } };
    });
  const campaign = turns.map(({ done }) => done);
  const write = (): void => {
    if (out !== undefined) writeFileSync(out, `${JSON.stringify({ campaign }, undefined, 1)}\n`);
  };
  let writtenAt = performance.now();
  for (const ends = writtenAt + flags.for; performance.now() < ends;) {
    const turn = nextOf(turns);
    if (!turn) break;
    await takeTurn(turn, shard.count);
    if (performance.now() - writtenAt < WRITES_EVERY_MS) continue;
    write();
    writtenAt = performance.now();
    if (process.stderr.isTTY) process.stderr.write(`\r${sumOf(campaign)}`);
  }
  write();
  process.stdout.write(`${sumOf(campaign)}\n`);
  return campaign.every(({ alarms }) => alarms.length === 0) ? 0 : 1;
}

function sumOf(campaign: readonly Done[]): string {
  const runs = campaign.reduce((sum, each) => sum + each.runs, 0);
  const alarms = campaign.reduce((sum, each) => sum + each.alarms.length, 0);
  const least = Math.min(...campaign.map((each) => each.runs));
  return `${runs} runs of ${campaign.length} scenarios and properties, at least ${least} of each: ${alarms} alarms`;
}

await new Command('false-alarms')
  .description('Run what is right with ever more seeds, and count what is found all the same.')
  .argument('[paths...]', 'properties and scenarios', ['scenarios'])
  .option('--for <duration>', 'how long', realTime, 60_000)
  .option('--from <seed>', 'first seed', wholeNumber, 100_000)
  .option('--shard <i/n>', 'only every n-th seed, beginning with the i-th', shardText)
  .option('--out <file>', 'where the counts are written as JSON; a campaign that is there goes on')
  .action(async (paths: readonly string[], flags: Flags) => {
    process.exitCode = await main(paths, flags);
  })
  .parseAsync();
process.exit();
