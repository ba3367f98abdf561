/** A controller in one life of its manager: a part of the actor, with news of its own and a user of its own. */
import type { ApiObject } from '../../api/object.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { DeliveryQueue } from '../../client/informer/delivery.ts';
import type { InformerFactory } from '../../client/informer/informer-factory.ts';
import type { ChangeHandler, Informer } from '../../client/informer/informer.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Context } from '../../engine/context.ts';
import type { Identity } from '../../client/protocol.ts';
import type { Part } from '../../engine/part.ts';
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import type { Controller, ControllerContext, SharedInformer } from './controller.ts';
import type { ManagerCredentials } from './credentials.ts';

const NAMESPACE = 'kube-system';
const ACCOUNT_GROUPS = [
  'system:serviceaccounts',
  `system:serviceaccounts:${NAMESPACE}`,
  'system:authenticated',
];

export interface ManagerParts {
  readonly client: ApiClient;
  readonly informers: InformerFactory;
  readonly credentials: ManagerCredentials;
}

export class RunningController {
  readonly #part: Part;
  readonly #news: DeliveryQueue;

  constructor(controller: Controller, { client, informers, credentials }: ManagerParts) {
    const { part, context } = client.context.part(controller.name);
    this.#part = part;
    const news = new DeliveryQueue({ context, isPaused: () => part.isPaused });
    this.#news = news;
    const world: ControllerContext = {
      context,
      credentials,
      client: client.as({ context, user: userOf(controller, client.user) }),
      informerOf: (handle) => new HeardInformer({ informers, handle, context, news }),
    };
    context.spawn('main', main(controller, world));
  }

  /** Its processes, timers and handlers stand still. */
  pause(): void {
    this.#part.pause();
  }

  resume(): void {
    this.#part.resume();
  }

  /** Its handlers hear of everything so much later; 0: at once. */
  setLag(lag: Micros): void {
    this.#news.setLag(lag);
  }
}

interface Hearing<T extends ApiObject> {
  readonly informers: InformerFactory;
  readonly handle: ResourceHandle<T>;
  readonly context: Context;
  readonly news: DeliveryQueue;
}

/** A shared informer, as this controller hears of it. */
class HeardInformer<T extends ApiObject> implements SharedInformer<T> {
  readonly store: Lister<T>;
  readonly #informer: Informer<T>;
  readonly #hearing: Hearing<T>;

  constructor(hearing: Hearing<T>) {
    this.#informer = hearing.informers.informerOf(hearing.handle);
    this.store = this.#informer.store;
    this.#hearing = hearing;
  }

  get isSynced(): boolean {
    return this.#informer.isSynced;
  }

  waitUntilSynced(): Process<void> {
    return this.#informer.waitUntilSynced(this.#hearing.context);
  }

  addHandler(handler: ChangeHandler<T>): void {
    this.#informer.addHandler(handler, this.#hearing.news);
  }

  release(): void {
    this.#hearing.informers.drop(this.#hearing.handle);
  }
}

function* main(controller: Controller, world: ControllerContext): Process<void> {
  const process = controller.start(world);
  if (process) yield* process;
}

const userOf = ({ serviceAccount }: Controller, manager: Identity): Identity =>
  serviceAccount === undefined
    ? manager
    : { name: `system:serviceaccount:${NAMESPACE}:${serviceAccount}`, groups: ACCOUNT_GROUPS };
