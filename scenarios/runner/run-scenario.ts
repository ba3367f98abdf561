/**
 * Runs one scenario in one world, step by step. It decides nothing about the world and writes no report: it says
 * what happened, and if something did not hold, what, where in the file, and when.
 */
import type { FailureRecord, Snapshot, StepRecord, Verdict } from '../../reports/run-record.ts';
import { checkObservations, needsHistory, Observations } from '../checks/checkers.ts';
import { answerValue, detailOf, mismatchesOf } from '../checks/expectation.ts';
import { failureRecordOf, locatedError, placeOf } from './failure-record.ts';
import { ClientActs } from './client-acts.ts';
import { KindPlaces } from '../world/kind-places.ts';
import type { LoadedScenario } from '../language/load-scenario.ts';
import { pathText, type Path } from '../language/read-value.ts';
import type { Probe, Property, Scenario, Step } from '../language/scenario-shape.ts';
import { getPath } from '../language/value-path.ts';
import type { Json } from '../language/shape.ts';
import { fill, ScenarioError } from '../language/variables.ts';
import { RunFailure } from './run-failure.ts';
import { requestOf, titleOf, verbOf } from './step-request.ts';
import type { Answer, RestProblem, World, WorldWatch } from '../world/world.ts';

export interface RunResult {
  readonly verdict: Verdict;
  readonly steps: readonly StepRecord[];
  readonly failure?: FailureRecord;
}

export interface RunOptions {
  readonly seed: number;
  /** Take a snapshot of all objects before the step with this number (from 0), and at a failure. */
  readonly snapshotBefore?: number | undefined;
}

const SECOND = 1_000_000;
/** Rounds within rounds multiply; nobody reads more. */
const MOST_STEPS = 200_000;
const REST_WITHIN = 900 * SECOND;
const MOST_PROBLEMS = 12;

export function runScenario(loaded: LoadedScenario, world: World, options: RunOptions): Promise<RunResult> {
  return new ScenarioRun(loaded, world, options).run();
}

interface OpenWatch {
  readonly watch: WorldWatch;
  /** Events that earlier steps have dealt with. */
  seen: number;
}

class ScenarioRun {
  readonly #loaded: LoadedScenario;
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #options: RunOptions;
  readonly #variables: Map<string, Json>;
  readonly #watches = new Map<string, OpenWatch>();
  readonly #steps: StepRecord[] = [];
  readonly #observations = new Observations();
  readonly #places: KindPlaces;
  readonly #acts: ClientActs;
  readonly #keepsOperations: boolean;
  #before: Snapshot | undefined;

