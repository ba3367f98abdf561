/** Makes all runs of some scenarios: here when they are few, in parallel processes when they are many. */
import type { RunRecord } from '../../../reports/run-record.ts';
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { doWork, lostRecord, scenarioKey, type WorkItem } from './work-item.ts';
import { runInPool } from './worker-pool.ts';

export interface RunAllOptions {
  /** First seed, instead of the scenario's. */
  readonly seed?: number | undefined;
  /** Runs of each scenario, instead of the scenario's. */
  readonly runs?: number | undefined;
  /** Processes; undefined: one for each processor when there is much to do. */
  readonly jobs?: number | undefined;
  /** Part i of n, from 1. */
  readonly shard?: { readonly index: number; readonly count: number } | undefined;
  readonly checksDeterminism: boolean;
  readonly checksDelta?: boolean;
  /** Of clusters whose scenarios name none. */
  readonly release?: string | undefined;
  readonly processors: number;
  /** The command line's own file, and how Node is to run it; default: as it runs now. */
  readonly entry: string;
  readonly execArgv?: readonly string[];
  readonly limitMs: number;
  /** Ends it: what has not been made is not there. */
  readonly signal?: AbortSignal;
  readonly onRecord?: (record: RunRecord, done: number, total: number) => void;
}

/** Starting processes costs more than so many runs. */
const FEW_RUNS = 24;

/** Records in the order of scenarios and seeds, whoever was faster. */
export async function runAll(
  scenarios: readonly LoadedScenario[],
  options: RunAllOptions,
): Promise<readonly RunRecord[]> {
  const items = shardOf(itemsOf(scenarios, options), options.shard);
  const byKey = new Map(
    scenarios.map((loaded) => [
      scenarioKey({ file: loaded.file, scenario: loaded.scenario.metadata.name }),
      loaded,
    ]),
  );
  const records = new Map<string, RunRecord>();
  const keep = (record: RunRecord): void => {
    records.set(`${scenarioKey(record)}#${record.seed}`, record);
    options.onRecord?.(record, records.size, items.length);
  };
  const jobs = options.jobs ?? (items.length <= FEW_RUNS ? 1 : options.processors);
  if (jobs <= 1) {
    for (const item of items) {
      // Signals are heard between runs.
      await new Promise((resolve) => setImmediate(resolve));
      if (options.signal?.aborted) break;
      const loaded = byKey.get(scenarioKey(item));
      if (loaded) keep(await doWork(item, loaded));
    }
  } else {
    const textOf = (item: WorkItem): string => byKey.get(scenarioKey(item))?.text ?? '';
    await runInPool(items, {
      jobs,
      entry: options.entry,
      ...(options.execArgv && { execArgv: options.execArgv }),
      limitMs: options.limitMs,
      ...(options.signal && { signal: options.signal }),
      textOf,
      onRecord: keep,
      lost: lostRecord,
    });
  }
  return items.flatMap((item) => records.get(`${scenarioKey(item)}#${item.seed}`) ?? []);
}

/** How many runs `runAll` makes, if nothing ends it. */
export const plannedRuns = (scenarios: readonly LoadedScenario[], options: RunAllOptions): number =>
  shardOf(itemsOf(scenarios, options), options.shard).length;

function itemsOf(
  scenarios: readonly LoadedScenario[],
  { seed, runs, checksDeterminism, checksDelta = false, release }: RunAllOptions,
): WorkItem[] {
  return scenarios.flatMap(({ file, scenario: { metadata, spec } }) => {
    const first = seed ?? spec.seed ?? 1;
    const count = runs ?? spec.runs ?? 1;
    return Array.from({ length: count }, (_, index) => ({
      file,
      scenario: metadata.name,
      seed: first + index,
      checksDeterminism,
      checksDelta,
      ...(release !== undefined && { release }),
      hasTimeline: index === 0,
    }));
  });
}

/** Every n-th item: parts of about the same size, together everything. */
export function shardOf<T>(
  items: readonly T[],
  shard: { readonly index: number; readonly count: number } | undefined,
): readonly T[] {
  return shard ? items.filter((_, position) => position % shard.count === shard.index - 1) : items;
}
