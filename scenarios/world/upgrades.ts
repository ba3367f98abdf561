/** Steps that change the release of a cluster, as its verbs. */
import { type Cluster, FeatureGateError, microseconds, migrateStorage, upgrade } from '../../sim/index.ts';
import type { MigrateStorage, Upgrade } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { requireActors } from './faults.ts';
import { requireRelease } from './require-release.ts';

/** @throws ScenarioError */
export function upgradeTo(cluster: Cluster, { release, actors, pause }: Upgrade): void {
  const names = actors?.flatMap((name) =>
    cluster.faults.actors(requireActors(cluster, name)).map((actor) => actor.name),
  );
  try {
    upgrade(cluster, {
      release: requireRelease(release),
      ...(names && { actors: names }),
      ...(pause !== undefined && { pause: microseconds(pause) }),
    });
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
