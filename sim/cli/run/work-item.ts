/** One run to make: what a worker is told, and what it answers. Both travel as JSON. */
import type { FailureRecord, RunRecord } from '../../../reports/run-record.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { loadScenario, type LoadedScenario } from '../../../scenarios/language/load-scenario.ts';

export interface WorkItem {
  readonly file: string;
  /** Name of the scenario: a file may hold several. */
  readonly scenario: string;
  readonly seed: number;
  readonly checksDeterminism: boolean;
  readonly checksDelta?: boolean;
  /** Of clusters whose scenarios name none. */
  readonly release?: string | undefined;
  readonly hasTimeline: boolean;
}

/** A failure is made small within seconds, or not at all. */
const SHRINK_ATTEMPTS = 400;
/** What is shown to be found is made smaller, as far as there is time for it in a run of everything. */
const SHOWN_ATTEMPTS = 40;
/** Failures that this process has made small. */
const known = new Set<string>();

function isKnown({ scenario }: WorkItem, { kind, property }: FailureRecord): boolean {
  const key = `${scenario} ${kind} ${property}`;
  return known.has(key) || !known.add(key);
}

/** Makes the run; whatever goes wrong is in its record. */
export async function doWork(item: WorkItem, loaded: LoadedScenario): Promise<RunRecord> {
  const { file: _, scenario: __, ...options } = item;
  try {
    return await executeRun(loaded, {
      ...options,
      makeWorld: createClusterWorld,
      shrinkAttempts: loaded.expectsFailure === true ? SHOWN_ATTEMPTS : SHRINK_ATTEMPTS,
      isKnown: (failure) => isKnown(item, failure),
    });
  } catch (error) {
    // What happens within a run is in its record; this is a world that cannot even be made.
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return lostRecord(item, reason);
  }
}

/** For a run that has left nothing else behind. */
export function lostRecord({ file, scenario, seed, checksDeterminism }: WorkItem, reason: string): RunRecord {
  return {
    key: `${scenario}#${seed}`,
    scenario,
    file,
    seed,
    verdict: 'defect',
    digest: '',
    virtualMicros: 0,
    realMs: 0,
    records: 0,
    isDeterminismChecked: checksDeterminism,
    steps: [],
    failure: {
      kind: 'crash',
      property: 'a run comes to an end',
      at: 0,
      details: [reason],
      file,
      line: 1,
      column: 1,
      excerpt: '',
      trace: [],
      choices: [],
      allChoices: 0,
    },
  };
}

/** Reads a scenario that another process has found to be good. */
export function reload({ file, scenario }: WorkItem, text: string): LoadedScenario {
  const result = loadScenario(file, text, scenario);
  if (result.kind === 'invalid') throw new Error(`${file} has changed and is not valid any more`);
  return result.loaded;
}

/** What tells scenarios apart. */
export const scenarioKey = ({ file, scenario }: Pick<WorkItem, 'file' | 'scenario'>): string =>
  `${scenario} ${file}`;
