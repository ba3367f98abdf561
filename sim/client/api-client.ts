/**
 * What a component uses to talk to the API: typed reader, writer and watcher over the simulated network. Calls are
 * processes; several may be under way at a time over one connection, which is dialled when it is needed and again
 * when it broke. With several API servers the client stays with one and goes to the next when that one is gone.
 *
 * A call returns the frozen object that the server answered with, or throws: `ApiError` when the server refused,
 * `NoAnswer` when nobody knows or nobody was there. No write is retried that may have been done.
 * It refuses to know how a server works. Specification: "API verbs".
 */
import { append } from '../api/append.ts';
import type { ApiList, ApiObject } from '../api/object.ts';
import { ApiError, type Status } from '../api/status.ts';
import { ConnectionError } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import { invariant } from '../engine/invariant.ts';
import type { Process } from '../engine/process.ts';
import { minutes, type Micros } from '../engine/time.ts';
import { beginCall, Connections, type Server } from './connections.ts';
import { NoAnswer } from './no-answer.ts';
import type {
  ApplyOptions,
  CallOptions,
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
import { deleteBody, PATCH_TYPES, selectionQuery, writeQuery } from './options.ts';
import {
  type ApiAnswer,
  type ApiCall,
  type Identity,
  type Method,
  type Query,
  WATCH_PORT,
} from './protocol.ts';
import { objectPath } from './object-paths.ts';
import {
  apiVersionOf,
  collectionPath,
  namespaceOf,
  type ObjectKey,
  type ResourceHandle,
} from './resource-handle.ts';
import { Watch, type WatchConnection } from './watch.ts';

export interface Reader {
  /** @throws ApiError NotFound … */
  get<T extends ApiObject>(handle: ResourceHandle<T>, key: ObjectKey, options?: GetOptions): Process<T>;
  /** One page of a collection: all of it without `limit`. */
  list<T extends ApiObject>(handle: ResourceHandle<T>, options?: ListOptions): Process<ApiList<T>>;
  /** The whole collection, read in pages of `limit` (default 500) at one version. */
  listAll<T extends ApiObject>(handle: ResourceHandle<T>, options?: ListOptions): Process<ApiList<T>>;
}

/** Objects that are written belong to the call: nobody changes them afterwards. */
export interface Writer {
  create<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Process<T>;
  /** Replaces the object; with a resourceVersion only if that is still the present one. @throws ApiError Conflict */
  update<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Process<T>;
  patch<T extends ApiObject>(
    handle: ResourceHandle<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Process<T>;
  /** Server-side apply: creates the object or takes over the fields that are given. @throws ApiError Conflict */
  apply<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: PartialObject<T>,
    options: ApplyOptions,
  ): Process<T>;
  /** The deleted object (where it lives on for a while, or the kind says so) or a Status. */
  delete<T extends ApiObject>(
    handle: ResourceHandle<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Process<T | Status>;
  deleteCollection(handle: ResourceHandle, options?: Selection & DeleteOptions): Process<void>;
}

export interface Watcher {
  watch<T extends ApiObject>(handle: ResourceHandle<T>, options?: WatchOptions): Process<Watch<T>>;
}

export interface ApiClientOptions {
  readonly context: Context;
  /** Names of actors that are API servers; the first is tried first. */
  readonly servers: readonly string[];
  readonly user: Identity;
  /** Default: the actor's name. */
  readonly userAgent?: string;
  /** Default of a call, by the actor's clock; default one minute. */
  readonly timeout?: Micros;
  /** Hears the warnings that come with answers. */
  readonly onWarning?: (text: string) => void;
}

/** What differs between clients of one process. */
export type ClientView = Partial<Pick<ApiClientOptions, 'user' | 'context' | 'timeout'>>;

const PAGE = 500;
const NO_QUERY: Query = {};

/** What differs from call to call. */
interface Ask {
  readonly query?: Query;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly timeout?: Micros | undefined;
}

export class ApiClient implements Reader, Writer, Watcher {
  readonly context: Context;
  readonly user: Identity;
  readonly #connections: Connections;
  readonly #servers: readonly Server[];
  readonly #userAgent: string;
  readonly #timeout: Micros;
  readonly #onWarning: ((text: string) => void) | undefined;

  constructor(
    { context, servers, user, userAgent = context.name, timeout = minutes(1), onWarning }: ApiClientOptions,
    connections = new Connections(context, servers),
  ) {
    this.#connections = connections;
    this.#servers = connections.servers;
    invariant(this.#servers.length > 0, 'a client knows a server', { client: context.name });
    this.context = context;
    this.user = user;
    this.#userAgent = userAgent;
    this.#timeout = timeout;
    this.#onWarning = onWarning;
  }

  /** A client of the same process over the same connections, for somebody else in it. */
  as({ user = this.user, context = this.context, timeout = this.#timeout }: ClientView): ApiClient {
    const options = { context, servers: [], user, userAgent: this.#userAgent, timeout };
    const onWarning = this.#onWarning;
    return new ApiClient({ ...options, ...(onWarning && { onWarning }) }, this.#connections);
  }

  get<T extends ApiObject>(handle: ResourceHandle<T>, key: ObjectKey, options: GetOptions = {}): Process<T> {
    const { resourceVersion, subresource, timeout } = options;
    return this.#ask('GET', objectPath(handle, key, subresource), { query: { resourceVersion }, timeout });
  }

  list<T extends ApiObject>(handle: ResourceHandle<T>, options: ListOptions = {}): Process<ApiList<T>> {
    const {
      namespace = '',
      limit,
      continue: token,
      resourceVersion,
      resourceVersionMatch,
      timeout,
    } = options;
    const page = { limit: limit?.toString(), continue: token, resourceVersion, resourceVersionMatch };
    return this.#ask('GET', collectionPath(handle, namespace), {
      query: { ...selectionQuery(options), ...page },
      timeout,
    });
  }

  *listAll<T extends ApiObject>(handle: ResourceHandle<T>, options: ListOptions = {}): Process<ApiList<T>> {
    const { limit = PAGE } = options;
    const first = yield* this.list(handle, { ...options, limit });
    if (!first.metadata.continue) return first;
    const items = [...first.items];
    for (let token: string | undefined = first.metadata.continue; token;) {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
      const page: ApiList<T> = yield* this.list(handle, { ...rest, limit, continue: token });
      append(items, page.items);
      token = page.metadata.continue;
    }
    const { continue: _, remainingItemCount: __, ...metadata } = first.metadata;
    return { ...first, metadata, items };
  }

  create<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Process<T> {
    const { metadata } = object;
    const namespace = namespaceOf(handle, { ...metadata, name: '' });
    const collection = collectionPath(handle, namespace);
    const { subresource, timeout } = options;
    const path = subresource ? `${collection}/${metadata.name ?? ''}/${subresource}` : collection;
    return this.#ask('POST', path, {
      query: writeQuery(options),
      body: typed(handle, object, subresource),
      timeout,
    });
  }

  update<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Process<T> {
    const path = objectPath(handle, keyOf(object), options.subresource);
    const body = typed(handle, object, options.subresource);
    return this.#ask('PUT', path, { query: writeQuery(options), body, timeout: options.timeout });
  }

  patch<T extends ApiObject>(
    handle: ResourceHandle<T>,
    key: ObjectKey,
    { type, body }: Patch,
    options: WriteOptions = {},
  ): Process<T> {
    const { subresource, timeout } = options;
    const path = objectPath(handle, key, subresource);
    return this.#ask('PATCH', path, {
      query: writeQuery(options),
      contentType: PATCH_TYPES[type],
      body,
      timeout,
    });
  }

  apply<T extends ApiObject>(
    handle: ResourceHandle<T>,
    object: PartialObject<T>,
    options: ApplyOptions,
  ): Process<T> {
    const { force = false, subresource, timeout } = options;
    return this.#ask('PATCH', objectPath(handle, keyOf(object), subresource), {
      query: { ...writeQuery(options), force: force ? 'true' : undefined },
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: apiVersionOf(handle), kind: handle.kind, ...object },
      timeout,
    });
  }

  delete<T extends ApiObject>(
    handle: ResourceHandle<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Process<T | Status> {
    return this.#ask('DELETE', objectPath(handle, key), {
      body: deleteBody(options),
      timeout: options.timeout,
    });
  }

  *deleteCollection(handle: ResourceHandle, options: Selection & DeleteOptions = {}): Process<void> {
    const { namespace = '', timeout } = options;
    const query = selectionQuery(options);
    yield* this.#ask('DELETE', collectionPath(handle, namespace), {
      query,
      body: deleteBody(options),
      timeout,
    });
  }

  *watch<T extends ApiObject>(handle: ResourceHandle<T>, options: WatchOptions = {}): Process<Watch<T>> {
    const {
      namespace = '',
      resourceVersion,
      resourceVersionMatch,
      allowWatchBookmarks,
      sendInitialEvents,
      timeoutSeconds,
    } = options;
    const query: Query = {
      watch: 'true',
      ...selectionQuery(options),
      resourceVersion,
      resourceVersionMatch,
      allowWatchBookmarks: allowWatchBookmarks?.toString(),
      sendInitialEvents: sendInitialEvents?.toString(),
      timeoutSeconds: timeoutSeconds?.toString(),
    };
    const call = this.#call('GET', collectionPath(handle, namespace), { query });
    const server = this.#server;
    server.line.asked();
    const opening = yield* this.context.within(options.timeout ?? this.#timeout, this.#open(server, call));
    if (opening.isLate) {
      if (server.line.isSilent) this.#connections.leave(server.name);
      throw new NoAnswer('timeout', textOf(call));
    }
    return new Watch<T>(server.line, opening.value, textOf(call));
  }

  /** Any path, such as `/readyz` or `/apis`: what the server answered, whatever its status. */
  raw(
    method: Method,
    path: string,
    options: CallOptions & { readonly query?: Query; readonly body?: unknown } = {},
  ): Process<ApiAnswer> {
    return this.#send(this.#call(method, path, options), options.timeout, (answer) => answer);
  }

  /** The document at a path, in the form that `accept` asks for. @throws ApiError, NoAnswer */
  read(path: string, accept: string, query: Query = NO_QUERY): Process<unknown> {
    return this.#send({ ...this.#call('GET', path, { query }), accept }, this.#timeout, bodyOf);
  }

  /** Goes on with the next server, as who breaks all connections off and is sent to another one when he comes back. */
  turnAway(): void {
    this.#connections.leave(this.#server.name);
  }

  /** Breaks off the connection; what is under way ends with `NoAnswer`, the next call dials again. */
  close(): void {
    this.#connections.close();
  }

  #ask<Answer>(method: Method, path: string, ask: Ask): Process<Answer> {
    return this.#send(this.#call(method, path, ask), ask.timeout, bodyOf) as Process<Answer>;
  }

  #call(method: Method, path: string, { query = NO_QUERY, contentType, body }: Ask): ApiCall {
    const { user } = this;
    const userAgent = this.#userAgent;
    // Written out: V8 is slow to add members to what spreading made.
    if (body === undefined)
      return contentType === undefined
        ? { method, path, query, user, userAgent }
        : { method, path, query, user, userAgent, contentType };
    return contentType === undefined
      ? { method, path, query, user, userAgent, body }
      : { method, path, query, user, userAgent, contentType, body };
  }

  *#send<Out>(call: ApiCall, timeout = this.#timeout, read: (answer: ApiAnswer) => Out): Process<Out> {
    for (let tries = 1; ; tries++) {
      const server = this.#server;
      const { caller, line, name } = server;
      beginCall(server);
      const outcome = yield* caller.call(call, timeout);
      if (outcome.kind === 'reply') {
        line.heard();
        for (const warning of outcome.reply.warnings) this.#onWarning?.(warning);
        return read(outcome.reply);
      }
      // One answer that does not come says nothing of the server; no word for long does.
      if (outcome.kind !== 'timeout' || line.isSilent) this.#connections.leave(name);
      // A read over a connection that broke is asked once more, as HTTP clients do: it may be done twice.
      const isReadAgain = outcome.kind === 'reset' && call.method === 'GET' && tries === 1;
      const isUntried = outcome.kind === 'refused' && tries < this.#servers.length;
      if (!isReadAgain && !isUntried) throw new NoAnswer(outcome.kind, textOf(call));
    }
  }

  *#open({ name: actor }: Server, call: ApiCall): Process<WatchConnection> {
    let connection: WatchConnection | undefined;
    let isOpened = false;
    try {
      connection = yield* this.context.dial({ actor, port: WATCH_PORT });
      connection.send({ kind: 'open', call });
      const reply = yield* connection.receive();
      if (reply?.kind === 'refused') throw refusalOf(reply.answer);
      if (reply?.kind !== 'opened') throw new NoAnswer('reset', textOf(call));
      for (const warning of reply.warnings) this.#onWarning?.(warning);
      isOpened = true;
      return connection;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#connections.leave(actor);
      throw new NoAnswer(error.kind, textOf(call));
    } finally {
      // Also when the caller did not want to wait any longer.
      if (!isOpened) connection?.close();
    }
  }

  get #server(): Server {
    return this.#connections.current;
  }
}

