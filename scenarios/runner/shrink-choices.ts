/** Drives decisions of chance back to their defaults for as long as the failure stays. */
import type { Choice } from '../../reports/run-record.ts';

/**
 * Leaves out parts of the log, first large ones, then single answers, and keeps every smaller log that still fails
 * alike. Stops after so many attempts with the smallest found.
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
  for (let size = Math.ceil(current.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < current.length && left > 0;) {
      const isSmaller = await tries([...current.slice(0, start), ...current.slice(start + size)]);
      if (!isSmaller) start += size;
    }
  }
  return current;
}
