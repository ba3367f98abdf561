/**
 * The check that a run with guests is a function of its inputs: run it twice, compare record by record, and name the first
 * record that differs. What a guest takes of the machine and nobody noticed shows here.
 */
import {
  type DeterminismVerdict,
  differenceAt,
  LaneComparer,
  LaneRecorder,
  RecordFinder,
} from '../engine/run-twice.ts';
import type { TraceOptions } from '../engine/trace.ts';

/**
 * One complete run: makes its cluster with the given `trace` option and drives it to its end.
 *
 *     const verdict = await runTwice(async (trace) => {
 *       const cluster = createCluster({ seed: 7, trace });
 *       cluster.guest('operator', () => import('./operator.js'));
 *       await cluster.guests.advance(minutes(1));
 *     });
 */
export type TracedRun = (trace: TraceOptions) => Promise<void>;

/** Runs twice, and a third time when the runs differ, to name the record of the first run. */
export async function runTwice(run: TracedRun): Promise<DeterminismVerdict> {
  const recorder = new LaneRecorder();
  await run({ observer: recorder });
  const comparer = new LaneComparer(recorder.lanes);
  await run({ observer: comparer });
  const serial = comparer.firstDifference;
  if (serial === undefined) return { kind: 'same', records: recorder.lanes.length };
  const finder = new RecordFinder(serial);
  if (serial < recorder.lanes.length) await run({ observer: finder });
  return differenceAt(serial, finder.record, comparer.record);
}
