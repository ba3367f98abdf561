/**
 * `npm run mutants`: plants bugs one by one, each in a build of its own, and hunts them: first with the tests that hold
 * its room against a model over any order of acts, then with those of the shipped properties and scenarios that come by
 * the changed place (`hunter-builds.ts`). The bugs are data (`model/mutants/*.yaml`): a file, a text that is in it once,
 * and what stands there instead.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import { positiveNumber, regularExpression, shardText, type Shard, wholeNumber } from '../command-options.ts';
import type { Hunted } from './hunt.ts';
import { mechanicalMutants } from './mechanical.ts';
import { integerOf } from '../flag-values.ts';
import { buildHunter, comeBy, readReach } from './hunter-builds.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import type { Planted } from './planting.ts';

interface Flags {
  readonly budget: number;
  readonly filter?: RegExp;
  readonly jobs: number;
  readonly shard?: Shard;
  readonly shrink: boolean;
  readonly tests: boolean;
  readonly first: boolean;
  readonly strategies: boolean;
  readonly among: string;
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

/** Real time may be several times that of the processor, when others work too. */
const PATIENCE = 8;

/** Runs a program that says in its last line what it has found. */
function hunted(args: readonly string[], budget: number): Promise<Hunted> {
  const timeout = (budget * PATIENCE + 60) * 1_000;
  return new Promise((settle) => {
    execFile(process.execPath, args, { cwd: ROOT, timeout, maxBuffer: 1 << 26 }, (error, stdout) => {
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (line.startsWith('{')) settle(JSON.parse(line) as Hunted);
      else
        settle({
          isFound: true,
          by: 'start',
          property: 'ends badly, or never',
          detail: error?.message.slice(0, 200) ?? '',
          cpuMs: budget * 1_000,
          runs: 0,
        });
    });
  });
}

const MODELS = join(ROOT, 'sim/cli/mutants/try-models.ts');

const tryModels = (
  { file, find, replace }: Planted,
  budget: number,
  what: 'models' | 'longer' | 'tests' = 'models',
): Promise<Hunted> =>
  hunted(['--import', 'tsx', MODELS, JSON.stringify({ file, find, replace }), what], budget);

interface Prey {
  readonly mutant: PlantedBug;
  readonly program: string;
  /** Runs that come by its place. */
  readonly comeByFile: string;
  /** The hunter without a bug. */
  readonly right: string;
}

/** Whether the same run fails on the right program. */
async function isAlarm({ isFound, by, seed }: Hunted, right: string, among: string): Promise<boolean> {
  if (!isFound || by === undefined || seed === undefined) return false;
  return (await hunted([right, '1', `again:${by}:${seed}`, '', '', among], 60)).isFound;
}

const NOTHING: Hunted = { isFound: false, cpuMs: 0, runs: 0 };

/** Those that are quick draw others too, for as long as there is time. */
async function huntByModels(mutant: PlantedBug, budget: number): Promise<Hunted> {
  const { file, find } = mutant;
  const spent = { cpuMs: 0, runs: 0 };
  for (const what of ['models', 'longer'] as const) {
    const found = await tryModels(mutant, budget, what);
    spent.cpuMs += found.cpuMs;
    spent.runs += found.runs;
    if (found.isFound) {
      // What breaks on the right program, too, says nothing.
      if (!(await tryModels({ file, find, replace: find }, budget, what)).isFound)
        return { ...found, ...spent };
      process.stderr.write(`an alarm: the right program fails in ${found.by ?? ''} too\n`);
    }
    if (found.runs === 0 || spent.cpuMs > (budget * 1_000) / 3) break;
  }
  return { isFound: false, ...spent };
}

/** Models first, as they take seconds; scenarios and properties have the rest of the budget. */
async function huntEverywhere({ mutant, program, comeByFile, right }: Prey, flags: Flags): Promise<Hunted> {
  const { budget, among } = flags;
  const { caughtBy } = mutant;
  const byModels = caughtBy === undefined ? await huntByModels(mutant, budget) : NOTHING;
  if (byModels.isFound) return byModels;
  const ways = flags.shrink ? 'shrink' : flags.first ? 'first' : 'no';
  const mode = caughtBy === undefined ? ways : `rule:${caughtBy}`;
  const alarms: string[] = [];
  for (let cpuMs = byModels.cpuMs, runs = 0; ;) {
    const left = String(Math.max(1, budget - cpuMs / 1_000));
    const found = await hunted([program, left, mode, comeByFile, alarms.join(), among], budget);
    [cpuMs, runs] = [cpuMs + found.cpuMs, runs + found.runs];
    // A program that ends badly is caught by nobody's rule.
    if (caughtBy !== undefined && found.property !== `checker ${caughtBy}`)
      return { isFound: false, cpuMs, runs };
    if (!(await isAlarm(found, right, among))) return { ...found, cpuMs, runs };
    // The hunt goes on without it.
    const run = `${found.by ?? ''}:${found.seed ?? ''}`;
    process.stderr.write(`an alarm: the right program fails in ${run} too\n`);
    if (alarms.includes(run) || cpuMs >= budget * 1_000) return { isFound: false, cpuMs, runs };
    alarms.push(run);
  }
}

/** What breaks no promise may break examples beside the code, where those are asked too. */
async function byExamples(found: Hunted, mutant: PlantedBug, { tests, budget }: Flags): Promise<Hunted> {
  if (!tests || (found.isFound && !isByAccount(found))) return found;
  const broken = await tryModels(mutant, budget, 'tests');
  return broken.isFound ? { ...broken, cpuMs: found.cpuMs + broken.cpuMs } : found;
}

