/**
 * Makes one attempt and says what is wrong with it. Beside what the run itself breaks, a scenario that asks for it (`twins`,
 * `controllers-are-level-triggered`) has to end as its twins do: an attempt that has struck a run has to end as that run did,
 * any other has twins of its own, as in every run of such a scenario.
 */
import type { FailureRecord } from '../../reports/run-record.ts';
import type { Decision } from '../../sim/index.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Fault } from '../language/scenario-shape.ts';
import type { JsonMap } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { writtenScenario } from '../properties/written-scenario.ts';
import { endedRun } from '../runner/execute-run.ts';
import { optionsOfRun } from '../runner/options-of-run.ts';
import { runScenario } from '../runner/run-scenario.ts';
import { type Smallest, smallestScenario } from '../runner/smallest-scenario.ts';
import { smallestTwin } from '../runner/smallest-twin.ts';
import {
  type EndedRun,
  hasTwins,
  type RunToEnd,
  type Strike,
  struckFailure,
  type UnlikeTwin,
  unlikeTwin,
} from '../runner/twins.ts';
import type { MakeWorld, World, WorldOptions } from '../world/world.ts';
import type { Attempt, Seen } from './strategies.ts';

export interface JudgeOptions {
  readonly makeWorld: MakeWorld;
  /** Where the files of programs are looked for. */
  readonly directory: string;
  /** Every record and every decision is asked for. */
  readonly seesAll: boolean;
}

export interface Judged {
  readonly failure: FailureRecord | undefined;
  readonly seen: Seen;
  /** How it came about, where a twin did not end alike. */
  readonly twin?: UnlikeTwin | undefined;
}

const KEPT = 20_000;
/** A run of more records is too large to try all of its orders: of what is not kept nothing is turned round. */
const KEPT_OF_ALL = 200_000;
const NOTHING: Judged = { failure: undefined, seen: { records: [], decisions: [] } };

export class Judge {
  readonly #options: JudgeOptions;
  /** The run that was struck last, and its end. */
  #struck: { readonly scenario: JsonMap; readonly run: EndedRun } | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  async judge(attempt: Attempt): Promise<Judged> {
    try {
      return await this.#judge(attempt);
    } catch (error) {
      // It makes no sense, or no world can be made of it.
      if (error instanceof ScenarioError || error instanceof RangeError) return NOTHING;
      throw error;
    }
  }

  async smallest(
    attempt: Attempt,
    { failure, twin }: Judged,
    attempts: number,
  ): Promise<Smallest | undefined> {
    const { makeWorld, directory } = this.#options;
    const options = { seed: attempt.seed, makeWorld, directory, attempts };
    if (!failure) return undefined;
    if (!twin) return smallestScenario(writtenScenario('attempt', attempt.scenario), failure, options);
    const base = writtenScenario('attempt', attempt.strikes ? attempt.strikes.base : attempt.scenario);
    return smallestTwin(base, twin, {
      ...options,
      twinOf: (story) => this.#unlike(story, attempt.seed, attempt.strikes && twin.strikes),
    });
  }

  async #judge(attempt: Attempt): Promise<Judged> {
    const { seesAll } = this.#options;
    const loaded = writtenScenario('attempt', attempt.scenario);
    const decisions: Decision[] = [];
    const keeps = seesAll ? KEPT_OF_ALL : KEPT;
    const world = this.#worldOf(loaded, attempt.seed, {
      keeps,
      ...(seesAll && { onDecision: (decision) => void decisions.push(decision) }),
    });
    let made: Judged;
    try {
      const { failure } = await runScenario(loaded, world, { seed: attempt.seed });
      const isInvalid = failure?.kind === 'invalid';
      made = { failure: isInvalid ? undefined : failure, seen: { records: world.tail(keeps), decisions } };
      if (failure || !hasTwins(loaded) || attempt.isLearnt === true) return made;
    } finally {
      world.close();
    }
    const twin = attempt.strikes
      ? await this.#unlikeStruck(loaded, attempt.strikes, attempt.seed)
      : await this.#unlike(loaded, attempt.seed, undefined);
    return { ...made, failure: twin?.failure, twin };
  }

  #worldOf(loaded: LoadedScenario, seed: number, options: Partial<WorldOptions>): World {
    const { makeWorld, directory } = this.#options;
    return makeWorld({ ...optionsOfRun(loaded, seed), directory, ...options });
  }

  #runToEnd(loaded: LoadedScenario, seed: number): RunToEnd {
    return ({ strikes = [], observer }) =>
      endedRun(loaded, this.#worldOf(loaded, seed, { observer }), { seed, strikes });
  }

  /** With the given strikes, or with those of its own. */
  async #unlike(
    loaded: LoadedScenario,
    seed: number,
    strikes: readonly Strike[] | undefined,
  ): Promise<UnlikeTwin | undefined> {
    const run = this.#runToEnd(loaded, seed);
    if (!strikes) return unlikeTwin(loaded, seed, run);
    const first = await run({});
    return first.failure ? undefined : struckFailure(loaded, first, strikes, await run({ strikes }));
  }

  async #unlikeStruck(
    { scenario }: LoadedScenario,
    { base, count }: NonNullable<Attempt['strikes']>,
    seed: number,
  ): Promise<UnlikeTwin | undefined> {
    const loaded = writtenScenario('attempt', base);
    const run = this.#runToEnd(loaded, seed);
    if (this.#struck?.scenario !== base) this.#struck = { scenario: base, run: await run({}) };
    if (this.#struck.run.failure) return undefined;
    const strikes = scenario.spec.steps
      .slice(0, count)
      .flatMap(({ fault, delay = 1, for: length }): Strike[] =>
        // One request is refused, whenever it comes: nothing has to be undone.
        fault ? [{ fault, at: delay, length: refusesOne(fault) ? undefined : length }] : [],
      );
    return struckFailure(loaded, this.#struck.run, strikes, await run({ strikes }));
  }
}

const refusesOne = ({ failRequests, loseAnswers }: Fault): boolean =>
  (failRequests ?? loseAnswers)?.nth !== undefined;
