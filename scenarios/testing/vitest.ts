/**
 * The door of vitest (`kubesim/vitest`): each test gets a fresh cluster, settled and on virtual time.
 *
 *     import { expect, test } from 'kubesim/vitest';
 *     test('a pod gets a node', async ({ cluster }) => { … });
 *     test.seeds(100)('whatever the order', async ({ cluster }) => { … });
 *     test.property('of any size', [fc.nat(9)], async ({ cluster }, replicas) => { … });
 *
 * `test.override({ clusterOptions: { nodes: 3 } })` or `test.extend` says what the cluster is like. A test that fails
 * tells the story in its message, and leaves a report and a recording, which vitest's reporters show as annotations with
 * attachments; KUBESIM_REPLAY runs that recording again,
 * KUBESIM_SEED all tests with one seed. With CI set, the first seed of `test.seeds` runs twice, and both runs have to be
 * the same.
 */
import fc from 'fast-check';
import { relative, resolve } from 'node:path';
import { test as base, type TestAPI, type TestContext } from 'vitest';
import type { ClusterOptions } from '../../sim/index.ts';
import { type Artefacts, toldMessage, writeArtefacts } from './failure-artefacts.ts';
import {
  beginRun,
  checkRules,
  type TestCluster,
  type TestName,
  type TestRecording,
  type TestRun,
  type WantedRules,
  wantedOptions,
  wantedRecording,
  wantedSeed,
} from './test-run.ts';

export { expect } from 'vitest';
export { applyFiles } from './manifests.ts';
export type { ConvergeOptions, ExpectedObject, KeptRules } from './matchers.ts';
import './matchers.ts';

export interface ClusterFixtures {
  /** What the cluster of a test is like; as `createCluster` takes it. */
  clusterOptions: ClusterOptions;
  /** Rules about controllers that its guests have to keep, with nothing further said; default: none. */
  controllerRules: WantedRules;
  /** A fresh one for each test. */
  cluster: TestCluster;
}

export interface Lived {
  readonly cluster: TestCluster;
  readonly seed: number;
}

/** Runs in a fresh cluster. */
export type Body<Values extends readonly unknown[] = readonly []> = (
  lived: Lived,
  ...values: Values
) => Promise<void> | void;

export type RunOptions = ClusterOptions & {
  /** Rules about controllers that guests have to keep in each run; default: none. */
  readonly controllerRules?: WantedRules;
};

export type PropertyOptions = RunOptions & {
  /** Runs of each test; default 100. */
  readonly numRuns?: number;
  /** Real milliseconds that all of them together may take; default: one second each, and 5 at least. */
  readonly timeout?: number;
};

export interface ClusterTests {
  /**
   * A test in as many clusters, with seeds from 1 (or that of `options`) on; it ends with the first that fails. All of them
   * together may take `timeout` real milliseconds; default: one second each, and 5 at least.
   */
  seeds(count: number, options?: RunOptions): (name: string, body: Body, timeout?: number) => void;
  /** A test with drawn values, each time in a cluster with a drawn seed; what fails is shrunk by fast-check. */
  property<Values extends readonly [unknown, ...unknown[]]>(
    name: string,
    arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    body: Body<Values>,
    options?: PropertyOptions,
  ): void;
}

const withCluster = base.extend<ClusterFixtures>({
  clusterOptions: {},
  controllerRules: [],
  cluster: async ({ clusterOptions, controllerRules, task, onTestFailed, annotate }, use) => {
    const test = nameOf(task);
    const run = beginRun(test, wantedOptions(test, clusterOptions));
    onTestFailed(async ({ task: { result } }) => {
      for (const error of result?.errors ?? []) {
        const failed = Object.assign(new Error(error.message), { stack: error.stack ?? '' });
        const artefacts = writeArtefacts(run, failed);
        error.message = toldMessage(error.message, run.cluster.seed, artefacts);
        await annotated({ task, annotate }, artefacts);
      }
    });
    try {
      await use(run.cluster);
      checkRules(run, controllerRules);
    } finally {
      run.cluster.guests.close();
    }
  },
});

export const test: TestAPI<ClusterFixtures> & ClusterTests = Object.assign(withCluster, {
  seeds:
    (count: number, options: RunOptions = {}) =>
    (name: string, body: Body, timeout = timeoutOf(count)) =>
      base(name, { timeout }, (context) => runSeeds(context, { count, options, body })),
  property: <Values extends readonly [unknown, ...unknown[]]>(
    name: string,
    arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    body: Body<Values>,
    options: PropertyOptions = {},
  ) => {
    const { timeout = timeoutOf(options.numRuns ?? RUNS) } = options;
    base(name, { timeout }, (context) => runProperty(context, { arbitraries, body, options }));
  },
});

/** What vitest grants to one test is too little for a hundred of them. */
const timeoutOf = (runs: number): number => Math.max(5_000, 1_000 * runs);

function nameOf(task: TestContext['task']): TestName {
  const names = [task.name];
  for (let { suite } = task; suite; { suite } = suite) names.unshift(suite.name);
  return { file: relative(process.cwd(), task.file.filepath), name: names.join(' ') };
}

