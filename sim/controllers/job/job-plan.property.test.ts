/**
 * A Job whose pods run, succeed, fail and are disrupted in any order, beside a plain count of what became of each: how
 * many pods it makes and for which indexes, when it waits, and when it is over and why.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job, JobCondition, JobSpec } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { type Assessment, assess, type JobView } from './job-assessment.ts';
import { NO_FAILURES } from './job-backoff.ts';
import { formatIndexes } from './job-indexes.ts';
import { newJobPod, planJobPods } from './job-pod-plan.ts';

type Spec = Omit<Partial<JobSpec>, 'template'>;

/** What the API defaults it to where indexes fail by themselves. */
const UNLIMITED = 2_147_483_647;

/** What is known of a pod by whoever counts plainly. */
interface Kept {
  readonly pod: Pod;
  readonly index: number | undefined;
  /** Failures of its index before it that count. */
  readonly before: number;
  state: 'running' | 'succeeded' | 'failed';
  code: number;
  isDisrupted: boolean;
  isCounted: boolean;
  endedAt: number;
}

class World {
  readonly spec: Spec;
  kept: Kept[] = [];
  #status: Job['status'] = {};
  #row = NO_FAILURES;
  #now = 1_000;
  verdict: JobCondition | undefined;
  /** The reason of the end that is due. */
  due: string | undefined;

  constructor(spec: Spec) {
    this.spec = spec;
  }

  pass(seconds: number): void {
    this.#now += seconds;
  }

  end(index: number, code: number, isDisrupted = false): void {
    const running = this.kept.filter(({ state }) => state === 'running');
    const pod = running[index % Math.max(1, running.length)];
    if (pod)
      Object.assign(pod, {
        state: code === 0 ? 'succeeded' : 'failed',
        code,
        isDisrupted,
        endedAt: this.#now,
      });
  }

  /** One after the other in the same place, each replaced in its time. */
  endAnew(codes: readonly number[]): void {
    for (const code of codes) {
      this.sync();
      const [first] = this.active.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
      if (!first || this.verdict) return;
      this.end(this.active.indexOf(first), code);
      this.sync();
      this.pass(700);
    }
  }