  constructor(loaded: LoadedScenario, world: World, options: RunOptions) {
    this.#loaded = loaded;
    this.#scenario = loaded.scenario;
    this.#world = world;
    this.#options = options;
    this.#places = new KindPlaces(world);
    this.#acts = new ClientActs((step) => this.#ask(step));
    this.#keepsOperations = needsHistory(this.#scenario);
    this.#variables = new Map<string, Json>([
      ['seed', options.seed],
      ...Object.entries(this.#scenario.spec.variables ?? {}),
    ]);
  }

  async run(): Promise<RunResult> {
    try {
      const { steps } = this.#scenario.spec;
      await this.#runSteps(steps, ['spec', 'steps']);
      if (steps.at(-1)?.settle) await this.#beginAnew(['spec', 'steps', steps.length - 1]);
      this.#runCheckers();
      return { verdict: 'passed', steps: this.#steps };
    } catch (error) {
      const failure = failureRecordOf(error, this.#loaded, this.#world, this.#before);
      return {
        verdict:
          failure.kind === 'invalid'
            ? 'invalid'
            : failure.kind === 'invariant' || failure.kind === 'crash'
              ? 'defect'
              : 'failed',
        steps: this.#steps,
        failure,
      };
    }
  }

  async #runSteps(steps: readonly Step[], path: Path): Promise<void> {
    for (const [index, step] of steps.entries()) {
      await this.#runStep(step, [...path, index]);
      this.#checkRules([...path, index]);
      await this.#checkProperties();
    }
  }

  async #runStep(step: Step, path: Path): Promise<void> {
    const { repeat } = step;
    if (repeat) {
      for (let round = 0; round < repeat.times; round++) {
        if (repeat.index !== undefined) this.#variables.set(repeat.index, round);
        await this.#runSteps(repeat.steps as readonly Step[], [...path, 'repeat', 'steps']);
      }
      return;
    }
    if (this.#steps.length >= MOST_STEPS)
      throw locatedError(
        new ScenarioError(`a run has at most ${MOST_STEPS} steps, those of \`repeat\` counted each time`),
        path,
        titleOf(step),
      );
    if (this.#options.snapshotBefore === this.#steps.length) this.#before = this.#world.objects();
    const from = this.#world.now;
    let title = titleOf(step);
    let answer: Answer | undefined;
    const record = (outcome: StepRecord['outcome']): void => {
      const status = answer === undefined ? {} : { status: answer.status };
      this.#steps.push({
        path: pathText(path.slice(1)),
        title,
        verb: verbOf(step),
        from,
        to: this.#world.now,
        outcome,
        ...status,
      });
    };
    try {
      const filled = this.#fill(step, path);
      title = titleOf(filled);
      answer = await this.#perform(filled, path);
      if (answer) this.#settle(filled, answer, title, path);
      record('passed');
    } catch (error) {
      if (error instanceof RunFailure && error.answer) answer = error.answer;
      record('failed');
      throw locatedError(error, path, title);
    }
  }

  /** Does what the verb says. */
  async #perform(step: Step, path: Path): Promise<Answer | undefined> {
    if (step.advance !== undefined) await this.#advance(step.advance);
    else if (step.fault) await this.#world.fault(step.fault, { delay: step.delay, length: step.for });
    else if (step.settle) await this.#settleDown(step.settle, path);
    else if (step.edit) return this.#acts.edit(step, step.edit);
    else if (step.drain) return this.#acts.drain(step.drain.node, step);
    else if (step.pages)
      return this.#acts.pages(step, step.pages, (index) => this.#between(step, index, path));
    else if (step.together) await this.#together(step.together.steps as readonly Step[], path);
    else if (step.eventually) return this.#eventually(step.eventually, path);
    else if (step.always) return this.#always(step.always, path);
    else if (step.watch) return this.#watch(step, step.watch.stream);
    else if (step.webhook) await this.#world.webhook(step.webhook);
    else if (step.upgrade) await this.#world.upgrade(step.upgrade);
    else if (step.downgrade) await this.#world.upgrade(step.downgrade);
    else if (step.migrateStorage) await this.#world.migrateStorage(step.migrateStorage);
    else if (step.restore) return this.#world.restore(step.restore);
    else if (step.stop !== undefined) this.#watches.get(step.stop)?.watch.close();
    else if (step.set) for (const [name, value] of Object.entries(step.set)) this.#variables.set(name, value);
    else return this.#ask(step);
    return undefined;
  }

  /** Checks the answer and takes from it what the step wants to keep. */
  #settle(step: Step, answer: Answer, title: string, path: Path): void {
    if (!step.eventually && !step.always) {
      const mismatches = mismatchesOf(step.expect, answer);
      if (mismatches.length > 0) {
        throw new RunFailure({
          kind: 'expectation',
          property: title,
          details: mismatches.map(detailOf),
          path: placeOf(step.expect, [...path, 'expect'], mismatches),
          answer,
        });
      }
    }
    const events = step.events ?? step.eventually?.events;
    const open = events && this.#watches.get(events.stream);
    if (open) open.seen += answer.events?.length ?? 0;
    for (const [name, place] of Object.entries(step.capture ?? {})) {
      const value = getPath(answerValue(answer), place);
      if (value === undefined)
        throw new RunFailure({
          kind: 'expectation',
          property: title,
          details: [`the answer has no ${place} to capture`],
          path: [...path, 'capture', name],
          answer,
        });
      this.#variables.set(name, value);
    }
  }

  async #ask(step: Step): Promise<Answer> {
    if (step.events) return this.#readEvents(step.events.stream);
    await this.#places.discover(step);
    const request = requestOf(step, this.#places.find);
    if (!request) throw new ScenarioError('the step asks nothing');
    const { now: calledAt, revision: revisionBefore } = this.#world;
    const answer = await this.#world.request(request);
    this.#heard(step, answer, { calledAt, revisionBefore });
    return answer;
  }

  #heard(
    step: Step,
    answer: Answer,
    call: { readonly calledAt: number; readonly revisionBefore: number },
  ): void {
    this.#acts.remember(step, answer);
    if (this.#keepsOperations)
      this.#observations.asked({ step, answer, ...call, answeredAt: this.#world.now });
  }

  /** All requests at once; each answer is judged by its own step. */
  async #together(steps: readonly Step[], path: Path): Promise<void> {
    const requests = [];
    for (const step of steps) {
      await this.#places.discover(step);
      const request = requestOf(step, this.#places.find);
      if (!request || step.watch)
        throw new ScenarioError(`only requests can be sent together, not \`${verbOf(step)}\``);
      requests.push(request);
    }
    const { now: calledAt, revision: revisionBefore } = this.#world;
    const answers = await this.#world.requestAll(requests);
    for (const [index, step] of steps.entries()) {
      const answer = answers[index];
      if (!answer) continue;
      this.#heard(step, answer, { calledAt, revisionBefore });
      this.#settle(step, answer, titleOf(step), [...path, 'together', 'steps', index]);
    }
  }

  async #between(step: Step, index: number, path: Path): Promise<void> {
    const next = (step.pages?.between as readonly Step[] | undefined)?.[index];
    if (next) await this.#runStep(next, [...path, 'pages', 'between', index]);
  }

  async #settleDown(
    { within = REST_WITHIN, exempt }: NonNullable<Step['settle']>,
    path: Path,
  ): Promise<void> {
    this.#mustBeNone(await this.#world.settle(within, exempt), path);
  }

  async #beginAnew(path: Path): Promise<void> {
    this.#mustBeNone(await this.#world.beginAnew(), path);
    this.#checkRules(path);
  }

  #mustBeNone([first, ...others]: readonly RestProblem[], path: Path): void {
    if (!first) return;
    throw new RunFailure({
      kind: 'rest',
      property: first.rule,
      details: [first, ...others].slice(0, MOST_PROBLEMS).map(({ message }) => message),
      path: [...path, 'settle'],
    });
  }

  #readEvents(stream: string): Answer {
    const open = this.#watches.get(stream);
    if (!open) throw new ScenarioError(`the watch \`${stream}\` was refused`);
    return {
      status: 200,
      headers: {},
      warnings: [],
      events: open.watch.events.slice(open.seen),
      ended: open.watch.isEnded,
    };
  }

  async #watch(step: Step, stream: string): Promise<Answer> {
    await this.#places.discover(step);
    const request = requestOf(step, this.#places.find);
    if (!request) throw new ScenarioError('the step asks nothing');
    const { answer, watch } = await this.#world.watch(request);
    this.#watches.get(stream)?.watch.close();
    if (watch) this.#watches.set(stream, { watch, seen: 0 });
    else this.#watches.delete(stream);
    return answer;
  }

  async #eventually(step: NonNullable<Step['eventually']>, path: Path): Promise<Answer> {
    const deadline = this.#world.now + step.within;
    const every = Math.max(1, step.every ?? SECOND);
    for (;;) {
      const answer = await this.#ask(step);
      const mismatches = mismatchesOf(step.expect, answer);
      if (mismatches.length === 0) return answer;
      if (this.#world.now >= deadline) {
        throw new RunFailure({
          kind: 'eventually',
          property: titleOf({ eventually: step }),
          details: mismatches.map(detailOf),
          path: placeOf(step.expect, [...path, 'eventually', 'expect'], mismatches),
          answer,
        });
      }
      await this.#advance(Math.min(every, deadline - this.#world.now));
    }
  }

  async #always(step: NonNullable<Step['always']>, path: Path): Promise<Answer> {
    const end = this.#world.now + step.for;
    const every = Math.max(1, step.every ?? SECOND);
    for (;;) {
      const answer = await this.#ask(step);
      const mismatches = mismatchesOf(step.expect, answer);
      if (mismatches.length > 0) {
        throw new RunFailure({
          kind: 'always',
          property: titleOf({ always: step }),
          details: mismatches.map(detailOf),
          path: placeOf(step.expect, [...path, 'always', 'expect'], mismatches),
          answer,
        });
      }
      if (this.#world.now >= end) return answer;
      await this.#advance(Math.min(every, end - this.#world.now));
    }
  }

  /** In one go, or in seconds where something must hold all the time. */
  async #advance(span: number): Promise<void> {
    if (!this.#scenario.spec.always) return this.#world.advance(span);
    const end = this.#world.now + span;
    while (this.#world.now < end) {
      await this.#world.advance(Math.min(SECOND, end - this.#world.now));
      await this.#checkProperties();
    }
  }

  async #checkProperties(): Promise<void> {
    for (const [index, property] of (this.#scenario.spec.always ?? []).entries())
      await this.#checkProperty(property, ['spec', 'always', index]);
  }

  async #checkProperty(property: Property, path: Path): Promise<void> {
    try {
      const filled = this.#fill(property, path);
      const answer = await this.#ask(filled);
      const mismatches = mismatchesOf(filled.expect, answer);
      if (mismatches.length > 0)
        throw new RunFailure({
          kind: 'always',
          property: property.name,
          details: mismatches.map(detailOf),
          path: placeOf(filled.expect, [...path, 'expect'], mismatches),
          answer,
        });
    } catch (error) {
      throw locatedError(error, path, property.name);
    }
  }

  /** What the rules have found up to now. */
  #checkRules(path: Path): void {
    const [first] = this.#world.findViolations();
    if (!first) return;
    const { rule, at, message } = first;
    const named = (this.#scenario.spec.checkers ?? []).indexOf(rule);
    throw new RunFailure({
      kind: 'checker',
      property: rule,
      details: [`at ${Math.round(at / 1_000) / 1_000}s: ${message}`],
      path: named < 0 ? path : ['spec', 'checkers', named],
    });
  }

  #runCheckers(): void {
    const { checkers = [] } = this.#scenario.spec;
    checkers.forEach((name, index) => {
      const details = checkObservations(name, this.#observations, this.#world.history);
      if (details.length > 0)
        throw new RunFailure({ kind: 'checker', property: name, details, path: ['spec', 'checkers', index] });
    });
  }

  #fill<S extends Probe>(step: S, path: Path): S {
    this.#variables.set('now', this.#world.nowText);
    try {
      return fill(step, this.#variables);
    } catch (error) {
      throw locatedError(error, path, titleOf(step));
    }
  }
}
