/** One run to make: what a worker is told, and what it answers. Both travel as JSON. */
import type { RunRecord } from '../../../reports/run-record.ts';
import { createClusterWorld } from '../../../scenarios/cluster-world.ts';
import { executeRun } from '../../../scenarios/execute-run.ts';
import { loadScenario, type LoadedScenario } from '../../../scenarios/language/load-scenario.ts';

export interface WorkItem {
  readonly file: string;
  readonly seed: number;
  readonly checksDeterminism: boolean;
  readonly hasTimeline: boolean;
}

/** Makes the run; whatever goes wrong is in its record. */
export function doWork(
  { seed, checksDeterminism, hasTimeline }: WorkItem,
  loaded: LoadedScenario,
): Promise<RunRecord> {
  return executeRun(loaded, { seed, checksDeterminism, hasTimeline, makeWorld: createClusterWorld });
}

/** Reads a scenario that another process has found to be good. */
export function reload(file: string, text: string): LoadedScenario {
  const result = loadScenario(file, text);
  if (result.kind === 'invalid') throw new Error(`${file} has changed and is not valid any more`);
  return result.loaded;
}
