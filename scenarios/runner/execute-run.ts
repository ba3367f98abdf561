/**
 * One run of one scenario with one seed, from a fresh world to its record: run it, run it again when asked and
 * compare, and when it failed, run it once more to look closer.
 */
import { dirname } from 'node:path';
import type { Choice, FailureRecord, RunRecord, Snapshot, Verdict } from '../../reports/run-record.ts';
import { compareRuns } from './compare-runs.ts';
import type { LoadedScenario } from '../language/load-scenario.ts';
import { optionsOfRun } from './options-of-run.ts';
import { runScenario, type RunResult } from './run-scenario.ts';
import { StoodStill } from '../../sim/index.ts';
import { smallestScenario } from './smallest-scenario.ts';
import { shrinkChoices } from './shrink-choices.ts';
import { smallestTwin } from './smallest-twin.ts';
import {
  type EndedRun,
  faultlessFailure,
  hasFaultlessTwin,
  type RunToEnd,
  type Strike,
  type UnlikeTwin,
  unlikeTwin,
} from './twins.ts';
import { timelineOf } from './timeline.ts';
import type { MakeWorld, World, WorldOptions, WorldRecord } from '../world/world.ts';

export interface ExecuteOptions {
  readonly seed: number;
  readonly makeWorld: MakeWorld;
  /** Run twice and compare. */
  readonly checksDeterminism?: boolean;
  /** Run twice, the second time without writes by delta, and compare. */
  readonly checksDelta?: boolean;
  /** Of the cluster, if the scenario names none. */
  readonly release?: string | undefined;
  /** Answers of chance of an earlier run. */
  readonly replay?: readonly Choice[] | undefined;
  /** Runs that may be spent on making a failing scenario smaller; default: none. */
  readonly shrinkAttempts?: number;
  /** Whether such a failure has been made small before. */
  readonly isKnown?: (failure: FailureRecord) => boolean;
  /** Whether a failure is looked at again, for what of chance it needs, and what was before it. Default: yes. */
  readonly looksCloser?: boolean;
  /** Whether a passed run has a time line as well. */
  readonly hasTimeline?: boolean;
  /** Whether its twins are run, too. Default: yes. */
  readonly runsTwins?: boolean;
}

/** Of a property that shows how something is found: to find it is to pass. */
function shown({ failure, ...record }: RunRecord): RunRecord {
  if (failure && failure.kind !== 'invalid') return { ...record, verdict: 'passed', found: failure };
  const { file } = record;
  const nothing = { file, line: 1, column: 1, excerpt: '', trace: [], choices: [], allChoices: 0 };
  const details = failure?.details ?? ['nothing was found'];
  const property = 'it fails, as it is expected to';
  return {
    ...record,
    verdict: 'failed',
    failure: { ...nothing, kind: 'expectation', property, at: record.virtualMicros, details },
  };
}

/** What a run is replayed by, where a property drew it, and what is left of it when all that is not needed is gone. */
async function withSmallest(
  failure: FailureRecord,
  given: LoadedScenario,
  { seed, makeWorld, shrinkAttempts = 0, isKnown }: ExecuteOptions,
): Promise<FailureRecord> {
  const loaded = given.draw?.(seed) ?? given;
  const drawn = given.draw ? { drawn: loaded.text } : {};
  if (shrinkAttempts === 0 || !SHRINKABLE.has(failure.kind) || isKnown?.(failure))
    return { ...failure, ...drawn };
  const smallest = await smallestScenario(loaded, failure, {
    seed,
    makeWorld,
    directory: dirname(given.file),
    attempts: shrinkAttempts,
  });
  return { ...failure, ...drawn, ...smallest };
}

async function withSmallestTwin(
  twin: UnlikeTwin,
  loaded: LoadedScenario,
  options: ExecuteOptions & { readonly directory: string },
): Promise<FailureRecord> {
  const { seed, makeWorld, directory, shrinkAttempts = 0, isKnown } = options;
  if (shrinkAttempts === 0 || isKnown?.(twin.failure)) return twin.failure;
  const smallest = await smallestTwin(loaded, twin, {
    seed,
    makeWorld,
    directory,
    attempts: shrinkAttempts,
    twinOf: (story) =>
      unlikeTwin(
        story,
        seed,
        ({ strikes = [], observer }) => {
          const world = makeWorld({ ...optionsOfRun(story, seed), directory, observer });
          return endedRun(story, world, { seed, strikes });
        },
        twin,
      ),
  });
  return { ...twin.failure, ...smallest };
}

