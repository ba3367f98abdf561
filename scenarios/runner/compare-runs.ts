/** The check that a run is a function of its inputs: run it twice and name the first record that differs. */
import type { RecordObserver, WorldRecord } from '../world/world.ts';

export interface Compared<T> {
  /** Of the first run. */
  readonly executed: T;
  /** Lines that name the first diverging record; undefined when the runs are the same. */
  readonly difference: readonly string[] | undefined;
}

interface Digested {
  readonly digest: string;
}

/**
 * Runs twice, and a third time when the runs differ, to name the record of the first run. `runAgain`: the second run,
 * if it is to come to the same in another way.
 */
export async function compareRuns<T extends Digested>(
  run: (observer: RecordObserver) => Promise<T>,
  runAgain: (observer: RecordObserver) => Promise<T> = run,
): Promise<Compared<T>> {
  const lanes: number[] = [];
  const executed = await run({ recorded: (lane) => void lanes.push(lane) });
  let seen = 0;
  let serial: number | undefined;
  let second: WorldRecord | undefined;
  const again = await runAgain({
    recorded: (lane, record) => {
      const index = seen++;
      if (serial !== undefined || lanes[index] === lane) return;
      serial = index;
      second = record();
    },
  });
  if (serial === undefined && seen < lanes.length) serial = seen;
  if (serial === undefined) {
    return {
      executed,
      difference:
        again.digest === executed.digest
          ? undefined
          : [`digests differ: ${executed.digest} and ${again.digest}`],
    };
  }
  const first = serial < lanes.length ? await recordAt(run, serial) : undefined;
  const line = (record: WorldRecord | undefined): string => record?.text ?? '(the run had ended)';
  return {
    executed,
    difference: [
      `the same run went two ways at record ${serial}:`,
      `first:  ${line(first)}`,
      `second: ${line(second)}`,
    ],
  };
}

async function recordAt(
  run: (observer: RecordObserver) => Promise<unknown>,
  serial: number,
): Promise<WorldRecord | undefined> {
  let count = 0;
  let found: WorldRecord | undefined;
  await run({
    recorded: (_, record) => {
      if (count++ === serial) found = record();
    },
  });
  return found;
}
