/**
 * Looks at a simulated cluster from outside and tells the rules about controllers what clients do, whose life ends and
 * begins, and when something is broken. It changes nothing in the cluster: a run with it has the digest of the run without.
 */
import {
  CONTROLLER_RULES,
  type ControllerRuleName,
  ControllerRules,
} from '../../model/controllers/controller-rules.ts';
import { isController, type Scene } from '../../model/controllers/observation.ts';
import type { ApiObject, Cluster } from '../../sim/index.ts';
import { observeExchanges } from './observe-exchanges.ts';
import { isFine, SLOW_MICROS } from './observe-nodes.ts';

export function observeControllers(
  cluster: Cluster,
  names: readonly ControllerRuleName[] = CONTROLLER_RULES,
): ControllerRules {
  const rules = new ControllerRules(names, new ClusterScene(cluster));
  if (names.length === 0) return rules;
  observeExchanges(cluster, rules);
  const crashed = new Set<string>();
  cluster.faults.listen(({ verb, actors }) => {
    const { now } = cluster;
    for (const name of verb === 'life' ? actors : []) {
      const isCrashed = cluster.faults.actor(name).state === 'crashed';
      if (isCrashed && !crashed.has(name)) rules.ended(name, now);
      else if (!isCrashed && crashed.has(name)) rules.began(name, now);
      if (isCrashed) crashed.add(name);
      else crashed.delete(name);
    }
    rules.disturbed(now);
  });
  return rules;
}

class ClusterScene implements Scene {
  readonly #cluster: Cluster;
  #hasControllers = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    cluster.simulation.eachActor(({ name }) => {
      if (isController(name)) this.#hasControllers = true;
    });
  }

  get hasControllers(): boolean {
    return this.#hasControllers;
  }

  *objects(): Iterable<readonly [string, ApiObject]> {
    const { entries } = this.#cluster.storage.range({ prefix: '/registry/' });
    for (const { key, value } of entries) yield [key, value];
  }

  isFree(client: string): boolean {
    const { simulation, requestFaults, watchCacheLag, isStorageWhole, apiServers } = this.#cluster;
    return (
      simulation.findActor(client)?.state === 'running' &&
      !requestFaults.hinderAnybody &&
      watchCacheLag <= SLOW_MICROS &&
      isStorageWhole &&
      apiServers.every(({ name, actor }) => actor.state === 'running' && isFine(this.#cluster, client, name))
    );
  }
}
