/** The client of a guest: the calls of `ResourceCalls` as promises, and watches as async iterators. */
import type { ApiObject } from '../../api/object.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { WatchOptions } from '../../client/options.ts';
import type { WatchEvent } from '../../client/protocol.ts';
import {
  type BuiltinObject,
  drivenCalls,
  drivenWatch,
  forEachResource,
  type Promised,
  type ResourceCalls,
  ResourceClient,
} from '../../client/resource-client.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Watch } from '../../client/watch.ts';
import type { Process } from '../../engine/process.ts';

export type PromiseResource<T extends ApiObject = ApiObject> = Promised<ResourceCalls<T>> & {
  watch(options?: WatchOptions): Promise<PromiseWatch<T>>;
};

export type PromiseClient = {
  readonly [Name in keyof typeof BUILTIN_HANDLES]: PromiseResource<BuiltinObject<Name>>;
} & { resource<T extends ApiObject>(handle: ResourceHandle<T>): PromiseResource<T> };

/** Runs a process of the simulation for somebody who waits with a promise. */
export type RunAsPromise = (call: Process<unknown>) => Promise<unknown>;

/** Who makes the calls of a client, and how. */
export interface PromiseCaller {
  /** Makes a call, named for whoever notes it. */
  call(what: string, make: (client: ApiClient) => Process<unknown>): Promise<unknown>;
  /** Goes on with what a call has begun. */
  readonly goOn: RunAsPromise;
  /** Throws where whoever calls must not do anything now. */
  readonly checkTurn?: () => void;
}

/** Events in order; the iteration ends with the watch and throws `NoAnswer` when its connection breaks. */
export class PromiseWatch<T extends ApiObject = ApiObject> implements AsyncIterable<WatchEvent<T>> {
  readonly #watch: Watch<T>;
  readonly #run: RunAsPromise;
  readonly #checkTurn: () => void;

  constructor(watch: Watch<T>, run: RunAsPromise, checkTurn: () => void) {
    this.#watch = watch;
    this.#run = run;
    this.#checkTurn = checkTurn;
  }

  /** Undefined once the server has ended the watch. */
  next(): Promise<WatchEvent<T> | undefined> {
    return this.#run(this.#watch.next()) as Promise<WatchEvent<T> | undefined>;
  }

  close(): void {
    this.#checkTurn();
    this.#watch.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void> {
    try {
      for (let event = await this.next(); event; event = await this.next()) yield event;
    } finally {
      this.close();
    }
  }
}

export function promiseClient({ call, goOn, checkTurn = () => undefined }: PromiseCaller): PromiseClient {
  const resource = (handle: ResourceHandle): object => {
    const callsOf = (client: ApiClient): ResourceClient => new ResourceClient(client, handle);
    return {
      ...drivenCalls((name, make) => call(`${name} ${handle.resource}`, (client) => make(callsOf(client)))),
      watch: async (options?: WatchOptions): Promise<PromiseWatch> => {
        const opened = await call(`watch ${handle.resource}`, (client) =>
          drivenWatch(callsOf(client), options),
        );
        return new PromiseWatch(opened as Watch, goOn, checkTurn);
      },
    };
  };
  return forEachResource(resource) as PromiseClient;
}
