/**
 * A controller as a value: what it is called, as whom it asks, and how it begins. A manager runs it (see
 * `controller-manager.ts`), and what it gives a controller is all that the controller knows of the world.
 */
import type { ApiObject } from '../../api/object.ts';
import type { ClusterRole } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { ChangeHandler } from '../../client/informer/informer.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { ManagerCredentials } from './credentials.ts';

/** A shared informer, as one controller sees it. */
export interface SharedInformer<T extends ApiObject = ApiObject> {
  /** What the manager has received: at times more than the controller was told of. */
  readonly store: Lister<T>;
  /** The first list has been taken over. */
  readonly isSynced: boolean;
  waitUntilSynced(): Process<void>;
  addHandler(handler: ChangeHandler<T>): void;
  /** Its kind is not served any more: whoever asks for it later gets another informer. */
  release(): void;
}

export interface ControllerContext {
  /** Processes and timers of the controller: a pause of the controller holds them. */
  readonly context: Context;
  /** Over the connections of the manager, as the controller's own user. */
  readonly client: ApiClient;
  readonly credentials: ManagerCredentials;
  /** With the indexes `namespace`, `owner`, `controller`, and `node` of pods. */
  informerOf<T extends ApiObject>(handle: ResourceHandle<T>): SharedInformer<T>;
}

export interface Leavings {
  readonly handle: Pick<ResourceHandle, 'resource' | 'group'>;
  readonly objects: readonly ApiObject[];
}

/** What an API server puts into an empty storage, as far as controllers make something of it. */
export interface FirstObjects {
  /** Names. */
  readonly namespaces: readonly string[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly credentials: ManagerCredentials;
}

export interface Controller {
  /** As kube-controller-manager calls it: `node-lifecycle-controller`. */
  readonly name: string;
  /** Other names that it is known by here. */
  readonly formerNames?: readonly string[];
  /** Name of the service account in `kube-system` as which it asks; undefined: as the manager itself. */
  readonly serviceAccount?: string;
  /** `*` does not mean it: it runs only where its name is given. */
  readonly isNamedOnly?: boolean;
  /**
   * What it has made of the first objects once it has come to rest: whole objects, in the place of those of the same
   * name, with entries of managers that lack their times. A new cluster begins with them, as one that an earlier life
   * of its controllers has left, and the controller finds nothing to do. Pure.
   */
  readonly leaves?: (first: FirstObjects) => Leavings;
  /** Its main process, or what it does at first; anew in each life of its manager. */
  readonly start: (world: ControllerContext) => Process<void> | void;
}

export const defineController = (controller: Controller): Controller => controller;

/** By its name or a former one. */
export const isCalled = ({ name, formerNames = [] }: Controller, text: string): boolean =>
  name === text || formerNames.includes(text);
