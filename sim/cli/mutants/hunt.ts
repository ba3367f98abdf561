/**
 * Hunts for what is wrong with the program that it is built into: runs scenarios and draws from properties, ever more
 * seeds, in the order of `hunt-plan.ts`, until something does not hold or the budget is spent. Says in one line of JSON what it has found. Each build has
 * one planted bug, or none.
 */
import { readFileSync } from 'node:fs';
import { explore, type Found } from '../../../scenarios/explore/explore.ts';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { Account } from '../accounts/account.ts';
import { accountedWorld, runName } from '../accounts/accounted-run.ts';
import { type Drawn, DRAWN, printsOf, readDrawn } from '../accounts/drawn.ts';
import { type Fingerprints, readAccounts, unlike } from '../accounts/known-accounts.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { huntPlan } from './hunt-plan.ts';
import { processorMs } from './processor-ms.ts';
import type { RecordedRun } from './reach.ts';

export interface Hunted {
  readonly isFound: boolean;
  readonly by?: string;
  readonly seed?: number;
  readonly property?: string;
  readonly detail?: string;
  /** Of the processor, until it was found or given up. */
  readonly cpuMs: number;
  readonly runs: number;
  /** Of the smallest scenario that breaks the same promise. */
  readonly steps?: number;
  readonly faults?: number;
  /** Decisions of chance that it names; undefined: it has those of its seed. */
  readonly choices?: number;
  /** Of the processor, to make it small and to explain it. */
  readonly smallerMs?: number;
  /** What it says of how that came about. */
  readonly explanation?: readonly string[];
}

const SHRINK_ATTEMPTS = 400;
const NO_ACCOUNTS: ReadonlyMap<string, Fingerprints> = new Map();

interface HuntOptions {
  readonly shrinks: boolean;
  /** An account that differs ends the hunt. */
  readonly isQuick: boolean;
  readonly comeBy: readonly RecordedRun[] | undefined;
  /** The only rule whose word counts; else whatever does not hold. */
  readonly rule: string | undefined;
  /** Runs in which the right program fails, too. */
  readonly alarms: readonly string[];
  /** Only what does not hold counts; nobody looks whether something is another than before. */
  readonly byPromises?: boolean;
}

async function hunt(
  budgetMs: number,
  { shrinks, isQuick, comeBy, rule, alarms, byPromises = rule !== undefined }: HuntOptions,
  paths: readonly string[],
): Promise<Hunted> {
  const { scenarios } = await findScenarios(paths);
  const started = processorMs();
  const properties = scenarios.filter(({ draw, expectsFailure }) => draw && !expectsFailure);
  const scripted = scenarios.filter(({ draw }) => !draw);
  const known = byPromises ? NO_ACCOUNTS : readAccounts(process.cwd());
  let [runs, differing] = [0, undefined as Hunted | undefined];
  for (const drawn of byPromises ? [] : drawnToTry(comeBy)) {
    if ((differing && isQuick) || processorMs() - started > budgetMs) break;
    if (alarms.includes(`${drawn.title}:0`)) continue;
    runs++;
    if (isAsKnown(drawn)) continue;
    const cpuMs = Math.round(processorMs() - started);
    differing ??= { isFound: true, by: drawn.title, seed: 0, property: OF_DRAWN, cpuMs, runs };
  }
  for (const { loaded, seed } of huntPlan({ properties, scripted }, comeBy)) {
    if ((differing && isQuick) || processorMs() - started > budgetMs) break;
    if (alarms.includes(`${loaded.scenario.metadata.name}:${seed}`)) continue;
    runs++;
    const account = new Account();
    const { failure, verdict } = await executeRun(loaded, {
      seed,
      makeWorld: accountedWorld(account),
      looksCloser: false,
    });
    if (!failure && !differing) {
      const at = {
        by: loaded.scenario.metadata.name,
        seed,
        cpuMs: Math.round(processorMs() - started),
        runs,
      };
      differing = differenceFrom(known.get(runName(loaded, seed)), account, at);
    }
    if (!failure || verdict === 'invalid') continue;
    if (rule !== undefined && failure.property !== rule) continue;
    const found = processorMs() - started;
    const again = shrinks
      ? await executeRun(loaded, { seed, makeWorld: createClusterWorld, shrinkAttempts: SHRINK_ATTEMPTS })
      : undefined;
    const smallest = again?.failure?.smallest;
    return {
      isFound: true,
      by: loaded.scenario.metadata.name,
      seed,
      property: `${failure.kind} ${failure.property}`,
      detail: failure.details[0] ?? '',
      cpuMs: Math.round(found),
      runs,
      ...(smallest && {
        steps: smallest.steps,
        faults: smallest.faults,
        ...(smallest.choices !== undefined && { choices: smallest.choices }),
        smallerMs: Math.round(processorMs() - started - found),
      }),
      ...(again?.failure?.explanation && { explanation: again.failure.explanation }),
    };
  }
  return differing ?? { isFound: false, cpuMs: Math.round(processorMs() - started), runs };
}

const OF_DRAWN = 'account of what is drawn';
let knownDrawn: ReadonlyMap<string, readonly string[]> | undefined;

