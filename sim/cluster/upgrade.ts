/**
 * Another release, step by step: one actor after the other goes down and comes back as it, so that API servers of two
 * releases serve at once for a while. Specification: "Deprecation rules" 4b.
 */
import type { Release } from '../api/release/release.ts';
import { migrateStorage as migrated } from '../apiserver/stores/migrate-storage.ts';
import { seconds, type Micros } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';

export interface Upgrade {
  /** It may be an older one. */
  readonly release: Release;
  /** API servers and agents of nodes, such as `apiserver/0` or `node/*`; default: all API servers. */
  readonly actors?: readonly string[];
  /** Time between one and the next, and after the last; default 10 s. */
  readonly pause?: Micros;
}

const PAUSE = seconds(10);

/** @throws RangeError for an actor that has no release, FeatureGateError where its gates mean nothing in that release */
export function upgrade(cluster: Cluster, wanted: Upgrade): void {
  for (const pause of upgradeSteps(cluster, wanted)) cluster.advance(pause);
}

/** The same for whoever moves the cluster on: after each actor so much time is to go by. */
export function* upgradeSteps(
  cluster: Cluster,
  { release, actors, pause = PAUSE }: Upgrade,
): Generator<Micros, void> {
  for (const name of actors ?? cluster.apiServers.map((server) => server.name)) {
    replace(cluster, name, release);
    yield pause;
  }
}

function replace(cluster: Cluster, name: string, release: Release): void {
  const server = cluster.apiServers.find((each) => each.name === name);
  const agent = cluster.agents.find((each) => each.actor.name === name);
  if (!server && !agent)
    throw new RangeError(`${name} is neither an API server nor a node: it has no release`);
  const { state } = (server ?? agent)?.actor ?? {};
  if (state !== 'crashed') cluster.faults.crash(name);
  cluster.faults.restart(name, { release });
}

/**
 * What is still stored in a version of old is written anew, by one API server (default: the first that runs). How many
 * objects that were; undefined: no such server runs.
 */
export function migrateStorage(cluster: Cluster, name?: string): number | undefined {
  return cluster.perform('migrateStorage', ({ apiServers, storage }) => {
    const actor = apiServers.find((each) => each.server && (name === undefined || each.name === name));
    return actor?.server && migrated(actor.server, storage);
  });
}
