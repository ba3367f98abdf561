/**
 * The client of somebody who stands outside: a call runs the simulation until it has ended, and returns its
 * outcome or throws. Virtual time goes by meanwhile: usually a millisecond, at the most the call's timeout.
 */
import type { ApiObject } from '../api/object.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import type { WatchOptions } from '../client/options.ts';
import {
  type BuiltinObject,
  drivenCalls,
  forEachResource,
  type ResourceCalls,
  ResourceClient,
  type Synchronous,
} from '../client/resource-client.ts';
import type { ResourceHandle } from '../client/resource-handle.ts';
import type { Process } from '../engine/process.ts';
import { WatchLog } from './watch-log.ts';

export type SyncResource<T extends ApiObject = ApiObject> = Synchronous<ResourceCalls<T>> & {
  /** Opens a watch; its events are collected as time goes by. */
  watch(options?: WatchOptions): WatchLog<T>;
};

/** `client.pods.create(…)`, `client.resource(handle).list()`. */
export type SyncClient = {
  readonly [Name in keyof typeof BUILTIN_HANDLES]: SyncResource<BuiltinObject<Name>>;
} & { resource<T extends ApiObject>(handle: ResourceHandle<T>): SyncResource<T> };

/** Runs the simulation until a process has ended. */
export type Finish = <T>(process: Process<T>) => T;

export function syncClient(client: ApiClient, finish: Finish): SyncClient {
  const resource = (handle: ResourceHandle): object => {
    const calls = new ResourceClient(client, handle);
    return {
      ...drivenCalls(calls, finish),
      watch: (options?: WatchOptions): WatchLog => {
        const log = new WatchLog(finish(calls.watch(options)));
        client.context.spawn('watch log', log.record());
        return log;
      },
    };
  };
  return forEachResource(resource) as SyncClient;
}
