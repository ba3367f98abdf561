/**
 * Hunts for what is wrong with the program that it is built into: runs scenarios and draws from properties, ever more
 * seeds, until something does not hold or the budget is spent. Says in one line of JSON what it has found. Each build has
 * one planted bug, or none.
 */
import { explore, type Found } from '../../../scenarios/explore/explore.ts';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { findScenarios } from '../run/find-scenarios.ts';

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
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** What is small and was written for such bugs comes first; then properties take turns, and after each a share of the rest. */
function* plan(
  properties: readonly LoadedScenario[],
  scenarios: readonly LoadedScenario[],
): Generator<{ readonly loaded: LoadedScenario; readonly seed: number }> {
  const share = 12;
  const first = scenarios.filter(({ file }) => FIRST.test(file));
  const rest = scenarios.filter((scenario) => !first.includes(scenario));
  for (const loaded of first) yield { loaded, seed: 1 };
  for (let round = 0; properties.length > 0 || round * share < rest.length; round++) {
    for (const loaded of properties) {
      const times = TURNS.find(([name]) => name.test(loaded.scenario.metadata.name))?.[1] ?? 1;
      for (let each = 0; each < times; each++) yield { loaded, seed: 1_000 + round * times + each };
    }
    for (const loaded of rest.slice(round * share, (round + 1) * share)) yield { loaded, seed: 1 };
  }
}

const FIRST = /second-tries|regression|published/;
/** Seeds in a turn: so that all cost about the same. */
const TURNS: readonly (readonly [RegExp, number])[] = [
  [/objects|verdicts/, 8],
  [/owners|definitions|volumes|struck/, 4],
  [/replaced|unseen/, 4],
  [/compete|half/, 3],
  [/containers/, 2],
];
const SHRINK_ATTEMPTS = 150;

async function hunt(budgetMs: number, shrinks: boolean, paths: readonly string[]): Promise<Hunted> {
  const { scenarios } = await findScenarios(paths);
  const started = cpuMs();
  const properties = scenarios.filter(({ draw, expectsFailure }) => draw && !expectsFailure);
  const scripted = scenarios.filter(({ draw }) => !draw);
  let runs = 0;
  for (const { loaded, seed } of plan(properties, scripted)) {
    if (cpuMs() - started > budgetMs) break;
    runs++;
    const { failure, verdict } = await executeRun(loaded, {
      seed,
      makeWorld: createClusterWorld,
      looksCloser: false,
    });
    if (!failure || verdict === 'invalid') continue;
    const found = cpuMs() - started;
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
      ...(smallest && { steps: smallest.steps, faults: smallest.faults }),
    };
  }
  return { isFound: false, cpuMs: Math.round(cpuMs() - started), runs };
}

/** The same search that `kubesim explore` makes, on properties alone: what is scripted would say the same to each strategy. */
async function exploreFor(
  strategy: StrategyName,
  budgetMs: number,
  paths: readonly string[],
): Promise<Hunted> {
  const { scenarios } = await findScenarios(paths);
  const started = cpuMs();
  const found: { first?: Found; at: number } = { at: 0 };
  let runs = 0;
  await explore(
    scenarios.filter(({ draw }) => draw),
    {
      strategy,
      makeWorld: createClusterWorld,
      done: new Map(),
      mayGoOn: () => !found.first && cpuMs() - started <= budgetMs,
      onAttempt: () => void runs++,
      onFound: (first) => Object.assign(found, { first, at: cpuMs() - started }),
      shrinkAttempts: 0,
    },
  );
  const { first, at } = found;
  if (!first) return { isFound: false, cpuMs: Math.round(cpuMs() - started), runs };
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

const [budget = '30', mode = 'no', ...paths] = process.argv.slice(2);
const budgetMs = Number(budget) * 1_000;
const strategy = STRATEGIES.find((name) => name === mode);
try {
  const hunted = strategy
    ? await exploreFor(strategy, budgetMs, paths)
    : await hunt(budgetMs, mode === 'shrink', paths);
  process.stdout.write(`${JSON.stringify(hunted)}\n`);
} catch (error) {
  // A bug may keep the world from being made at all.
  const detail = error instanceof Error ? error.message : String(error);
  process.stdout.write(
    `${JSON.stringify({ isFound: true, by: 'start', property: 'crash', detail, cpuMs: 0, runs: 0 })}\n`,
  );
}
process.exit(0);