/** Those that come by, the cheapest first; all, where nothing is known. */
function drawnToTry(comeBy: readonly RecordedRun[] | undefined): readonly Drawn[] {
  if (!comeBy) return DRAWN;
  const costs = new Map(comeBy.map(({ name, ms }) => [name, ms]));
  return DRAWN.filter(({ title }) => costs.has(title)).toSorted(
    (a, b) => (costs.get(a.title) ?? 0) - (costs.get(b.title) ?? 0),
  );
}

/** A program that fails in it tells otherwise. */
function isAsKnown(drawn: Drawn): boolean {
  knownDrawn ??= readDrawn(process.cwd());
  try {
    return printsOf(drawn).join() === (knownDrawn.get(drawn.title) ?? []).join();
  } catch {
    return false;
  }
}

/** What came out otherwise than before is found too, though no promise is broken by it: those are looked for first. */
function differenceFrom(
  known: Fingerprints | undefined,
  account: Account,
  at: Pick<Hunted, 'by' | 'seed' | 'cpuMs' | 'runs'>,
): Hunted | undefined {
  const groups = known ? unlike(known, account.fingerprints()) : [];
  return groups.length === 0 ? undefined : { isFound: true, ...at, property: `account of ${groups.join()}` };
}

/** One run again: on the right program, to see whether what was found is there too. */
async function runAgain(name: string, seed: number, paths: readonly string[]): Promise<Hunted> {
  const drawn = DRAWN.find(({ title }) => title === name);
  if (drawn) return { isFound: !isAsKnown(drawn), by: name, seed, cpuMs: 0, runs: 1 };
  const { scenarios } = await findScenarios(paths);
  const started = processorMs();
  const loaded = scenarios.find(({ scenario }) => scenario.metadata.name === name);
  if (!loaded) return { isFound: false, cpuMs: 0, runs: 0 };
  const account = new Account();
  const makeWorld = accountedWorld(account);
  const { failure } = await executeRun(loaded, { seed, makeWorld, looksCloser: false });
  const at = { by: name, seed, cpuMs: Math.round(processorMs() - started), runs: 1 };
  const differing = differenceFrom(readAccounts(process.cwd()).get(runName(loaded, seed)), account, at);
  return { isFound: failure !== undefined || differing !== undefined, ...at };
}

/** The same search that `kubesim explore` makes, on properties alone: what is scripted would say the same to each strategy. */
async function exploreFor(
  strategy: StrategyName,
  budgetMs: number,
  paths: readonly string[],
): Promise<Hunted> {
  const { scenarios } = await findScenarios(paths);
  const started = processorMs();
  const found: { first?: Found; at: number } = { at: 0 };
  let runs = 0;
  await explore(
    scenarios.filter(({ draw }) => draw),
    {
      strategy,
      makeWorld: createClusterWorld,
      done: new Map(),
      mayGoOn: () => !found.first && processorMs() - started <= budgetMs,
      onAttempt: () => void runs++,
      onFound: (first) => Object.assign(found, { first, at: processorMs() - started }),
      shrinkAttempts: 0,
    },
  );
  const { first, at } = found;
  if (!first) return { isFound: false, cpuMs: Math.round(processorMs() - started), runs };
  const { scenario, seed, failure } = first;
  return {
    isFound: true,
    by: scenario,
    seed,
    property: `${failure.kind} ${failure.property}`,
    detail: failure.details[0] ?? '',
    cpuMs: Math.round(at),
    runs,
  };
}

/**
 * `comeBy`: a file with the runs that come by the changed place, in JSON; empty: nothing is known. `alarms`: runs to leave
 * out, `name:seed`, with commas between.
 */
const [budget = '30', mode = 'no', comeByFile = '', alarms = '', ...paths] = process.argv.slice(2);
const comeBy =
  comeByFile === '' ? undefined : (JSON.parse(readFileSync(comeByFile, 'utf8')) as readonly RecordedRun[]);
const budgetMs = Number(budget) * 1_000;
const strategy = STRATEGIES.find((name) => name === mode);
const [, again, seed] = /^again:(.*):(\d+)$/.exec(mode) ?? [];
const [, rule] = /^rule:(.*)$/.exec(mode) ?? [];
try {
  const hunted = again
    ? await runAgain(again, Number(seed), paths)
    : strategy
      ? await exploreFor(strategy, budgetMs, paths)
      : await hunt(
          budgetMs,
          {
            shrinks: mode === 'shrink' || mode === 'promises',
            ...(mode === 'promises' && { byPromises: true }),
            isQuick: mode === 'first',
            comeBy,
            rule,
            alarms: alarms.split(','),
          },
          paths,
        );
  process.stdout.write(`${JSON.stringify(hunted)}\n`);
} catch (error) {
  // A bug may keep the world from being made at all.
  const detail = error instanceof Error ? error.message : String(error);
  process.stdout.write(
    `${JSON.stringify({ isFound: true, by: 'start', property: 'crash', detail, cpuMs: 0, runs: 0 })}\n`,
  );
}
process.exit(0);
