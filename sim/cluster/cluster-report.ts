/** What a cluster holds and what has happened in it, in numbers. */
import type { ActorState } from '../engine/actor.ts';
import type { ChoiceLog } from '../engine/choices.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Micros } from '../engine/time.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Storage } from '../storage/storage.ts';
import type { WriteCount } from './write-count.ts';

export interface ClusterReport {
  readonly seed: number;
  /** Virtual time since the cluster began. */
  readonly now: Micros;
  readonly digest: string;
  /** Records in the trace so far. */
  readonly records: number;
  readonly requests: number;
  readonly writes: number;
  /** Global revision of the storage. */
  readonly revision: number;
  /** Stored objects by storage prefix, in order of prefixes. */
  readonly objects: Readonly<Record<string, number>>;
  readonly actors: readonly { readonly name: string; readonly state: ActorState }[];
  /** Replays the run when given to `createCluster` as `replay`. */
  readonly choices: ChoiceLog;
}

export function reportOf(
  simulation: Simulation,
  storage: Storage<StoredObject>,
  { requests, writes }: WriteCount,
): ClusterReport {
  return {
    seed: simulation.seed,
    now: simulation.now,
    digest: simulation.trace.digest,
    records: simulation.trace.length,
    requests,
    writes,
    revision: storage.revision,
    objects: countsOf(storage),
    actors: simulation.actors.map(({ name, state }) => ({ name, state })),
    choices: simulation.choices.log(),
  };
}

/** `/registry/configmaps/` → 3. */
function countsOf(storage: Storage<StoredObject>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { key } of storage.range({ prefix: '/registry/' }).entries) {
    const end = key.indexOf('/', '/registry/'.length);
    const prefix = end < 0 ? key : key.slice(0, end + 1);
    counts[prefix] = (counts[prefix] ?? 0) + 1;
  }
  return counts;
}
