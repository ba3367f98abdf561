/**
 * `npm run mutants`: plants bugs one by one, each in a build of its own, and hunts them: first with the tests that hold
 * its room against a model over any order of acts, then with those of the shipped properties and scenarios that come by
 * the changed place (`hunter-builds.ts`). The bugs are data (`model/mutants/*.yaml`): a file, a text that is in it once,
 * and what stands there instead.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import { positiveNumber, regularExpression, shardText, type Shard, wholeNumber } from '../command-options.ts';
import { mechanicalMutants } from './mechanical.ts';
import { integerOf } from '../flag-values.ts';
import { byExamples, hunted, huntEverywhere, type HuntWays } from './hunt-everywhere.ts';
import { comparisonOf, keep, keptOf, lineOf, readKept, type Row, summaryOf } from './hunted-table.ts';
import { buildHunter, comeBy, readReach } from './hunter-builds.ts';
import type { Hunted } from './hunt.ts';
import { plantedBugs } from './planted-bugs.ts';
import type { Planted } from './planting.ts';

interface Flags extends HuntWays {
  readonly filter?: RegExp;
  readonly jobs: number;
  readonly shard?: Shard;
  readonly tests: boolean;
  readonly strategies: boolean;
  readonly keep: boolean;
  readonly missing: boolean;
  readonly out?: string;
  readonly mechanical?: number;
  readonly rooms: readonly string[];
  readonly seed: number;
}

const ROOT = resolve(import.meta.dirname, '../../..');
const ROOMS = [
  'sim/client',
  'sim/controllers',
  'sim/node',
  'sim/scheduler',
  'sim/storage',
  'sim/apiserver/verbs',
];

/** What keeps a mutant from being planted: the text must be there, once. */
function plantingProblem({ file, find }: Planted): string | undefined {
  const count = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  return count === 1 ? undefined : `its text is in ${file} ${count} times`;
}

/** Makes it when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Undefined: there is no program. */
const huntBy = async (
  strategy: StrategyName,
  program: string | undefined,
  { budget, among }: Flags,
): Promise<Hunted | undefined> =>
  program === undefined
    ? undefined
    : await hunted([program, String(budget), strategy, '', '', among], budget);

async function main(flags: Flags): Promise<number> {
  const { filter, shard, jobs, out, mechanical, rooms, seed, budget } = flags;
  const bugs = plantedBugs();
  const mutants =
    mechanical === undefined ? bugs : mechanicalMutants(ROOT, rooms, { count: mechanical, seed });
  const done = new Set(flags.missing ? readKept(bugs).map(({ name }) => name) : []);
  const chosen = mutants
    .filter(({ name }) => !done.has(name))
    .filter(({ name, file }) => filter?.test(`${name} ${file}`) ?? true)
    .filter((_, index) => !shard || index % shard.count === shard.index - 1);
  const rows: Row[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'kubesim-reach-'));
  const reach = once(() => readReach(flags.among, scratch));
  const right = once(() => buildHunter(scratch));
  // The program goes on changing: a bug that does not fit any more is said so, and planted anew by whoever reads that.
  const queue = chosen.filter((mutant) => {
    const problem = plantingProblem(mutant);
    if (problem !== undefined) process.stderr.write(`${mutant.name} cannot be planted: ${problem}\n`);
    return problem === undefined;
  });
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const dir = mkdtempSync(join(tmpdir(), 'kubesim-mutant-'));
      try {
        const program = once(() => buildHunter(dir, mutant).catch(() => undefined));
        const comeByFile = async (): Promise<string> => {
          const by = comeBy(await reach(), mutant);
          if (!by) return '';
          const file = join(dir, 'come-by.json');
          writeFileSync(file, JSON.stringify(by));
          return file;
        };
        for (const strategy of flags.strategies ? STRATEGIES : [undefined]) {
          const found = strategy
            ? await huntBy(strategy, await program(), flags)
            : await huntEverywhere({ mutant, program, comeByFile, right }, flags);
          if (!found) {
            process.stderr.write(`${mutant.name} cannot be built: ${mutant.about}\n`);
            break;
          }
          const row: Row = {
            mutant,
            ...(flags.tests ? await byExamples(found, mutant, budget) : found),
            ...(strategy && { strategy }),
          };
          rows.push(row);
          process.stdout.write(`${lineOf(row)}\n`);
          if (flags.keep) keep([keptOf(row, budget)], bugs);
        }
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  rmSync(scratch, { recursive: true, force: true });
  const told = flags.keep ? readKept(bugs) : rows.map((row) => keptOf(row, budget));
  process.stdout.write(flags.strategies ? comparisonOf(rows) : summaryOf(told));
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(rows, undefined, 1)}\n`);
  return rows.every(({ isFound }) => isFound) ? 0 : 1;
}

await new Command('mutants')
  .description('Plant bugs one by one and hunt them with the shipped models, properties and scenarios.')
  .option('--budget <seconds>', 'processor time for each', positiveNumber, 60)
  .option('--filter <expression>', 'only mutants whose name or file matches', regularExpression)
  .option('--jobs <number>', 'at the same time', positiveNumber, 1)
  .option('--shard <i/n>', 'only the i-th of n equal parts', shardText)
  .option('--shrink', 'also say how small the failure gets, and what it comes to', false)
  .option('--first', 'an account that differs is enough: no promise has to be broken', false)
  .option('--tests', 'what is not found otherwise is tried on the tests beside the code, too', false)
  .option('--strategies', 'compare the strategies of `kubesim explore` on the properties', false)
  .option('--among <path>', 'properties and scenarios to hunt with', 'scenarios')
  .option('--mechanical <number>', 'so many small changes at drawn places, instead of the list', wholeNumber)
  .option('--rooms <folders...>', 'where those are drawn', ROOMS)
  .option('--seed <number>', 'equal seeds, equal places', integerOf, 1)
  .option(
    '--keep',
    'write what is found into model/mutants/hunted.json, and sum up all that stands there',
    false,
  )
  .option('--missing', 'only those that do not stand there yet', false)
  .option('--out <file>', 'where to write the table as JSON')
  .action(async (flags: Flags) => {
    process.exitCode = await main(flags);
  })
  .parseAsync();
