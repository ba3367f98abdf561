/**
 * Faults of nodes and controllers, as lists of who suffers from what: the control path says how things are to be,
 * this finds the verbs that make them so.
 */
import type { ActorState } from '../../engine/actor.ts';
import type { World } from '../world.ts';
import { FIRST_SERVER } from './server-faults.ts';

/** Names of actors: `node/worker-1` or `worker-1`, `controller-manager/0`; or of controllers, `controller/node-lifecycle`. */
export interface ActorFaults {
  /** The program has ended, and its connections with it. */
  readonly crashed: readonly string[];
  /** It stalls; its clock runs on. A controller can stall while its manager goes on. */
  readonly paused: readonly string[];
  /** Nothing passes between it and everybody else. */
  readonly partitioned: readonly string[];
}

export function actorFaultsOf({ simulation, cluster, partitioned }: World): ActorFaults {
  const named = (state: ActorState): readonly string[] =>
    simulation.actors.filter((actor) => actor.state === state).map(({ name }) => name);
  return {
    crashed: named('crashed'),
    paused: [...named('paused'), ...cluster.faults.pausedControllers],
    partitioned: [...partitioned],
  };
}

/** Who is left out is healed. @throws RangeError for actors that there are not, and for faults that cannot be */
export function setActorFaults(world: World, wanted: ActorFaults): void {
  const { simulation, cluster, driver } = world;
  const namesOf = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.map((name) => cluster.faults.actor(name).name));
  const crashed = namesOf(wanted.crashed);
  const isController = (name: string): boolean => cluster.faults.isController(name);
  const pausedControllers = wanted.paused.filter(isController);
  const paused = namesOf(wanted.paused.filter((name) => !isController(name)));
  const partitioned = namesOf(wanted.partitioned);
  for (const name of [...crashed, ...paused]) {
    if (name === FIRST_SERVER)
      throw new RangeError(
        `${name} serves this path: it can be partitioned, but neither crash nor pause; with --api-servers others can`,
      );
    if (crashed.has(name) && paused.has(name))
      throw new RangeError(`${name} is to be crashed and paused at once`);
  }
  driver.act(() => {
    for (const { name } of simulation.actors)
      bring(world, name, crashed.has(name) ? 'crashed' : paused.has(name) ? 'paused' : 'running');
    for (const name of cluster.faults.pausedControllers) cluster.faults.resume(name);
    for (const name of pausedControllers) cluster.faults.pause(name);
    for (const name of world.partitioned) if (!partitioned.has(name)) reconnect(cluster, name);
    // A link between two of them may have been healed with one.
    for (const name of partitioned) cutOff(cluster, name);
    world.partitioned = partitioned;
  });
}

function bring(world: World, name: string, wanted: ActorState): void {
  const { faults } = world.cluster;
  const { state } = faults.actor(name);
  if (state === wanted) return;
  if (state === 'crashed') faults.restart(name);
  if (state === 'paused') faults.resume(name);
  if (wanted === 'crashed') world.crash(name);
  if (wanted === 'paused') faults.pause(name);
}

/** From everybody, also from those who ask through a port: they are the user of the cluster. */
function cutOff({ faults, user }: World['cluster'], name: string): void {
  faults.partition(name);
  faults.partition(name, { from: user.name });
}

function reconnect({ faults, user }: World['cluster'], name: string): void {
  faults.heal(name);
  faults.heal(name, { from: user.name });
}
