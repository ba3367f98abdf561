/**
 * An `ApiClient` bound to one resource, so that calls read `client.pods.get('web')`. Its shape serves three times: for
 * processes inside the simulation, for tests that drive it from outside, and for guests with promises.
 */
import type { ApiList, ApiObject } from '../api/object.ts';
import type { Status } from '../api/status.ts';
import type { Process } from '../engine/process.ts';
import type { ApiClient } from './api-client.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';
import { problemOfCall } from './check-call.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  NewObject,
  PartialObject,
  Patch,
  Selection,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import type { ObjectKey, ResourceHandle } from './resource-handle.ts';
import type { Watch } from './watch.ts';

/** See `Reader` and `Writer` (api-client.ts) for what each call does and throws. */
export interface ResourceCalls<T extends ApiObject> {
  get(key: ObjectKey, options?: GetOptions): Process<T>;
  list(options?: ListOptions): Process<ApiList<T>>;
  listAll(options?: ListOptions): Process<ApiList<T>>;
  create(object: NewObject<T>, options?: WriteOptions): Process<T>;
  update(object: NewObject<T>, options?: WriteOptions): Process<T>;
  updateStatus(object: NewObject<T>, options?: WriteOptions): Process<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Process<T>;
  apply(object: PartialObject<T>, options: ApplyOptions): Process<T>;
  delete(key: ObjectKey, options?: DeleteOptions): Process<T | Status>;
  deleteCollection(options?: Selection & DeleteOptions): Process<void>;
}

export class ResourceClient<T extends ApiObject = ApiObject> implements ResourceCalls<T> {
  readonly client: ApiClient;
  readonly handle: ResourceHandle<T>;

  constructor(client: ApiClient, handle: ResourceHandle<T>) {
    this.client = client;
    this.handle = handle;
  }

  get(key: ObjectKey, options?: GetOptions): Process<T> {
    return this.client.get(this.handle, key, options);
  }

  list(options?: ListOptions): Process<ApiList<T>> {
    return this.client.list(this.handle, options);
  }

  listAll(options?: ListOptions): Process<ApiList<T>> {
    return this.client.listAll(this.handle, options);
  }

  create(object: NewObject<T>, options?: WriteOptions): Process<T> {
    return this.client.create(this.handle, object, options);
  }

  update(object: NewObject<T>, options?: WriteOptions): Process<T> {
    return this.client.update(this.handle, object, options);
  }

  updateStatus(object: NewObject<T>, options?: WriteOptions): Process<T> {
    return this.client.update(this.handle, object, { ...options, subresource: 'status' });
  }

  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Process<T> {
    return this.client.patch(this.handle, key, patch, options);
  }

  apply(object: PartialObject<T>, options: ApplyOptions): Process<T> {
    return this.client.apply(this.handle, object, options);
  }

  delete(key: ObjectKey, options?: DeleteOptions): Process<T | Status> {
    return this.client.delete(this.handle, key, options);
  }

  deleteCollection(options?: Selection & DeleteOptions): Process<void> {
    return this.client.deleteCollection(this.handle, options);
  }

  watch(options?: WatchOptions): Process<Watch<T>> {
    return this.client.watch(this.handle, options);
  }
}

type Builtin = typeof BUILTIN_HANDLES;
type BuiltinName = keyof Builtin;
/** Type of the objects of a built-in resource, by its name in clients. */
export type BuiltinObject<Name extends BuiltinName> =
  Builtin[Name] extends ResourceHandle<infer T> ? T : never;

/** A member for each built-in resource, made when it is first asked for, and a method `resource` for any. */
class Clients {
  readonly resource: (handle: ResourceHandle) => object;
  readonly #made = new Map<string, object>();

  static {
    for (const [name, handle] of Object.entries(BUILTIN_HANDLES)) {
      Object.defineProperty(Clients.prototype, name, {
        enumerable: true,
        get(this: Clients) {
          return this.#of(name, handle);
        },
      });
    }
  }

  constructor(make: (handle: ResourceHandle) => object) {
    this.resource = make;
  }

  #of(name: string, handle: ResourceHandle): object {
    const known = this.#made.get(name) ?? this.resource(handle);
    this.#made.set(name, known);
    return known;
  }
}

export const forEachResource = (make: (handle: ResourceHandle) => object): object => new Clients(make);

/** The same calls as they look where somebody else drives the process. */
export type Synchronous<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Arguments) => Process<infer Result>
    ? (...args: Arguments) => Result
    : never;
};
export type Promised<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Arguments) => Process<infer Result>
    ? (...args: Arguments) => Promise<Result>
    : never;
};

const CALLS = [
  'get',
  'list',
  'listAll',
  'create',
  'update',
  'updateStatus',
  'patch',
  'apply',
  'delete',
  'deleteCollection',
] as const satisfies readonly (keyof ResourceCalls<ApiObject>)[];

/**
 * The calls of a resource, each handed to `run` with its name, which makes it with a client of its choice and gives the
 * caller what it likes. Arguments are copied first: code outside of the simulation may go on changing what it has given.
 * What makes no sense is refused before anything is sent (`check-call.ts`): the call throws a RangeError.
 */
export function drivenCalls(
  run: (name: string, call: (resource: ResourceClient) => Process<unknown>) => unknown,
): Record<string, unknown> {
  const driven: Record<string, unknown> = {};
  for (const name of CALLS) {
    const driving = (...given: unknown[]): unknown => {
      const args = given.map(copyOf);
      return run(name, (resource) => {
        const problem = problemOfCall(resource.handle.resource, name, args);
        return problem === undefined ? Reflect.apply(resource[name], resource, args) : refused(problem);
      });
    };
    driven[name] = driving;
  }
  return driven;
}

/** What opens a watch, as above. @throws RangeError for options that there are not */
export function drivenWatch(resource: ResourceClient, options: WatchOptions | undefined): Process<Watch> {
  const problem = problemOfCall(resource.handle.resource, 'watch', [options]);
  return problem === undefined ? resource.watch(options) : refused(problem);
}

// oxlint-disable-next-line require-yield -- it ends at once
function* refused(problem: string): Process<never> {
  throw new RangeError(problem);
}

const copyOf = (argument: unknown): unknown =>
  typeof argument === 'object' && argument !== null
    ? (JSON.parse(JSON.stringify(argument)) as unknown)
    : argument;
