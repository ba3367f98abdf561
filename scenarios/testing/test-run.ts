/**
 * One run of a test in a fresh cluster, and what it leaves behind when it fails: the same as a scenario does. The seed
 * and the answers of chance come from the environment where somebody wants to see a run again.
 */
import { readFileSync } from 'node:fs';
import type { Choice, Snapshot } from '../../reports/run-record.ts';
import { CONTROLLER_RULES, type ControllerRuleName } from '../../model/controllers/controller-rules.ts';
import {
  type Cluster,
  type ClusterOptions,
  createCluster,
  formatMicros,
  type GuestVerbs,
  type Micros,
} from '../../sim/index.ts';
import { observeControllers } from '../checks/observe-controllers.ts';
import { objectsOf } from '../world/cluster-records.ts';

export type TestCluster = Cluster & GuestVerbs;

/** Which test it is. */
export interface TestName {
  /** Of the file, as one types it. */
  readonly file: string;
  /** With those of the suites around it, as `-t` takes it. */
  readonly name: string;
}

/** Rules that guests have to keep in a test, as `scenarios/README.md` tells them. */
export type WantedRules = 'all' | readonly ControllerRuleName[];

export interface TestRun {
  readonly test: TestName;
  readonly cluster: TestCluster;
  /** All objects as they were when the test began; made when somebody asks. */
  readonly before: () => Snapshot;
  readonly startedMs: number;
}

/** Records that a report shows at the most. */
export const KEPT_RECORDS = 3_000;

/** What a failed test can be run again from. */
export interface TestRecording {
  readonly apiVersion: 'kubesim.dev/v1';
  readonly kind: 'TestRecording';
  readonly test: TestName;
  readonly seed: number;
  readonly choices: readonly Choice[];
  /** Of `test.property`: seed and path with which fast-check finds the same values. */
  readonly property?: { readonly seed: number; readonly path: string };
  readonly failure: string;
}

export function beginRun(test: TestName, options: ClusterOptions): TestRun {
  const cluster = createCluster({
    ...options,
    trace: { keeps: KEPT_RECORDS, ...options.trace },
  });
  const rules = observeControllers(cluster);
  const breaches: Breaches = () => {
    rules.look(cluster.now);
    return rules.violations;
  };
  const begun = cluster.storage.range({ prefix: '' });
  const before = (): Snapshot => objectsOf({ storage: { range: () => begun } });
  return { test, cluster: Object.assign(cluster, { [BREACHES]: breaches }), before, startedMs: Date.now() };
}

type Breaches = () => ReturnType<typeof observeControllers>['violations'];

/** A member of clusters of tests: a WeakMap would keep them until the whole heap is collected. */
const BREACHES = Symbol('broken rules');

/** Which rules the guests of a test's cluster have broken, one line each. */
export function brokenRules(
  cluster: Cluster & { readonly [BREACHES]?: Breaches },
  wanted: WantedRules = 'all',
): readonly string[] {
  const names = new Set<string>(wanted === 'all' ? CONTROLLER_RULES : wanted);
  const found = cluster[BREACHES];
  if (!found) throw new TypeError('expected the cluster of a test: the `cluster` that it is given');
  return found()
    .filter(({ rule }) => names.has(rule))
    .map(({ rule, at, message }) => `${rule}: at ${formatMicros(at as Micros)} ${message}`);
}

/** @throws Error */
export function checkRules({ cluster }: TestRun, wanted: WantedRules): void {
  const broken = brokenRules(cluster, wanted);
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

/** The options with the seed and the chance of the run that is asked for in the environment. */
export function wantedOptions(test: TestName, options: ClusterOptions): ClusterOptions {
  const recording = wantedRecording(test);
  if (recording) return { ...options, seed: recording.seed, replay: recording.choices };
  const seed = wantedSeed();
  return seed === undefined ? options : { ...options, seed };
}

/** KUBESIM_SEED: the one seed that tests run with. @throws RangeError */
export function wantedSeed(): number | undefined {
  const text = process.env['KUBESIM_SEED'];
  if (text === undefined || text === '') return undefined;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`KUBESIM_SEED=${text}: expected a whole number`);
  return seed;
}

/** KUBESIM_REPLAY: a recording; it counts for the test that it was made of. @throws Error */
export function wantedRecording({ name }: TestName): TestRecording | undefined {
  const file = process.env['KUBESIM_REPLAY'];
  if (file === undefined || file === '') return undefined;
  const recording = parseTestRecording(file, readFileSync(file, 'utf8'));
  return recording.test.name === name ? recording : undefined;
}

function parseTestRecording(file: string, text: string): TestRecording {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`KUBESIM_REPLAY=${file}: it is not JSON: ${String(error)}`, { cause: error });
  }
  const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
  if (kind !== 'TestRecording')
    throw new Error(
      `KUBESIM_REPLAY=${file}: expected \`kind: TestRecording\`; \`kubesim replay\` takes those of scenarios`,
    );
  return value as TestRecording;
}
