/**
 * What is left of a run whose twin does not end alike. A twin that broke something by itself is a scenario: the story with
 * what struck it written down as faults. Else the story is made smaller for as long as a twin of it that is struck in the
 * same way ends otherwise.
 */
import type { FailureRecord } from '../../reports/run-record.ts';
import { formatDuration } from '../language/duration.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { writtenScenario } from '../properties/written-scenario.ts';
import { aboutWrites } from './explain.ts';
import { writtenFault } from './fault-text.ts';
import { shrinkScenario } from './shrink-scenario.ts';
import {
  describedScenario,
  pinned,
  type Smallest,
  type SmallestOptions,
  sizesOf,
  smallestScenario,
  trial,
  valueOf,
} from './smallest-scenario.ts';
import { LEVEL_TRIGGERED, type Strike, type UnlikeTwin } from './twins.ts';

export async function smallestTwin(
  loaded: LoadedScenario,
  { failure, strikes, broken }: UnlikeTwin,
  options: SmallestOptions & {
    /** How a story's twins end that are struck as this one is. */
    readonly twinOf: (story: LoadedScenario) => Promise<UnlikeTwin | undefined>;
  },
): Promise<Smallest | undefined> {
  const whole = valueOf(loaded);
  if (!whole) return undefined;
  if (broken) {
    const struck = writtenScenario(loaded.file, struckBy(whole, strikes));
    const smallest = await smallestScenario(struck, broken, options);
    if (smallest) return smallest;
  }
  const twinOf = async (value: JsonMap): Promise<UnlikeTwin | undefined> => {
    try {
      return await options.twinOf(writtenScenario('smaller', value));
    } catch (error) {
      if (error instanceof ScenarioError || error instanceof RangeError) return undefined;
      throw error;
    }
  };
  let attempts = 0;
  const fails = async (value: JsonMap): Promise<boolean> => {
    attempts++;
    const found = (await twinOf(value))?.failure;
    return found?.property === failure.property && differenceIn(found) === differenceIn(failure);
  };
  const small = await shrinkScenario(pinned(whole, options.seed), {
    fails,
    attempts: Math.ceil(options.attempts * PART),
  });
  const left = (await twinOf(small)) ?? { failure, strikes, broken };
  const [why = ''] = left.failure.details;
  const { faults, allFaults, ...sizes } = sizesOf(whole, small);
  const added = left.strikes.length;
  const text = describedScenario(small, loaded, left.failure);
  return {
    smallest: { text, ...sizes, faults: faults + added, allFaults: allFaults + added, attempts },
    explanation: [why, ...(await aboutTwin(small, left, options))],
  };
}

/** Who wrote what has another end in the twin, and what he knew. */
const aboutTwin = (story: JsonMap, { failure, strikes }: UnlikeTwin, options: SmallestOptions) =>
  aboutWrites({
    scenario: struckBy(story, strikes),
    failure,
    run: (value, how) => trial(value, { ...options, ...how }),
  });

/** What does not end alike, whatever the values are. */
const differenceIn = ({ details: [first = ''] }: FailureRecord): string =>
  first.replace(/^.* does not end alike: /, '').replaceAll(/"[^"]*"|[0-9]+/g, '#');

/** A story is run with several twins each time. */
const PART = 0.2;

/** The story as the twin has lived it. */
function struckBy(whole: JsonMap, strikes: readonly Strike[]): JsonMap {
  const { twins: _, checkers = [], steps = [], ...spec } = whole['spec'] as JsonMap;
  const others = (checkers as readonly Json[]).filter((name) => name !== LEVEL_TRIGGERED);
  const faults = strikes.map(({ fault, at, length }) => ({
    fault: writtenFault(fault),
    delay: formatDuration(Math.max(1, at)),
    ...(length !== undefined && { for: formatDuration(length) }),
  }));
  return {
    ...whole,
    spec: {
      ...spec,
      ...(others.length > 0 && { checkers: others }),
      steps: [...faults, ...(steps as readonly JsonMap[])],
    },
  };
}
