/**
 * Looks at a simulated cluster from outside and tells the rules about controllers what clients do, whose life ends and
 * begins, and when something is broken. It changes nothing in the cluster: a run with it has the digest of the run without.
 */
import {
  CONTROLLER_RULES,
  type ControllerRuleName,
  ControllerRules,
} from '../../model/controllers/controller-rules.ts';
import { at } from '../../model/api/json.ts';
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
  cluster.simulation.eachActor((actor) => {
    if (isController(actor.name)) listen(actor, rules);
  });
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

/** What comes to a client: events of watches, and answers with one object or many. */
interface Told {
  readonly event?: { readonly object?: unknown };
  readonly body?: { readonly body?: unknown };
}

function listen(actor: Cluster['user'], rules: ControllerRules): void {
  const show = (object: unknown): void => {
    const uid = at(object, 'metadata', 'uid');
    if (typeof uid === 'string') rules.shown(actor.name, uid);
  };
  actor.overhear({
    received: (message) => {
      const { event, body } = message as Told;
      show(event?.object);
      show(body?.body);
      const items = at(body?.body, 'items');
      if (Array.isArray(items)) for (const item of items) show(item);
    },
  });
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
