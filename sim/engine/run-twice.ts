/**
 * The check that a run is a function of its inputs: run it twice, compare record by record, and name the
 * first record that differs.
 */

import { formatRecord, type Trace, type TraceObserver, type TraceRecord } from './trace.ts';

/** One complete run: makes its simulation with the observer among the trace options, and drives it to its end. */
export type ObservedRun = (observer: TraceObserver) => void;

export type DeterminismVerdict =
  | { readonly kind: 'same'; readonly records: number }
  | {
      readonly kind: 'different';
      /** Position of the first record that differs; one run may have ended before it. */
      readonly serial: number;
      /** The record in the first and in the second run; undefined where that run had ended. */
      readonly first: TraceRecord | undefined;
      readonly second: TraceRecord | undefined;
      readonly message: string;
    };

/** Runs twice, and a third time when the runs differ, to name the record of the first run. */
export function runTwice(run: ObservedRun): DeterminismVerdict {
  const recorder = new LaneRecorder();
  run(recorder);
  const comparer = new LaneComparer(recorder.lanes);
  run(comparer);
  const serial = comparer.firstDifference;
  if (serial === undefined) return { kind: 'same', records: recorder.lanes.length };
  const finder = new RecordFinder(serial);
  if (serial < recorder.lanes.length) run(finder);
  return differenceAt(serial, finder.record, comparer.record);
}

/** Keeps the digest after each record. */
export class LaneRecorder implements TraceObserver {
  readonly lanes: number[] = [];

  recorded(trace: Trace): void {
    this.lanes.push(trace.digestLane);
  }
}

/** Finds the first record after which the digest is another one. */
export class LaneComparer implements TraceObserver {
  readonly #expected: readonly number[];
  #seen = 0;
  #difference: number | undefined;
  record: TraceRecord | undefined;

  constructor(expected: readonly number[]) {
    this.#expected = expected;
  }

  get firstDifference(): number | undefined {
    if (this.#difference !== undefined) return this.#difference;
    return this.#seen < this.#expected.length ? this.#seen : undefined;
  }

  recorded(trace: Trace): void {
    const serial = this.#seen++;
    if (this.#difference !== undefined || this.#expected[serial] === trace.digestLane) return;
    this.#difference = serial;
    this.record = trace.last;
  }
}

/** Keeps the record at a position. */
export class RecordFinder implements TraceObserver {
  record: TraceRecord | undefined;
  readonly #serial: number;

  constructor(serial: number) {
    this.#serial = serial;
  }

  recorded(trace: Trace): void {
    if (trace.length === this.#serial + 1) this.record = trace.last;
  }
}

/** The verdict on two runs that part at a record. */
export const differenceAt = (
  serial: number,
  first: TraceRecord | undefined,
  second: TraceRecord | undefined,
): DeterminismVerdict => ({
  kind: 'different',
  serial,
  first,
  second,
  message: describe(serial, first, second),
});

function describe(serial: number, first?: TraceRecord, second?: TraceRecord): string {
  const line = (record?: TraceRecord): string => (record ? formatRecord(record) : '(the run had ended)');
  return [
    `the same run went two ways at record ${serial}:`,
    `  first:  ${line(first)}`,
    `  second: ${line(second)}`,
  ].join('\n');
}