const keyOf = ({
  metadata: { name = '', namespace },
}: {
  readonly metadata: ApiObject['metadata'];
}): ObjectKey => ({
  name,
  ...(namespace !== undefined && { namespace }),
});

const textOf = ({ method, path }: ApiCall): string => `${method} ${path}`;

/** @throws ApiError when the server refused */
function bodyOf(answer: ApiAnswer): unknown {
  if (answer.status >= 400) throw refusalOf(answer);
  return answer.body;
}

function refusalOf({ status: code, body }: ApiAnswer): ApiError {
  if (!isStatus(body))
    return new ApiError({ reason: '', message: typeof body === 'string' ? body : `status ${code}`, code });
  const { reason = '', message = '', details, metadata } = body;
  return new ApiError({ reason, message, ...(details && { details }), code: body.code, metadata });
}

const isStatus = (body: unknown): body is Status =>
  typeof body === 'object' && body !== null && Reflect.get(body, 'kind') === 'Status';

/** With its type, which only custom resources need; subresources have types of their own. */
function typed(handle: ResourceHandle, given: object, subresource: string | undefined): object {
  const object: { readonly apiVersion?: unknown; readonly kind?: unknown } = given;
  const isTyped = object.kind !== undefined && object.apiVersion !== undefined;
  if (isTyped || (subresource !== undefined && subresource !== 'status')) return object;
  return { apiVersion: apiVersionOf(handle), kind: handle.kind, ...object };
}
