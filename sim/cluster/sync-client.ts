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
  drivenWatch,
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

/** What a call needs of the cluster that it is made in. */
interface Driven {
  readonly userClient: ApiClient;
  /** Runs the simulation until a process has ended. */
  finish<T>(process: Process<T>): T;
}

/** Does something to a cluster so that it can be done again to another one. */
type Perform = <T>(what: string, act: (cluster: Driven) => T) => T;

export function syncClient(perform: Perform): SyncClient {
  const resource = (handle: ResourceHandle): object => ({
    ...drivenCalls((name, call) =>
      perform(`${name} ${handle.resource}`, (cluster) =>
        cluster.finish(call(new ResourceClient(cluster.userClient, handle))),
      ),
    ),
    watch: (options?: WatchOptions): WatchLog =>
      perform(`watch ${handle.resource}`, (cluster) => watchLog(cluster, handle, options)),
  });
  return forEachResource(resource) as SyncClient;
}

function watchLog(cluster: Driven, handle: ResourceHandle, options: WatchOptions | undefined): WatchLog {
  const { userClient } = cluster;
  const log = new WatchLog(cluster.finish(drivenWatch(new ResourceClient(userClient, handle), options)));
  userClient.context.spawn('watch log', log.record());
  return log;
}
