/**
 * Replays one recorded case against a server and says in what its answers differ from those of the
 * real one. Values that must differ (uids, times, versions, addresses) are compared by what they
 * stand for. Knows neither the server's insides nor where cases come from.
 */
import { compareCase, type Difference } from './compare.ts';
import type { GoldenCase } from './golden-case.ts';
import { normalise } from './normalise.ts';
import { runCase } from './run-case.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** `unique`: seven letters and digits that no other case on this server has. */
export function replayCase(golden: GoldenCase, server: ServerUnderTest, unique: string): readonly Difference[] {
  try {
    return compareCase(golden, normalise(golden, runCase(golden, server, unique)));
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    return [{ step: 0, action: 'setup', path: '', expected: 'success', got }];
  }
}