const isByAccount = ({ property = '' }: Hunted): boolean => property.startsWith('account ');

interface Row extends Hunted {
  readonly mutant: PlantedBug;
  readonly strategy?: StrategyName;
}

async function main(flags: Flags): Promise<number> {
  const { filter, shard, jobs, out, mechanical, rooms, seed } = flags;
  const mutants =
    mechanical === undefined ? plantedBugs() : mechanicalMutants(ROOT, rooms, { count: mechanical, seed });
  const chosen = mutants
    .filter(({ name, file }) => filter?.test(`${name} ${file}`) ?? true)
    .filter((_, index) => !shard || index % shard.count === shard.index - 1);
  const rows: Row[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'kubesim-reach-'));
  const reach = await readReach(flags.among, scratch);
  const right = await buildHunter(scratch);
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
        const program = await buildHunter(dir, mutant).catch(() => undefined);
        if (program === undefined) {
          process.stderr.write(`${mutant.name} cannot be built: ${mutant.about}\n`);
          continue;
        }
        const by = comeBy(reach, mutant);
        const comeByFile = by ? join(dir, 'come-by.json') : '';
        if (by) writeFileSync(comeByFile, JSON.stringify(by));
        for (const strategy of flags.strategies ? STRATEGIES : [undefined]) {
          const found = strategy
            ? await hunted([program, String(flags.budget), strategy, '', '', flags.among], flags.budget)
            : await huntEverywhere({ mutant, program, comeByFile, right }, flags);
          const row: Row = {
            mutant,
            ...(await byExamples(found, mutant, flags)),
            ...(strategy && { strategy }),
          };
          rows.push(row);
          process.stdout.write(`${lineOf(row)}\n`);
        }
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  rmSync(scratch, { recursive: true, force: true });
  process.stdout.write(flags.strategies ? comparisonOf(rows) : summaryOf(rows));
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(rows, undefined, 1)}\n`);
  return rows.every(({ isFound }) => isFound) ? 0 : 1;
}

function lineOf({ mutant, strategy, isFound, by, seed, property, cpuMs, steps, faults }: Row): string {
  const time = `${(cpuMs / 1_000).toFixed(1)}s${strategy ? ` ${strategy}` : ''}`.padStart(6);
  if (!isFound) return `missed ${time} ${mutant.name}: ${mutant.about}`;
  const size = steps === undefined ? '' : ` [${steps} steps, ${faults ?? 0} faults]`;
  return `found  ${time} ${mutant.name}: ${property ?? ''} (${by ?? ''} ${seed ?? ''})${size}`;
}

/** How many of the same bugs each strategy has found, and how soon. */
function comparisonOf(rows: readonly Row[]): string {
  const lines = STRATEGIES.map((strategy) => {
    const own = rows.filter((row) => row.strategy === strategy);
    const found = own.filter(({ isFound }) => isFound);
    const mean = found.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / Math.max(1, found.length) / 1_000;
    return `${strategy.padEnd(14)} ${found.length} of ${own.length} found; mean ${mean.toFixed(1)}s`;
  });
  return `\n${lines.join('\n')}\n`;
}

function summaryOf(rows: readonly Row[]): string {
  const times = rows
    .filter(({ isFound }) => isFound)
    .map(({ cpuMs }) => cpuMs / 1_000)
    .sort((a, b) => a - b);
  const mean = times.reduce((sum, each) => sum + each, 0) / Math.max(1, times.length);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const missed = rows.filter(({ isFound }) => !isFound).map(({ mutant }) => mutant.name);
  const only = rows.filter(isByAccount).length;
  const byTests = rows.filter(({ property = '' }) => property.startsWith('test ')).length;
  const ways = `${byTests > 0 ? `, ${byTests} by examples` : ''}${only > 0 ? `, ${only} by accounts alone` : ''}`;
  return `\n${times.length} of ${rows.length} found${ways}; median ${median.toFixed(1)}s, mean ${mean.toFixed(1)}s of processor time${missed.length > 0 ? `\nmissed: ${missed.join(', ')}` : ''}\n`;
}

await new Command('mutants')
  .description('Plant bugs one by one and hunt them with the shipped models, properties and scenarios.')
  .option('--budget <seconds>', 'processor time for each', positiveNumber, 60)
  .option('--filter <expression>', 'only mutants whose name or file matches', regularExpression)
  .option('--jobs <number>', 'at the same time', positiveNumber, 1)
  .option('--shard <i/n>', 'only the i-th of n equal parts', shardText)
  .option('--shrink', 'also say how small the failure gets', false)
  .option('--first', 'an account that differs is enough: no promise has to be broken', false)
  .option('--tests', 'what is not found otherwise is tried on the tests beside the code, too', false)
  .option('--strategies', 'compare the strategies of `kubesim explore` on the properties', false)
  .option('--among <path>', 'properties and scenarios to hunt with', 'scenarios')
  .option('--mechanical <number>', 'so many small changes at drawn places, instead of the list', wholeNumber)
  .option('--rooms <folders...>', 'where those are drawn', ROOMS)
  .option('--seed <number>', 'equal seeds, equal places', integerOf, 1)
  .option('--out <file>', 'where to write the table as JSON')
  .action(async (flags: Flags) => {
    process.exitCode = await main(flags);
  })
  .parseAsync();