const SHRINKABLE: ReadonlySet<string> = new Set([
  'always',
  'checker',
  'rest',
  'invariant',
  'crash',
  'eventually',
  'expectation',
]);

/** Records that a time line shows at the most. */
const TIMELINE_RECORDS = 3_000;
const MARKS_OF_PASSED = 80;
const STEPS_AT_EACH_END = 200;
const SHRINK_ATTEMPTS = 60;
/** Virtual time that is left to a twin after what has struck it. */
const RECOVERY = 40_000_000;

/** Tries of a run that is broken off because the machine stood still: it would do the same again. */
const TRIES = 3;

/** @throws StoodStill when the machine does so again and again */
export async function executeRun(given: LoadedScenario, options: ExecuteOptions): Promise<RunRecord> {
  return await whileStandingStill(() => executeOnce(given, options));
}

/** What is broken off because the machine stood still is done once more. @throws StoodStill as `executeRun` */
export async function whileStandingStill<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoodStill) || tries === TRIES) throw error;
    }
}

/** @throws StoodStill */
export async function executeOnce(given: LoadedScenario, options: ExecuteOptions): Promise<RunRecord> {
  const { seed, checksDelta = false, replay, hasTimeline = false, release } = options;
  const loaded = given.draw?.(seed) ?? given;
  const checksDeterminism = options.checksDeterminism === true || checksDelta;
  const { name } = loaded.scenario.metadata;
  const { description } = loaded.scenario.spec;
  const started = performance.now();
  const asked = optionsOfRun(loaded, seed);
  const worldOptions = (extra: Partial<WorldOptions>): WorldOptions => ({
    ...asked,
    cluster: { ...(release !== undefined && { release }), ...asked.cluster },
    directory: dirname(loaded.file),
    ...(replay && { replay }),
    ...extra,
  });
  const run = (extra: Partial<WorldOptions> = {}, snapshotBefore?: number): Promise<Executed> =>
    runOnce(loaded, options.makeWorld, worldOptions(extra), snapshotBefore);
  const { executed, difference } = checksDeterminism
    ? await compareRuns(
        (observer) => run({ observer, ...(hasTimeline && { keeps: TIMELINE_RECORDS }) }),
        (observer) => run({ observer, ...(checksDelta && { writesByDelta: false }) }),
      )
    : { executed: await run(hasTimeline ? { keeps: TIMELINE_RECORDS } : {}), difference: undefined };
  const isToBeSeen = executed.result.failure && options.looksCloser !== false;
  const looked = isToBeSeen ? await lookCloser(executed.result, run, executed) : executed;
  const runToEnd: RunToEnd = ({ strikes = [], observer }) =>
    endedRun(loaded, options.makeWorld(worldOptions({ observer })), { seed, strikes });
  const hasPassed = !executed.result.failure && difference === undefined;
  const looksAtTwins = hasPassed && options.runsTwins !== false;
  const runCalm = (calm: LoadedScenario): Promise<EndedRun> =>
    endedRun(calm, options.makeWorld(worldOptions({})), { seed, strikes: [] });
  const twin = looksAtTwins ? await unlikeTwin(loaded, seed, runToEnd) : undefined;
  const unlike =
    (twin && (await withSmallestTwin(twin, loaded, { ...options, directory: dirname(given.file) }))) ??
    (looksAtTwins && executed.end ? await faultlessFailure(loaded, executed.end, runCalm) : undefined);
  const found =
    difference === undefined ? looked.result.failure : nondeterminism(loaded, executed, difference);
  // What twins find is not found in a run by itself.
  const failure =
    unlike && given.draw
      ? { ...unlike, drawn: loaded.text }
      : (unlike ?? (found && (await withSmallest(found, given, options))));
  const ofRun = unlike ? 'failed' : looked.result.verdict;
  const verdict: Verdict = difference === undefined ? ofRun : 'defect';
  const record: RunRecord = {
    key: `${name}#${seed}`,
    scenario: name,
    ...(description !== undefined && { description }),
    file: given.file,
    seed,
    verdict,
    digest: executed.digest,
    virtualMicros: executed.now,
    realMs: Math.round((performance.now() - started) * 10) / 10,
    records: executed.records,
    isDeterminismChecked: checksDeterminism,
    steps: firstAndLast(looked.result.steps),
    ...(failure && { failure }),
    ...((failure || hasTimeline) && { timeline: timelineOf(failure ? looked : endOf(looked)) }),
  };
  return given.expectsFailure === true && verdict !== 'defect' ? shown(record) : record;
}

