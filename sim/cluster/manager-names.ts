/**
 * What names of controllers and managers mean in faults. `controller/node-lifecycle` is that controller in every manager
 * (`controller/node-lifecycle-controller` too, and `controller/node-*` all that begin so), and
 * `controller-manager/1/ttl-controller` that of one manager. What only a process can suffer (crashes, links, clocks)
 * befalls the managers that run it. `controller-manager/leader` is the manager whose name stands in the lease at present,
 * `scheduler/leader` the scheduler.
 */
import type { Controller } from '../controllers/manager/controller.ts';
import { type ControllerManager, MANAGER_LEASE } from '../controllers/manager/controller-manager.ts';
import { type Scheduler, SCHEDULER_LEASE } from '../scheduler/scheduler.ts';
import type { Actor } from '../engine/actor.ts';
import type { Lease } from '../api/types/coordination-k8s-io-v1.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Storage } from '../storage/storage.ts';

const leaseKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `/registry/leases/${namespace}/${name}`;
const LEADER = 'controller-manager/leader';
const LEADING_SCHEDULER = 'scheduler/leader';

/** A process that may lead. */
interface Candidate {
  readonly name: string;
  readonly hostName: string;
  readonly actor: Actor;
}

export interface SupervisedParts {
  readonly controllerManagers: readonly ControllerManager[];
  readonly schedulers: readonly Scheduler[];
}

export interface ManagedController {
  readonly manager: ControllerManager;
  readonly controller: Controller;
}

export class ManagerNames {
  readonly #managers: readonly ControllerManager[];
  readonly #schedulers: readonly Scheduler[];
  readonly #storage: Storage<StoredObject>;

  constructor({ controllerManagers, schedulers }: SupervisedParts, storage: Storage<StoredObject>) {
    this.#managers = controllerManagers;
    this.#schedulers = schedulers;
    this.#storage = storage;
  }

  /** The controllers that a name means; none for other names. */
  controllers(name: string): readonly ManagedController[] {
    return this.#managers.flatMap((manager) => {
      const own = [`${manager.name}/`, 'controller/'].find((prefix) => name.startsWith(prefix));
      if (own === undefined) return [];
      return manager.controllersCalled(name.slice(own.length)).map((controller) => ({ manager, controller }));
    });
  }

  /** The actors that a name other than their own means; none for other names. */
  actors(name: string): readonly Actor[] {
    if (name === LEADING_SCHEDULER)
      return this.#leaders(this.#schedulers, leaseKey(SCHEDULER_LEASE)).map(({ actor }) => actor);
    const managers =
      name === LEADER
        ? this.#leaders(this.#managers, leaseKey(MANAGER_LEASE))
        : new Set(this.controllers(name).map(({ manager }) => manager));
    return [...managers].map(({ actor }) => actor);
  }

  /** The schedulers among actors. */
  schedulersAmong(actors: readonly Actor[]): readonly Scheduler[] {
    return this.#schedulers.filter(({ actor }) => actors.includes(actor));
  }

  /** Controllers that are paused, as names for faults. */
  get pausedControllers(): readonly string[] {
    const names = this.#managers.flatMap(({ pausedControllers }) => pausedControllers);
    return [...new Set(names)].map((name) => `controller/${name}`);
  }

  get electLeader(): boolean {
    return this.#managers.some(({ electsLeader }) => electsLeader);
  }

  isAnyHinderedBeyond(...[lag]: Parameters<ControllerManager['isHinderedBeyond']>): boolean {
    return this.#managers.some((manager) => manager.isHinderedBeyond(lag));
  }

  /** At the most one. A single one without a lease leads. */
  #leaders<T extends Candidate>(candidates: readonly T[], key: string): readonly T[] {
    const lease: Lease | undefined = this.#storage.get(key)?.value;
    if (!lease && candidates.length === 1) return candidates;
    const holder = lease?.spec?.holderIdentity ?? '';
    return candidates.filter(({ hostName }) => holder.startsWith(`${hostName}_`));
  }
}