interface Seeds {
  readonly count: number;
  readonly options: RunOptions;
  readonly body: Body;
}

async function runSeeds(context: TestContext, { count, options, body }: Seeds): Promise<void> {
  const test = nameOf(context.task);
  const wanted = wantedRecording(test)?.seed ?? wantedSeed();
  const first = wanted ?? options.seed ?? 1;
  const last = wanted ?? first + count - 1;
  for (let seed = first; seed <= last; seed++) {
    const digest = await runOnce(context, { ...options, seed }, body);
    if (seed === first && process.env['CI']) {
      const again = await runOnce(context, { ...options, seed }, body);
      if (again !== digest)
        throw new Error(
          `seed ${seed}: two runs differ (digests ${digest} and ${again}): something in the test is not a function of its seed`,
        );
    }
  }
}

/** The digest of a run that held. */
async function runOnce(
  context: TestContext,
  { controllerRules = [], ...options }: RunOptions,
  body: Body,
): Promise<string> {
  const test = nameOf(context.task);
  const run = beginRun(test, wantedOptions(test, options));
  try {
    await body({ cluster: run.cluster, seed: run.cluster.seed });
    checkRules(run, controllerRules);
  } catch (error) {
    const artefacts = writeArtefacts(run, errorOf(error));
    await annotated(context, artefacts);
    throw told(run, error, artefacts);
  } finally {
    run.cluster.guests.close();
  }
  return run.cluster.digest;
}

interface Property<Values extends readonly unknown[]> {
  readonly arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> };
  readonly body: Body<Values>;
  readonly options: PropertyOptions;
}

const MAX_SEED = 2_147_483_647;
const RUNS = 100;

async function runProperty<Values extends readonly [unknown, ...unknown[]]>(
  context: TestContext,
  { arbitraries, body, options }: Property<Values>,
): Promise<void> {
  const test = nameOf(context.task);
  const { numRuns = RUNS, controllerRules = [], timeout: _, ...cluster } = options;
  const recording = wantedRecording(test);
  // The run that failed last is the smallest.
  let failed: { readonly run: TestRun; readonly error: unknown } | undefined;
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: MAX_SEED }),
    fc.tuple<unknown[]>(...(arbitraries as readonly fc.Arbitrary<unknown>[])),
    async (seed, values) => {
      const run = beginRun(test, wantedOptions(test, { ...cluster, seed }));
      try {
        await body({ cluster: run.cluster, seed: run.cluster.seed }, ...(values as unknown as Values));
        checkRules(run, controllerRules);
      } catch (error) {
        failed = { run, error };
        throw error;
      } finally {
        run.cluster.guests.close();
      }
    },
  );
  const details = await fc.check(property, {
    numRuns,
    seed: recording?.property?.seed ?? wantedSeed() ?? cluster.seed ?? 1,
    ...(recording?.property && { path: recording.property.path, endOnFailure: true }),
  });
  if (!details.failed) return;
  if (!failed) throw new Error(fc.defaultReportMessage(details));
  const found = { seed: details.seed, path: details.counterexamplePath ?? '' };
  const artefacts = writeArtefacts(failed.run, errorOf(failed.error), found);
  await annotated(context, artefacts);
  const [, values] = details.counterexample ?? [];
  const what = `with ${fc.stringify(values)} (run ${details.numRuns}, shrunk ${details.numShrinks} times)`;
  throw told(failed.run, failed.error, artefacts, what);
}

/** Shows what was left behind in the reporters of vitest: as text, and attached where they can attach. */
async function annotated(context: Annotated, { report, recording }: Artefacts): Promise<void> {
  await annotation(context, 'report', { path: report, contentType: 'text/html' });
  await annotation(context, 'recording', { path: recording, contentType: 'application/json' });
}

type Annotated = Pick<TestContext, 'task' | 'annotate'>;

/** Vitest names its copy of a file after the message; longer names many disks refuse. */
const LONGEST_NAME = 180;

async function annotation(
  { task: { result }, annotate }: Annotated,
  what: string,
  { path, contentType }: { readonly path: string; readonly contentType: string },
): Promise<void> {
  const place = path.length > LONGEST_NAME ? `…${path.slice(-LONGEST_NAME)}` : path;
  const { state } = result ?? {};
  // Vitest takes annotations of tests that run alone; whoever hears that one has failed hears it a moment later.
  if (result) result.state = 'run';
  const written = annotate(`${what}: ${place}`, 'kubesim', { path: resolve(path), contentType });
  if (result && state) result.state = state;
  // Where it cannot be shown, the message of the failure says where it is all the same.
  await written.catch(() => undefined);
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The same error, so that its stack and its difference are shown, with the story in its message. */
function told({ cluster }: TestRun, thrown: unknown, artefacts: Artefacts, what = ''): Error {
  const error = errorOf(thrown);
  error.message = toldMessage(`${error.message}${what === '' ? '' : `\n${what}`}`, cluster.seed, artefacts);
  return error;
}

export type { TestRecording };
