/**
 * `npm run published`: bugs that were told of in public, rebuilt as small operators beside the same operators mended
 * (`scenarios/published`, `scenarios/controllers`), or planted into the program (`published-planted.ts`). Each is hunted by seeds from 1 on: nobody says which story to draw, or
 * when something goes wrong. What finds it is made small and explained; the mended operator has to stay green.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { explore } from '../../../scenarios/explore/explore.ts';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import type { LoadedScenario } from '../../../scenarios/language/loaded-scenario.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import type { SmallestScenario } from '../../../reports/run-record.ts';
import { positiveNumber, regularExpression } from '../command-options.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import {
  type ComparedBug,
  type PublishedBug,
  publishedTable,
  type StrategyOutcome,
  strategiesTable,
} from './published-table.ts';
import { processorMs } from './processor-ms.ts';
import { huntedPlanted, publishedPlanted } from './published-planted.ts';
import { shortened } from './sentence.ts';

interface Flags {
  readonly budget: number;
  readonly green: number;
  readonly strategies: boolean;
  readonly filter?: RegExp;
  readonly out?: string;
}

export interface Pair {
  /** Such as `owner/repository#12`. */
  readonly thread: string;
  readonly bug: LoadedScenario;
  readonly mended: LoadedScenario;
}

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'model/mutants');
const FOLDERS = ['scenarios/published', 'scenarios/controllers'];
const THREAD = /\(([\w.-]+\/[\w.-]+#\d+)\)/;
const SHRINK_ATTEMPTS = 400;

export async function publishedPairs(): Promise<readonly Pair[]> {
  const { scenarios } = await findScenarios(FOLDERS.map((folder) => join(ROOT, folder)));
  return scenarios.flatMap((bug): readonly Pair[] => {
    const [, thread] = THREAD.exec(bug.scenario.spec.description ?? '') ?? [];
    if (!bug.draw || bug.expectsFailure !== true || thread === undefined) return [];
    const mended = scenarios.find((each) => each.file === bug.file && each !== bug && each.draw);
    return mended ? [{ thread, bug, mended }] : [];
  });
}

/** By its name, which is that of its file. */
export async function publishedProperty(name: string): Promise<LoadedScenario> {
  const { scenarios } = await findScenarios([join(ROOT, 'scenarios/published', `${name}.yaml`)]);
  const [property] = scenarios;
  if (!property?.draw) throw new Error(`there is no property scenarios/published/${name}.yaml`);
  return property;
}

/** Undefined: the seeds of the budget do not find it. */
export async function hunted(
  bug: LoadedScenario,
  budgetMs: number,
  shrinkAttempts = 0,
): Promise<PublishedBug['found']> {
  const { expectsFailure: _, draw, ...rest } = bug;
  const started = processorMs();
  for (let seed = 1; processorMs() - started < budgetMs; seed++) {
    const loaded: LoadedScenario = { ...rest, ...(draw && { draw }) };
    const run = { seed, makeWorld: createClusterWorld, looksCloser: false };
    if (!(await executeRun(loaded, run)).failure) continue;
    const seconds = (processorMs() - started) / 1_000;
    const { failure } = await executeRun(loaded, { ...run, shrinkAttempts });
    const { smallest, explanation = [] } = failure ?? {};
    const smallerSeconds = (processorMs() - started) / 1_000 - seconds;
    const [why = ''] = failure?.details ?? [];
    return {
      runs: seed,
      cpuSeconds: Math.round(seconds * 10) / 10,
      ...(smallest && sizesOf(smallest, smallerSeconds)),
      sentences: [why, ...explanation].map(shortened),
    };
  }
  return undefined;
}

const sizesOf = ({ steps, faults, choices }: SmallestScenario, smallerSeconds: number) => ({
  steps: steps - faults,
  faults,
  ...(choices !== undefined && { choices }),
  smallerSeconds: Math.round(smallerSeconds * 10) / 10,
});

/** How many of so many seeds fail. */
export async function alarmsOf(loaded: LoadedScenario, seeds: number): Promise<number> {
  let alarms = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const { failure } = await executeRun(loaded, { seed, makeWorld: createClusterWorld, looksCloser: false });
    if (failure) alarms++;
  }
  return alarms;
}

/** What each way of looking comes to within the same time. */
async function compared(bug: LoadedScenario, budgetMs: number): Promise<ComparedBug['strategies']> {
  const { expectsFailure: _, draw, ...rest } = bug;
  const loaded: LoadedScenario = { ...rest, ...(draw && { draw }) };
  const outcomes: Partial<Record<StrategyName, StrategyOutcome>> = {};
  for (const strategy of STRATEGIES) {
    const started = processorMs();
    const spent = (): number => processorMs() - started;
    let foundAt: number | undefined;
    let runs = 0;
    await explore([loaded], {
      strategy,
      makeWorld: createClusterWorld,
      done: new Map(),
      mayGoOn: () => foundAt === undefined && spent() < budgetMs,
      onAttempt: () => void runs++,
      onFound: () => (foundAt ??= spent()),
      shrinkAttempts: 0,
    });
    const isFound = foundAt !== undefined;
    outcomes[strategy] = { isFound, runs, cpuSeconds: Math.round((foundAt ?? spent()) / 100) / 10 };
  }
  return outcomes;
}

async function compareAll({ budget, filter, out = join(FOLDER, 'strategies.json') }: Flags): Promise<number> {
  const bugs: ComparedBug[] = [];
  for (const { thread, bug } of await publishedPairs()) {
    const { name } = bug.scenario.metadata;
    if (filter && !filter.test(`${name} ${thread}`)) continue;
    const row = { thread, property: name, strategies: await compared(bug, budget * 1_000) };
    bugs.push(row);
    process.stderr.write(`${JSON.stringify(row)}\n`);
  }
  process.stdout.write(strategiesTable(bugs));
  writeFileSync(out, `${JSON.stringify({ budgetSeconds: budget, bugs }, undefined, 2)}\n`);
  return 0;
}

async function huntAll({
  budget,
  green,
  filter,
  out = join(FOLDER, 'published.json'),
}: Flags): Promise<number> {
  const bugs: PublishedBug[] = [];
  const tell = async (
    { thread, property }: Pick<PublishedBug, 'thread' | 'property'>,
    right: LoadedScenario,
    hunt: () => Promise<PublishedBug['found']>,
  ): Promise<void> => {
    if (filter && !filter.test(`${property} ${thread}`)) return;
    const found = await hunt();
    const alarms = await alarmsOf(right, green);
    const row = { thread, property, ...(found && { found }), mended: { runs: green, alarms } };
    bugs.push(row);
    process.stderr.write(`${JSON.stringify(row)}\n`);
  };
  for (const { thread, bug, mended } of await publishedPairs())
    await tell({ thread, property: bug.scenario.metadata.name }, mended, () =>
      hunted(bug, budget * 1_000, SHRINK_ATTEMPTS),
    );
  for (const planted of publishedPlanted())
    await tell(planted.published, await publishedProperty(planted.published.property), () =>
      huntedPlanted(planted, budget),
    );
  process.stdout.write(publishedTable(bugs));
  writeFileSync(out, `${JSON.stringify({ bugs }, undefined, 2)}\n`);
  return bugs.every(({ found, mended }) => found && mended.alarms === 0) ? 0 : 1;
}

export const publishedCommand = (): Command =>
  new Command('published')
    .description('Hunt bugs that were told of in public, and run what mends them.')
    .option('--budget <seconds>', 'processor time for each', positiveNumber, 60)
    .option('--green <runs>', 'runs in which the mended operator has to pass', positiveNumber, 200)
    .option('--filter <expression>', 'only those whose name or thread matches', regularExpression)
    .option('--strategies', 'compare the strategies of `kubesim explore` on them instead', false)
    .option(
      '--out <file>',
      'where to write the table as JSON; default: published.json or strategies.json in model/mutants',
    )
    .action(async (flags: Flags) => {
      process.exitCode = await (flags.strategies ? compareAll(flags) : huntAll(flags));
    });
