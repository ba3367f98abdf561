/** A controller in one life of its manager: a part of the actor, with news of its own and a user of its own. */
import type { ApiClient } from '../../client/api-client.ts';
import { DeliveryQueue } from '../../client/informer/delivery.ts';
import type { InformerFactory } from '../../client/informer/informer-factory.ts';
import type { Identity } from '../../client/protocol.ts';
import type { Part } from '../../engine/part.ts';
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import type { Controller, ControllerContext } from './controller.ts';
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
      informerOf: (handle) => {
        const informer = informers.informerOf(handle);
        return {
          store: informer.store,
          get isSynced() {
            return informer.isSynced;
          },
          waitUntilSynced: () => informer.waitUntilSynced(context),
          addHandler: (handler) => informer.addHandler(handler, news),
          release: () => informers.drop(handle),
        };
      },
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

function* main(controller: Controller, world: ControllerContext): Process<void> {
  const process = controller.start(world);
  if (process) yield* process;
}

const userOf = ({ serviceAccount }: Controller, manager: Identity): Identity =>
  serviceAccount === undefined
    ? manager
    : { name: `system:serviceaccount:${NAMESPACE}:${serviceAccount}`, groups: ACCOUNT_GROUPS };
