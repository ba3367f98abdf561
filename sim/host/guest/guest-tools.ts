/**
 * What controllers are made of, for guests: informers, work queues, leader election and raw requests, as the controllers
 * of the cluster have them, with promises instead of processes. All of it belongs to one life of the guest.
 */
import type { ApiObject } from '../../api/object.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Selection } from '../../client/options.ts';
import { type ChangeHandler, Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { LeaderElector } from '../../client/leader-election/leader-elector.ts';
import type { ApiAnswer, Method, Query } from '../../client/protocol.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Micros } from '../../engine/time.ts';
import type { RunAsPromise } from './promise-client.ts';

export interface GuestTools {
  /** Any request, such as `('GET', '/readyz')`: what the server answered, whatever its status. @throws NoAnswer */
  request(
    method: Method,
    path: string,
    options?: { readonly query?: Query; readonly body?: unknown },
  ): Promise<ApiAnswer>;
  /** A copy of what there is of a resource, kept up to date by a watch. It begins at once. */
  informer<T extends ApiObject>(
    handle: ResourceHandle<T>,
    options?: GuestInformerOptions<T>,
  ): GuestInformer<T>;
  /** A queue of keys to be worked on. */
  workQueue(): GuestWorkQueue;
  /** Takes part in the election of a leader by a lease. */
  elector(options: GuestElectorOptions): GuestElector;
}

export interface GuestInformerOptions<T extends ApiObject> extends Selection, ChangeHandler<T> {
  /** How often handlers are told anew of everything that is there; default never. */
  readonly resyncEvery?: Micros;
}

export interface GuestInformer<T extends ApiObject> {
  /** Once the copy is there for the first time. */
  whenSynced(): Promise<void>;
  readonly isSynced: boolean;
  /** By `namespace/name`, or by the name alone where there are no namespaces. As it is known now, which may be old. */
  get(key: string): T | undefined;
  list(): readonly T[];
}

export interface GuestWorkQueue {
  readonly size: number;
  add(key: string): void;
  addAfter(key: string, pause: Micros): void;
  /** After a pause that grows with each failure of the key. */
  addRateLimited(key: string): void;
  failuresOf(key: string): number;
  forget(key: string): void;
  /** Waits for a key; undefined once the queue is closed. */
  take(): Promise<string | undefined>;
  done(key: string): void;
  close(): void;
}

export interface GuestElectorOptions {
  /** Default `default`. */
  readonly namespace?: string;
  /** Of the lease. */
  readonly name: string;
  /** Default: the guest's name and the number of its life. */
  readonly identity?: string;
  /** Default 15 s. */
  readonly leaseDuration?: Micros;
  /** Default 10 s. */
  readonly renewDeadline?: Micros;
  /** Default 2 s. */
  readonly retryPeriod?: Micros;
}

export interface GuestElector {
  readonly isLeading: boolean;
  /** Waits until it is the leader. */
  acquire(): Promise<void>;
  /** Renews; ends when the leadership is lost. */
  hold(): Promise<void>;
  /** Gives the lease back. */
  release(): Promise<void>;
}

interface ToolsOptions {
  readonly client: ApiClient;
  readonly run: RunAsPromise;
  /** Lets something happen in a turn of the guest. */
  readonly plan: (act: () => void) => void;
  /** Throws where the guest must not do anything now. */
  readonly checkTurn: () => void;
}

export function guestTools({ client, run, plan, checkTurn }: ToolsOptions): GuestTools {
  const { context } = client;
  return {
    request: (method, path, options = {}) => run(client.raw(method, path, options)) as Promise<ApiAnswer>,
    informer: (handle, { added, changed, removed, ...options } = {}) => {
      checkTurn();
      const informer = new Informer({ client, handle, ...options });
      informer.addHandler({
        ...(added && { added: (object) => plan(() => added(object)) }),
        ...(changed && { changed: (object, old) => plan(() => changed(object, old)) }),
        ...(removed && { removed: (object) => plan(() => removed(object)) }),
      });
      informer.start();
      return {
        whenSynced: () => run(informer.waitUntilSynced()) as Promise<void>,
        get isSynced() {
          return informer.isSynced;
        },
        get: (key) => informer.store.get(key),
        list: () => informer.store.list(),
      };
    },
    workQueue: () => guestQueue(new WorkQueue(context), run, checkTurn),
    elector: ({ namespace = 'default', identity, ...options }) => {
      const elector = new LeaderElector({
        client,
        namespace,
        identity: identity ?? `${context.name.replace('/', '-')}_${context.incarnation}`,
        ...options,
      });
      return {
        get isLeading() {
          return elector.isLeading;
        },
        acquire: () => run(elector.acquire()) as Promise<void>,
        hold: () => run(elector.hold()) as Promise<void>,
        release: () => run(elector.release()) as Promise<void>,
      };
    },
  };
}

function guestQueue(queue: WorkQueue, run: RunAsPromise, checkTurn: () => void): GuestWorkQueue {
  const inTurn =
    <Args extends unknown[]>(act: (...args: Args) => void) =>
    (...args: Args): void => {
      checkTurn();
      act(...args);
    };
  return {
    get size() {
      return queue.size;
    },
    add: inTurn((key: string) => queue.add(key)),
    addAfter: inTurn((key: string, pause: Micros) => queue.addAfter(key, pause)),
    addRateLimited: inTurn((key: string) => queue.addRateLimited(key)),
    failuresOf: (key) => queue.failuresOf(key),
    forget: inTurn((key: string) => queue.forget(key)),
    take: () => run(queue.take()) as Promise<string | undefined>,
    done: inTurn((key: string) => queue.done(key)),
    close: inTurn(() => queue.close()),
  };
}

/** The key by which informers know an object. */
export const keyOfObject = (object: ApiObject): string => storeKeyOf(object);