export interface Executed {
  readonly result: RunResult;
  readonly digest: string;
  readonly now: number;
  readonly records: number;
  readonly tail: readonly WorldRecord[];
  /** Once nobody writes any more; only where it has a twin in which nothing goes wrong. */
  readonly end?: Snapshot;
}

async function runOnce(
  loaded: LoadedScenario,
  makeWorld: MakeWorld,
  options: WorldOptions,
  snapshotBefore: number | undefined,
): Promise<Executed> {
  const world: World = makeWorld(options);
  try {
    const result = await runScenario(loaded, world, { seed: options.seed, snapshotBefore });
    const { digest, now, recordCount } = world;
    return {
      result,
      digest,
      now,
      records: recordCount,
      tail: options.keeps === undefined ? [] : world.tail(options.keeps),
      ...(hasFaultlessTwin(loaded) && { end: await endOfWorld(world) }),
    };
  } finally {
    world.close();
  }
}

async function endOfWorld(world: World): Promise<Snapshot> {
  await world.rest();
  return world.objects();
}

/** To the end of its story, and on until nobody writes. */
export async function endedRun(
  loaded: LoadedScenario,
  world: World,
  { seed, strikes }: { readonly seed: number; readonly strikes: readonly Strike[] },
): Promise<EndedRun> {
  try {
    for (const { fault, at, length } of strikes)
      await world.fault(fault, { delay: Math.max(1, at - world.now), length });
    const { failure } = await runScenario(loaded, world, { seed });
    // Whoever was struck late has time to come to himself.
    const over = Math.max(0, ...strikes.map(({ at, length = 0 }) => at + length)) + RECOVERY;
    if (!failure && strikes.length > 0 && over > world.now) await world.advance(over - world.now);
    return { failure, end: await endOfWorld(world) };
  } finally {
    world.close();
  }
}

type Rerun = (extra?: Partial<WorldOptions>, snapshotBefore?: number) => Promise<Executed>;

/** The same run with the objects before the failing step, a longer trace, and only the choices that matter. */
async function lookCloser({ steps, failure }: RunResult, run: Rerun, first: Executed): Promise<Executed> {
  if (!failure) return first;
  const failsAlike = async (replay: readonly Choice[]): Promise<boolean> =>
    isSameFailure((await run({ replay })).result.failure, failure);
  const canShrink =
    failure.kind !== 'invalid' && failure.choices.length > 0 && (await failsAlike(failure.choices));
  const needed = canShrink
    ? await shrinkChoices(failure.choices, failsAlike, SHRINK_ATTEMPTS)
    : failure.choices;
  const closer = await run(
    { keeps: TIMELINE_RECORDS, ...(canShrink && { replay: needed }) },
    steps.length - 1,
  );
  const found = closer.result.failure;
  if (!found || !isSameFailure(found, failure)) return first;
  const shown: FailureRecord = { ...found, choices: needed, allChoices: failure.choices.length };
  return { ...closer, result: { ...closer.result, failure: shown } };
}

/** The same thing did not hold, at the same place; when and with which values may differ. */
export function isSameFailure(a: FailureRecord | undefined, b: FailureRecord | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.kind === b.kind && a.line === b.line && a.property === b.property
  );
}

function nondeterminism(
  loaded: LoadedScenario,
  { now, tail }: Executed,
  difference: readonly string[],
): FailureRecord {
  return {
    kind: 'nondeterminism',
    property: 'two runs with the same seed are the same run',
    at: now,
    details: difference,
    file: loaded.file,
    line: 1,
    column: 1,
    excerpt: '',
    trace: tail.slice(-12).map(({ text }) => text),
    choices: [],
    allChoices: 0,
  };
}

/** Rounds of `repeat` may be very many. */
const firstAndLast = (steps: RunRecord['steps']): RunRecord['steps'] =>
  steps.length <= 2 * STEPS_AT_EACH_END
    ? steps
    : [...steps.slice(0, STEPS_AT_EACH_END), ...steps.slice(-STEPS_AT_EACH_END)];

/** Of a run that passed nobody needs more than an impression. */
const endOf = (executed: Executed): Executed => ({
  ...executed,
  tail: executed.tail.slice(-MARKS_OF_PASSED),
});
