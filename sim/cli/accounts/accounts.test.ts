/**
 * Everything that is shipped holds, two runs of it are the same, and what runs come to is what it was when somebody last
 * looked. Whoever has changed the program and means what differs, writes it down anew: `npm run accounts`.
 */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { accountedRun, runName, seedsOf } from './accounted-run.ts';
import { readAccounts, unlike } from './known-accounts.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const known = readAccounts(ROOT);
const { scenarios } = await findScenarios([resolve(ROOT, 'scenarios')]);
const NOTHING: ReadonlyMap<string, string> = new Map();
const kept = scenarios.filter((loaded) => seedsOf(loaded).length > 0);

describe('what a run comes to', () => {
  it.each(kept.map((loaded) => [loaded.scenario.metadata.name, loaded] as const))(
    'is known of %s, which holds',
    async (_, loaded) => {
      const seeds = seedsOf(loaded);
      for (const seed of seeds) {
        const run = runName(loaded, seed);
        const { account, record } = await accountedRun(loaded, seed);
        const unlikely = unlike(known.get(run) ?? NOTHING, account.fingerprints());
        expect(unlikely, `${run} has another account`).toEqual([]);
        expect(record.failure?.details ?? []).toEqual([]);
        expect(record.verdict).toBe('passed');
        if (seed !== seeds[0]) continue;
        // Once more, and without an onlooker.
        const again = await executeRun(loaded, { seed, makeWorld: createClusterWorld, runsTwins: false });
        expect([again.verdict, again.digest]).toEqual([record.verdict, record.digest]);
      }
    },
  );

  it('is kept of no run that there is not', () => {
    const runs = new Set(kept.flatMap((loaded) => seedsOf(loaded).map((seed) => runName(loaded, seed))));
    expect([...known.keys()].filter((run) => !runs.has(run))).toEqual([]);
  });
});
