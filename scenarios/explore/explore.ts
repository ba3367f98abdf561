/**
 * Makes the attempts of a strategy on scenarios and properties until the budget is spent, and keeps each failure once. In
 * what is scripted only rules count: a step that expects an answer may be right to miss it when something else goes wrong.
 */
import { dirname } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { FailureRecord } from '../../reports/run-record.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { JsonMap } from '../language/shape.ts';
import type { Smallest } from '../runner/smallest-scenario.ts';
import type { MakeWorld } from '../world/world.ts';
import { Judge } from './judge.ts';
import { strategyOf, type Strategy, type StrategyName } from './strategies.ts';

export interface Found {
  readonly scenario: string;
  readonly strategy: StrategyName;
  /** Number of the attempt. */
  readonly index: number;
  readonly seed: number;
  readonly failure: FailureRecord;
  readonly smallest: Smallest | undefined;
}

export interface ExploreOptions {
  readonly strategy: StrategyName;
  readonly makeWorld: MakeWorld;
  /** Attempts that were made before, by name of the scenario. */
  readonly done: ReadonlyMap<string, number>;
  readonly mayGoOn: () => boolean;
  readonly onAttempt: (scenario: string, index: number) => void;
  readonly onFound: (found: Found) => void;
  /** What a strategy says of how far it has come, at the end. */
  readonly onRemark?: (scenario: string, remark: string) => void;
  readonly shrinkAttempts: number;
}

interface Line {
  readonly loaded: LoadedScenario;
  readonly strategy: Strategy;
  readonly judge: Judge;
  index: number;
  isOver: boolean;
}

const COUNTING: ReadonlySet<string> = new Set(['checker', 'invariant', 'crash', 'rest']);

/** Whose writes are struck may be right to miss an answer, in the steps of a property, too. */
const counts = ({ kind }: FailureRecord, isProperty: boolean, strategy: StrategyName): boolean =>
  COUNTING.has(kind) || (isProperty && (strategy !== 'perturb' || kind === 'always'));

/** Scenarios take turns, one attempt each. */
export async function explore(loaded: readonly LoadedScenario[], options: ExploreOptions): Promise<void> {
  const lines = loaded
    .filter(({ expectsFailure }) => expectsFailure !== true)
    .map((each) => lineOf(each, options));
  await attemptAll(lines, options);
  for (const { loaded, strategy } of lines)
    if (strategy.remark !== undefined) options.onRemark?.(loaded.scenario.metadata.name, strategy.remark);
}

async function attemptAll(lines: readonly Line[], options: ExploreOptions): Promise<void> {
  const known = new Set<string>();
  while (lines.some(({ isOver }) => !isOver)) {
    for (const line of lines) {
      if (!options.mayGoOn()) return;
      if (!line.isOver) await attempt(line, options, known);
    }
  }
}

function lineOf(loaded: LoadedScenario, { strategy: name, makeWorld }: ExploreOptions): Line {
  const own = loaded.draw ? undefined : valueOf(loaded);
  const subject = {
    isProperty: loaded.draw !== undefined,
    scenarioOf: (seed: number): JsonMap => own ?? valueOf(loaded.draw?.(seed) ?? loaded),
  };
  const strategy = strategyOf(name, subject);
  const directory = dirname(loaded.file);
  const judge = new Judge({ makeWorld, directory, seesAll: strategy.seesAll === true });
  return { loaded, strategy, judge, index: 0, isOver: false };
}

async function attempt(line: Line, options: ExploreOptions, known: Set<string>): Promise<void> {
  const { loaded, strategy, judge } = line;
  const { name } = loaded.scenario.metadata;
  const index = line.index++;
  const next = strategy.attempt(index);
  if (!next) {
    line.isOver = true;
    return;
  }
  // What was made before is made again only where the strategy learns from it.
  const isOld = index < (options.done.get(name) ?? 0);
  if (isOld && next.isLearnt !== true) return;
  const judged = await judge.judge(next);
  const { failure, seen } = judged;
  strategy.learn(next, seen);
  if (isOld) return;
  options.onAttempt(name, index + 1);
  if (!failure || !counts(failure, loaded.draw !== undefined, options.strategy)) return;
  const key = `${name} ${failure.kind} ${failure.property}`;
  if (known.has(key)) return;
  known.add(key);
  const smallest =
    options.shrinkAttempts === 0 ? undefined : await judge.smallest(next, judged, options.shrinkAttempts);
  options.onFound({ scenario: name, strategy: options.strategy, index, seed: next.seed, failure, smallest });
}

function valueOf({ text, scenario }: LoadedScenario): JsonMap {
  const documents = parseAllDocuments(text, { prettyErrors: false });
  const values = Array.isArray(documents) ? documents.map((each) => each.toJS() as JsonMap) : [];
  const { name } = scenario.metadata;
  return values.find((value) => (value['metadata'] as JsonMap | undefined)?.['name'] === name) ?? {};
}
