/** Runs of what is shipped, each with its account. */
import { executeOnce, whileStandingStill } from '../../../scenarios/runner/execute-run.ts';
import { hasTwins } from '../../../scenarios/runner/twins.ts';
import type { RunRecord } from '../../../reports/run-record.ts';
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { clusterWorldOf } from '../../../scenarios/world/cluster-world.ts';
import type { MakeWorld } from '../../../scenarios/world/world.ts';
import { createCluster } from '../../index.ts';
import { Account } from './account.ts';

/** Each seed of a property is another story. */
const FIRST_SEED = 1_000;
const SEEDS = [FIRST_SEED, 1_001, 1_002, 1_003, 1_004, 1_005];

/** Each of these runs is two dozen: the run itself, and its twins. */
const SEEDS_WITH_TWINS = 1;

/** Of which runs accounts are kept. */
export function seedsOf(loaded: LoadedScenario): readonly number[] {
  const { draw, expectsFailure } = loaded;
  if (expectsFailure === true) return [];
  if (!draw) return [1];
  return hasTwins(draw(FIRST_SEED)) ? SEEDS.slice(0, SEEDS_WITH_TWINS) : SEEDS;
}

export const runName = ({ scenario }: LoadedScenario, seed: number): string =>
  `${scenario.metadata.name}#${seed}`;

/** Worlds whose onlooker is the account; nothing in them is another by that. */
export const accountedWorld = (account: Account): MakeWorld =>
  clusterWorldOf((options) =>
    createCluster({
      ...options,
      onAssembled: (cluster) => {
        options.onAssembled?.(cluster);
        account.listen(cluster);
      },
    }),
  );

export interface AccountedRun {
  readonly account: Account;
  readonly record: RunRecord;
}

export async function accountedRun(loaded: LoadedScenario, seed: number): Promise<AccountedRun> {
  return await whileStandingStill(async () => {
    const account = new Account();
    const makeWorld = accountedWorld(account);
    return { account, record: await executeOnce(loaded, { seed, makeWorld, looksCloser: false }) };
  });
}
