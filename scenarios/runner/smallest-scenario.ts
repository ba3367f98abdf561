/**
 * From a failing run to the smallest scenario that fails alike, as somebody might have written it. First chance is taken
 * out where the failure does not need it, then everything else that it does not need, then single decisions of chance.
 * What fails because something was broken goes on to need that: a step that misses what was never made is another story.
 */
import { parseAllDocuments } from 'yaml';
import type { Choice, FailureRecord, SmallestScenario } from '../../reports/run-record.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { scenarioText, writtenScenario } from '../properties/written-scenario.ts';
import { clusterOfRun } from '../world/cluster-options.ts';
import type { MakeWorld, WorldOptions } from '../world/world.ts';
import { explain, type Trial } from './explain.ts';
import { optionsOfRun } from './options-of-run.ts';
import { runScenario } from './run-scenario.ts';
import { shrinkChoices } from './shrink-choices.ts';
import { shrinkScenario } from './shrink-scenario.ts';

export interface SmallestOptions {
  readonly seed: number;
  readonly makeWorld: MakeWorld;
  /** Where the files of programs are looked for. */
  readonly directory: string;
  /** Runs that it may cost. */
  readonly attempts: number;
}

export interface Smallest {
  readonly smallest: SmallestScenario;
  readonly explanation: readonly string[];
}

/** Part of the attempts that chance may cost at the end, at least. */
const FOR_CHOICES = 0.25;
/** What all attempts together may tell, as a measure of time that is the same everywhere: about a minute. */
const MOST_RECORDS = 250_000;
/** Nobody reads more decisions of chance than these: a seed says the same. */
const LONGEST_LIST = 20;

/** Undefined: it does not fail again. */
export async function smallestScenario(
  loaded: LoadedScenario,
  failure: FailureRecord,
  { seed, makeWorld, directory, attempts }: SmallestOptions,
): Promise<Smallest | undefined> {
  const whole = valueOf(loaded);
  if (!whole) return undefined;
  let [spent, records] = [0, 0];
  const failureOf = async (value: JsonMap): Promise<FailureRecord | undefined> => {
    if (records > MOST_RECORDS) return undefined;
    spent++;
    const run = await trial(value, { seed, makeWorld, directory });
    records += run.records;
    return run.failure;
  };
  const failsAlike = async (value: JsonMap): Promise<boolean> =>
    isSameProperty(await failureOf(value), failure);
  const seeded = pinned(whole, seed);
  const isByFaults = hasFaults(whole) && !(await failsAlike(withoutFaults(seeded)));
  const fails = async (value: JsonMap): Promise<boolean> =>
    (await failsAlike(value)) && !(isByFaults && (await failsAlike(withoutFaults(value))));
  const unchanced = withChoices(whole, []);
  const start = (await fails(unchanced)) ? unchanced : seeded;
  if (start === seeded && !(await fails(seeded))) return undefined;
  const small = await shrinkScenario(start, { fails, attempts: Math.round(attempts * (1 - FOR_CHOICES)) });
  const needed = start === unchanced ? small : await fewerChoices(small);
  const text = describedScenario(needed, loaded, failure);
  const { failure: left } = await trial(needed, { seed, makeWorld, directory });
  const explanation = await explain({
    scenario: needed,
    failure: left ?? failure,
    isAlike: (found) => isSameProperty(found, failure),
    run: (value, options) => trial(value, { seed, makeWorld, directory, ...options }),
  });
  return { smallest: { text, ...sizesOf(whole, needed), attempts: spent }, explanation };

  async function fewerChoices(value: JsonMap): Promise<JsonMap> {
    const log = (await failureOf(value))?.choices ?? [];
    if (!(await fails(withChoices(value, log)))) return value;
    const few = await shrinkChoices(
      log,
      (kept) => fails(withChoices(value, kept)),
      Math.max(Math.round(attempts * FOR_CHOICES), attempts - spent),
    );
    return few.length <= LONGEST_LIST ? withChoices(value, few) : value;
  }
}

/** The same promise was broken, and in the same part of an answer; wherever and with whatever values. */
const isSameProperty = (found: FailureRecord | undefined, failure: FailureRecord): boolean =>
  found !== undefined &&
  found.kind === failure.kind &&
  found.property === failure.property &&
  (!OF_ANSWERS.has(failure.kind) || partOf(found) === partOf(failure));

const OF_ANSWERS: ReadonlySet<string> = new Set(['always', 'eventually', 'expectation']);

/** `body.metadata`, with which the detail begins. */
const partOf = ({ details: [first = ''] }: FailureRecord): string => first.split(' ', 1)[0] ?? '';

