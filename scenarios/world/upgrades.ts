/** Steps that change the release of a cluster, as its verbs. */
import {
  type Cluster,
  FeatureGateError,
  microseconds,
  migrateStorage,
  upgradeSteps,
} from '../../sim/index.ts';
import type { MigrateStorage, Upgrade } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import type { Drive } from './drive.ts';
import { requireActors } from './faults.ts';
import { requireRelease } from './require-release.ts';

/** @throws ScenarioError */
export async function upgradeTo(
  cluster: Cluster,
  drive: Pick<Drive, 'advance'>,
  { release, actors, pause }: Upgrade,
): Promise<void> {
  const names = actors?.flatMap((name) =>
    cluster.faults.actors(requireActors(cluster, name)).map((actor) => actor.name),
  );
  try {
    const steps = upgradeSteps(cluster, {
      release: requireRelease(release),
      ...(names && { actors: names }),
      ...(pause !== undefined && { pause: microseconds(pause) }),
    });
    for (const span of steps) await drive.advance(span);
  } catch (error) {
    if (error instanceof FeatureGateError || error instanceof RangeError)
      throw new ScenarioError(`${release}: ${error.message}`);
    throw error;
  }
}

/** @throws ScenarioError */
export function migrate(cluster: Cluster, { server }: MigrateStorage): void {
  if (migrateStorage(cluster, server) === undefined)
    throw new ScenarioError(server === undefined ? 'no API server runs' : `no API server \`${server}\` runs`);
}
