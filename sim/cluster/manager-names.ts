/**
 * What names of controllers and managers mean in faults. `controller/node-lifecycle` is that controller in every manager
 * (`controller/node-lifecycle-controller` too, and `controller/node-*` all that begin so), and
 * `controller-manager/1/ttl-controller` that of one manager. What only a process can suffer (crashes, links, clocks)
 * befalls the managers that run it. `controller-manager/leader` is the manager whose name stands in the lease at present.
 */
import type { Controller } from '../controllers/manager/controller.ts';
import { type ControllerManager, MANAGER_LEASE } from '../controllers/manager/controller-manager.ts';
import type { Lease } from '../api/types/coordination-k8s-io-v1.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Storage } from '../storage/storage.ts';

const LEASE_KEY = `/registry/leases/${MANAGER_LEASE.namespace}/${MANAGER_LEASE.name}`;
const LEADER = 'controller-manager/leader';

export interface ManagedController {
  readonly manager: ControllerManager;
  readonly controller: Controller;
}

export class ManagerNames {
  readonly #managers: readonly ControllerManager[];
  readonly #storage: Storage<StoredObject>;

  constructor(managers: readonly ControllerManager[], storage: Storage<StoredObject>) {
    this.#managers = managers;
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

  /** The managers that a name other than their own means; none for other names. */
  managers(name: string): readonly ControllerManager[] {
    if (name === LEADER) return this.#leaders;
    return [...new Set(this.controllers(name).map(({ manager }) => manager))];
  }

  /** The manager that is an actor. */
  managerOf(actor: string): ControllerManager | undefined {
    return this.#managers.find(({ name }) => name === actor);
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

  /** At the most one. A single manager without a lease leads. */
  get #leaders(): readonly ControllerManager[] {
    const lease: Lease | undefined = this.#storage.get(LEASE_KEY)?.value;
    if (!lease && this.#managers.length === 1) return this.#managers;
    const holder = lease?.spec?.holderIdentity ?? '';
    return this.#managers.filter(({ hostName }) => holder.startsWith(`${hostName}_`));
  }
}
