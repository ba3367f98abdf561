/** Drives decisions of chance back to their defaults for as long as the failure stays. */
import type { Choice } from '../../reports/run-record.ts';

/**
 * Leaves out parts of the log, first all answers of one sort and all of one place, then halves and ever smaller parts, and keeps every
 * smaller log that still fails alike. Stops after so many attempts with the smallest found.
 */
export async function shrinkChoices(
  log: readonly Choice[],
  fails: (log: readonly Choice[]) => Promise<boolean>,
  attempts: number,
): Promise<readonly Choice[]> {
  let current = log;
  let left = attempts;
  const tries = async (candidate: readonly Choice[]): Promise<boolean> => {
    left--;
    if (!(await fails(candidate))) return false;
    current = candidate;
    return true;
  };
  if (log.length === 0 || (await tries([]))) return current;
  for (const groupOf of [sortOf, placeOf])
    for (const group of groups(current, groupOf))
      if (left > 0) await tries(current.filter((choice) => groupOf(choice) !== group));
  for (let size = Math.ceil(current.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < current.length && left > 0;) {
      const isSmaller = await tries([...current.slice(0, start), ...current.slice(start + size)]);
      if (!isSmaller) start += size;
    }
  }
  return current;
}

const placeOf = ({ site }: Choice): string => site;
/** `latency`, of `worker-1:latency to apiserver/0`. */
const sortOf = ({ site }: Choice): string => site.replace(/^[^:]*:/, '').replace(/ to .*$/, '');

/** The largest first: most is gone with them. */
function groups(log: readonly Choice[], groupOf: (choice: Choice) => string): readonly string[] {
  const sizes = new Map<string, number>();
  for (const choice of log) sizes.set(groupOf(choice), (sizes.get(groupOf(choice)) ?? 0) + 1);
  return [...sizes].toSorted(([, size], [, other]) => other - size).map(([group]) => group);
}
