/**
 * The informers of one process: one for each kind, however many of its controllers ask for it. So every event comes over
 * the network once, and all controllers read the same copy; what each is told, and when, is the matter of its delivery.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Micros } from '../../engine/time.ts';
import type { ApiClient } from '../api-client.ts';
import { collectionPath, type ResourceHandle } from '../resource-handle.ts';
import { Informer } from './informer.ts';
import { standardIndexesOf } from './standard-indexes.ts';

/** Of whatever kind; to be looked at. */
export type AnyInformer = Pick<Informer, 'isSynced' | 'isPart'> & {
  readonly handle: ResourceHandle;
  readonly store: Pick<Informer['store'], 'list'>;
};

export interface InformerFactoryOptions {
  readonly client: ApiClient;
  /** Asked for each informer; undefined: handlers are not told anew of what is there. */
  readonly resyncEvery?: () => Micros;
}

interface Running {
  readonly informer: AnyInformer;
  readonly end: () => void;
}

export class InformerFactory {
  readonly #options: InformerFactoryOptions;
  /** By the path of the collection. */
  readonly #informers = new Map<string, Running>();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  /** All that were started. For checkers. */
  get all(): readonly AnyInformer[] {
    return [...this.#informers.values()].map(({ informer }) => informer);
  }

  /** Ends the informer of a kind that is not served any more. */
  drop(handle: ResourceHandle): void {
    const path = collectionPath(handle, '');
    const running = this.#informers.get(path);
    this.#informers.delete(path);
    running?.end();
  }

  /** The informer of a kind; it is started when somebody first asks for it. */
  informerOf<T extends ApiObject>(handle: ResourceHandle<T>): Informer<T> {
    const path = collectionPath(handle, '');
    const known = this.#informers.get(path);
    // The objects of one collection are of one type.
    if (known) return known.informer as unknown as Informer<T>;
    const { client, resyncEvery } = this.#options;
    const informer = new Informer<T>({
      client,
      handle,
      indexers: standardIndexesOf(handle),
      ...(resyncEvery && { resyncEvery: resyncEvery() }),
    });
    this.#informers.set(path, { informer, end: informer.start() });
    return informer;
  }
}