  sync(most = Infinity): void {
    if (this.verdict) return;
    const facts = assess(this.view);
    this.#checkFacts(facts);
    this.verdict = facts.verdict;
    if (facts.verdict) return;
    this.#count(facts);
    const plan = planJobPods(this.view, { ...facts, row: this.#row });
    if (plan.kind === 'delete') {
      expect(plan.pods.length, 'pods too many').toBe(Math.max(0, this.active.length - this.#wanted));
      for (const { metadata } of plan.pods)
        this.kept = this.kept.filter(({ pod }) => pod.metadata.name !== metadata.name);
    }
    if (plan.kind === 'wait') expect(this.#longestWait, 'waits').toBeGreaterThan(0);
    if (plan.kind === 'rest') expect(this.active.length).toBe(this.#wanted);
    if (plan.kind === 'create') for (const index of plan.indexes.slice(0, most)) this.#make(index, facts);
    expect(this.active.length).toBeLessThanOrEqual(this.spec.parallelism ?? 1);
  }

  #make(index: number | undefined, facts: Assessment): void {
    expect(index === undefined).toBe(this.spec.completionMode !== 'Indexed');
    if (index !== undefined) {
      expect(this.#failedIndexes.has(index) || this.succeededIndexes.has(index), `${index} is settled`).toBe(
        false,
      );
      expect(
        this.active.some((one) => one.index === index),
        `${index} is at work`,
      ).toBe(false);
    }
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j' };
    const { metadata, spec } = newJobPod(this.view.job, { owner, index, facts });
    const name = `p${this.kept.length}-${this.#now}`;
    const made = { ...metadata, name, uid: name, creationTimestamp: timeOf(this.#now) };
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: made, ...(spec && { spec }) };
    const before = this.kept.filter(
      (one) => index !== undefined && one.index === index && counts(this.spec, one),
    ).length;
    this.kept.push({
      pod,
      index,
      before,
      state: 'running',
      code: 0,
      isDisrupted: false,
      isCounted: false,
      endedAt: 0,
    });
  }

  /** As a status that was written and heard: ended pods are counted, and lose their finalizers. */
  #count(facts: Assessment): void {
    const isSuccess = this.kept.some(({ state, isCounted }) => state === 'succeeded' && !isCounted);
    this.#row = facts.row;
    if (isSuccess && !this.kept.some(({ state, isCounted }) => state === 'failed' && !isCounted))
      expect(this.#row.failures, 'a success ends the row of failures').toBe(0);
    const last = new Set([...facts.lastFailed.values()].map(({ metadata }) => metadata.name));
    // Pods that stay to be replaced later are counted then.
    const staying = this.kept.filter(({ pod }) => last.has(pod.metadata.name));
    this.#status = {
      succeeded: facts.succeeded,
      failed: facts.failed - staying.filter((one) => counts(this.spec, one)).length,
      ...(this.spec.completionMode === 'Indexed' && {
        completedIndexes: formatIndexes(facts.succeededIndexes),
      }),
      ...(facts.failedIndexes && { failedIndexes: formatIndexes(facts.failedIndexes) }),
    };
    for (const one of this.kept)
      if (one.state !== 'running') one.isCounted ||= !last.has(one.pod.metadata.name);
  }

  #checkFacts(facts: Assessment): void {
    const ended = this.kept.filter(({ state }) => state !== 'running');
    const succeeded =
      this.spec.completionMode === 'Indexed' ? this.succeededIndexes.size : this.#all('succeeded').length;
    expect(facts.active).toHaveLength(this.kept.length - ended.length);
    expect(facts.succeeded, 'succeeded').toBe(succeeded);
    if (this.spec.backoffLimitPerIndex === undefined)
      expect(facts.failed, 'failed').toBe(this.#all('failed').filter((one) => counts(this.spec, one)).length);
    else expect(facts.failedIndexes, 'failed indexes').toEqual(this.#failedIndexes);
    expect(facts.verdict?.reason).toBe(this.#end);
  }

  #all(state: Kept['state']): readonly Kept[] {
    return this.kept.filter((one) => one.state === state);
  }

  /** Why it is over, in the order in which reasons are looked for. */
  get #end(): string | undefined {
    const {
      backoffLimit = 6,
      backoffLimitPerIndex,
      maxFailedIndexes,
      completions = 0,
      successPolicy,
    } = this.spec;
    const failed = this.#all('failed');
    if (failed.some((one) => actionOn(this.spec, one) === 'FailJob')) return 'PodFailurePolicy';
    if (
      backoffLimitPerIndex === undefined &&
      failed.filter((one) => counts(this.spec, one)).length > backoffLimit
    )
      return 'BackoffLimitExceeded';
    const [lost, won] = [this.#failedIndexes.size, this.succeededIndexes.size];
    if (maxFailedIndexes !== undefined && lost > maxFailedIndexes) return 'MaxFailedIndexesExceeded';
    if (lost > 0 && lost + won >= completions) return 'FailedIndexes';
    const isEarly = successPolicy?.rules.some(({ succeededCount, succeededIndexes }) => {
      const among = succeededIndexes === undefined ? [...Array(completions).keys()] : [0, 1];
      const met = among.filter((index) => this.succeededIndexes.has(index)).length;
      return met >= (succeededCount ?? among.length);
    });
    return isEarly === true ? 'SuccessPolicy' : undefined;
  }

  get succeededIndexes(): ReadonlySet<number> {
    return new Set(this.#all('succeeded').flatMap(({ index }) => index ?? []));
  }

  get #failedIndexes(): ReadonlySet<number> {
    const { backoffLimitPerIndex: most } = this.spec;
    if (most === undefined) return new Set();
    const fails = (one: Kept): boolean =>
      actionOn(this.spec, one) === 'FailIndex' || (counts(this.spec, one) && one.before >= most);
    return new Set(
      this.#all('failed')
        .filter(fails)
        .flatMap(({ index }) => index ?? []),
    );
  }

  get active(): readonly Kept[] {
    return this.#all('running');
  }

  get #wanted(): number {
    const { parallelism = 1, completions } = this.spec;
    const done =
      this.spec.completionMode === 'Indexed' ? this.succeededIndexes.size : this.#all('succeeded').length;
    if (completions === undefined) return done > 0 ? this.active.length : parallelism;
    const free = completions - done - this.#failedIndexes.size;
    return Math.max(
      0,
      Math.min(parallelism, this.spec.backoffLimitPerIndex === undefined ? completions - done : free),
    );
  }

  /** Seconds that a failure may still have to be waited out. */
  get #longestWait(): number {
    return Math.max(0, ...this.#all('failed').map(({ endedAt }) => endedAt + 600 - this.#now));
  }

  get view(): JobView {
    const template = { spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' as const } };
    const job: Job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'default', uid: 'j' },
      spec: { template, ...this.spec },
      ...(this.#status && { status: this.#status }),
    };
    return {
      job,
      pods: this.kept.map(podOf),
      untracked: new Set(),
      row: this.#row,
      nowMs: this.#now * 1_000,
      now: timeOf(this.#now),
    };
  }
}

const timeOf = (second: number): string => new Date(second * 1_000).toISOString().replace('.000', '');

/** By the first rule that speaks of how it ended. */
function actionOn({ podFailurePolicy }: Spec, { state, code, isDisrupted }: Kept): string | undefined {
  if (state !== 'failed') return undefined;
  return podFailurePolicy?.rules.find(({ onExitCodes }) => {
    if (!onExitCodes) return isDisrupted;
    return (onExitCodes.operator === 'In') === onExitCodes.values.includes(code);
  })?.action;
}

const counts = (spec: Spec, one: Kept): boolean => one.state === 'failed' && actionOn(spec, one) !== 'Ignore';

const PHASES = { running: 'Running', succeeded: 'Succeeded', failed: 'Failed' } as const;

function podOf({ pod, state, code, isDisrupted, isCounted, endedAt }: Kept): Pod {
  const finishedAt = timeOf(endedAt);
  const terminated = { exitCode: code, reason: 'Completed', startedAt: finishedAt, finishedAt };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(isCounted && { finalizers: [] }) },
    status: {
      phase: PHASES[state],
      conditions: isDisrupted ? [{ type: 'DisruptionTarget', status: 'True' }] : [],
      ...(state !== 'running' && {
        containerStatuses: [
          { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated } },
        ],
      }),
    },
  };
}

/** Everything succeeds from now on. */
function comesToRest(world: World): void {
  for (let round = 0; round < 60 && !world.verdict; round++) {
    world.sync();
    for (let each = 0; each < 4; each++) world.end(0, 0);
    world.pass(700);
  }
  const { completions, completionMode, backoffLimitPerIndex } = world.spec;
  if (world.verdict || completions === undefined || backoffLimitPerIndex !== undefined) return;
  if (completionMode === 'Indexed') expect(world.succeededIndexes.size).toBe(completions);
  expect(world.active).toEqual([]);
}

const onExitCodes = (operator: 'In' | 'NotIn', ...values: number[]) => ({ operator, values });
const SPECS: readonly Spec[] = [
  { completions: 4, parallelism: 2, backoffLimit: 2 },
  { parallelism: 3, backoffLimit: 1 },
  { completions: 3, parallelism: 2, completionMode: 'Indexed', backoffLimit: 2 },
  {
    completions: 4,
    parallelism: 4,
    completionMode: 'Indexed',
    successPolicy: { rules: [{ succeededIndexes: '0,1', succeededCount: 1 }] },
  },
  {
    completions: 4,
    parallelism: 2,
    completionMode: 'Indexed',
    successPolicy: { rules: [{ succeededIndexes: '0-1' }, { succeededCount: 3 }] },
  },
  {
    completions: 4,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimit: UNLIMITED,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 2,
  },
  {
    completions: 3,
    parallelism: 3,
    completionMode: 'Indexed',
    backoffLimit: UNLIMITED,
    backoffLimitPerIndex: 0,
  },
  {
    completions: 3,
    parallelism: 2,
    backoffLimit: 1,
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'FailJob', onExitCodes: onExitCodes('In', 3) },
        { action: 'Count', onExitCodes: onExitCodes('NotIn', 4, 5) },
      ],
    },
  },
  {
    completions: 3,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimit: UNLIMITED,
    backoffLimitPerIndex: 2,
    podFailurePolicy: {
      rules: [
        { action: 'FailIndex', onExitCodes: onExitCodes('In', 3, 4) },
        { action: 'Ignore', onExitCodes: onExitCodes('NotIn', 1) },
      ],
    },
  },
];
const act = actsOn<World>();

it.each(SPECS)('makes the pods that it needs, and is over when and why it should be: %j', (spec) => {
  holdsInAnyOrder({
    begin: () => new World(spec),
    acts: [
      act('sync', fc.constantFrom(1, 2, Infinity, Infinity), (world, most) => world.sync(most)),
      act('sync', NOTHING, (world) => world.sync()),
      act(
        'end',
        fc.tuple(fc.nat(4), fc.constantFrom(0, 0, 1, 3, 4, 5), fc.boolean()),
        (world, [index, code, isDisrupted]) => world.end(index, code, isDisrupted && code !== 0),
      ),
      act('end anew', fc.array(fc.constantFrom(1, 1, 5), { minLength: 2, maxLength: 4 }), (world, codes) =>
        world.endAnew(codes),
      ),
      act('pass', fc.constantFrom(3, 11, 25, 700), (world, seconds) => world.pass(seconds)),
    ],
    compare: () => undefined,
    end: comesToRest,
    most: 20,
    runs: 120,
  });
});
