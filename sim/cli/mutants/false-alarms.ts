/**
 * `npm run false-alarms`: runs properties and scenarios, which are right, on the program, which is right, with ever more
 * seeds. Whatever is found is a mistake of the program, of a rule or of the scenario; that there is none, is what it counts.
 */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { type Shard, shardText, wholeNumber } from '../command-options.ts';
import { realTime } from '../explore-command.ts';
import { findScenarios } from '../run/find-scenarios.ts';

interface Flags {
  readonly for: number;
  readonly from: number;
  readonly shard?: Shard;
  readonly out?: string;
}

interface Alarm {
  readonly scenario: string;
  readonly seed: number;
  readonly property: string;
  readonly detail: string;
}

async function main(paths: readonly string[], flags: Flags): Promise<number> {
  const { from, shard = { index: 1, count: 1 }, out } = flags;
  const { scenarios } = await findScenarios(paths);
  const correct = scenarios.filter(({ expectsFailure }) => expectsFailure !== true);
  const ends = performance.now() + flags.for;
  const runs: Record<string, number> = {};
  const alarms: Alarm[] = [];
  let count = 0;
  for (let round = 0; performance.now() < ends; round++) {
    const seed = from + round * shard.count + shard.index - 1;
    for (const loaded of correct) {
      if (performance.now() >= ends) break;
      const { name } = loaded.scenario.metadata;
      const { failure } = await executeRun(loaded, {
        seed,
        makeWorld: createClusterWorld,
        looksCloser: false,
      });
      runs[name] = (runs[name] ?? 0) + 1;
      count++;
      if (!failure) continue;
      const alarm = { scenario: name, seed, property: failure.property, detail: failure.details[0] ?? '' };
      alarms.push(alarm);
      process.stdout.write(`${name} --seed ${seed}: ${alarm.property}: ${alarm.detail}\n`);
    }
  }
  process.stdout.write(
    `${count} runs of ${correct.length} scenarios and properties: ${alarms.length} alarms\n`,
  );
  if (out !== undefined)
    writeFileSync(out, `${JSON.stringify({ count, from, alarms, runs }, undefined, 1)}\n`);
  return alarms.length === 0 ? 0 : 1;
}

await new Command('false-alarms')
  .description('Run what is right with ever more seeds, and count what is found all the same.')
  .argument('[paths...]', 'properties and scenarios', ['scenarios'])
  .option('--for <duration>', 'how long', realTime, 60_000)
  .option('--from <seed>', 'first seed', wholeNumber, 100_000)
  .option('--shard <i/n>', 'only every n-th seed, beginning with the i-th', shardText)
  .option('--out <file>', 'where to write the counts as JSON')
  .action(async (paths: readonly string[], flags: Flags) => {
    process.exitCode = await main(paths, flags);
  })
  .parseAsync();
process.exit();