interface TrialOptions extends Pick<SmallestOptions, 'seed' | 'makeWorld' | 'directory'> {
  readonly branch?: WorldOptions['branch'];
  readonly keeps?: number;
}

export async function trial(
  value: JsonMap,
  { seed, makeWorld, directory, branch, keeps }: TrialOptions,
): Promise<Trial> {
  try {
    const loaded = writtenScenario('smaller', value);
    const keepsViews = keeps !== undefined;
    const world = makeWorld({ ...optionsOfRun(loaded, seed), directory, branch, keeps, keepsViews });
    try {
      const { failure } = await runScenario(loaded, world, { seed });
      return keeps === undefined
        ? { failure, tail: [], records: world.recordCount }
        : {
            failure,
            records: world.recordCount,
            tail: world.tail(keeps),
            deedsOnOldViews: world.deedsOnOldViews,
          };
    } finally {
      world.close();
    }
  } catch (error) {
    // It makes no sense any more, or no world can be made of it.
    if (error instanceof ScenarioError || error instanceof RangeError)
      return { failure: undefined, tail: [], records: 0 };
    throw error;
  }
}

/** The document of this scenario as a value. */
export function valueOf({ text, scenario }: LoadedScenario): JsonMap | undefined {
  const documents = parseAllDocuments(text, { prettyErrors: false });
  if (!Array.isArray(documents)) return undefined;
  const values = documents.map((document) => document.toJS() as JsonMap);
  return values.find(
    (value) => (value['metadata'] as JsonMap | undefined)?.['name'] === scenario.metadata.name,
  );
}

const isFault = (step: JsonMap): boolean => step['fault'] !== undefined;
const hasFaults = (value: JsonMap): boolean => stepsIn(value).some(isFault);

/** Those that stand by themselves; what is broken within another step stays. */
const withoutFaults = (value: JsonMap): JsonMap => ({
  ...value,
  spec: { ...specOf(value), steps: stepsIn(value).filter((step) => !isFault(step)) },
});

const specOf = (value: JsonMap): JsonMap => (value['spec'] ?? {}) as JsonMap;

const withSpec = (value: JsonMap, members: JsonMap): JsonMap => {
  const { runs: _, seed: __, steps = [], ...spec } = specOf(value);
  return { ...value, spec: { ...spec, ...members, steps } };
};

/** With the seed, and the schedule that runs with this seed have: it is the same run whoever begins it. */
export function pinned(value: JsonMap, seed: number): JsonMap {
  const cluster = (specOf(value)['cluster'] ?? {}) as JsonMap;
  const { schedule } = clusterOfRun(writtenScenario('pinned', value).scenario.spec, seed);
  if (schedule === undefined || cluster['schedule'] !== undefined) return withSpec(value, { seed });
  return withSpec(value, { seed, cluster: { ...cluster, schedule: { policy: 'random', window: '1ms' } } });
}

const withChoices = (value: JsonMap, choices: readonly Choice[]): JsonMap => {
  const { seed } = specOf(value);
  return withSpec(value, {
    ...(seed !== undefined && { seed }),
    choices: choices.map(({ site, occurrence, answer }) => ({ site, occurrence, answer })),
  });
};

/** As text, with what it is left of. */
export const describedScenario = (value: JsonMap, whole: LoadedScenario, failure: FailureRecord): string =>
  scenarioText(described(value, whole, failure));

function described(value: JsonMap, { file }: LoadedScenario, { property, details }: FailureRecord): JsonMap {
  const { name, ...metadata } = (value['metadata'] ?? {}) as JsonMap;
  const spec = specOf(value);
  return {
    ...value,
    metadata: { name: `${typeof name === 'string' ? name : 'scenario'}.smallest`, ...metadata },
    spec: { ...spec, description: `What is left of ${file}. Broken: ${property}: ${details[0] ?? ''}` },
  };
}

export function sizesOf(
  whole: JsonMap,
  small: JsonMap,
): Pick<SmallestScenario, 'steps' | 'faults' | 'choices' | 'allSteps' | 'allFaults'> {
  const [all, few] = [stepsIn(whole), stepsIn(small)];
  const faults = (steps: readonly JsonMap[]): number => steps.filter(isFault).length;
  const { choices } = specOf(small);
  return {
    steps: few.length,
    faults: faults(few),
    ...(Array.isArray(choices) && { choices: choices.length }),
    allSteps: all.length,
    allFaults: faults(all),
  };
}

function stepsIn(value: Json | undefined): readonly JsonMap[] {
  const { steps = [] } = specOf(value as JsonMap) as { readonly steps?: readonly JsonMap[] };
  return steps;
}
