/**
 * What goes over the simulated network between a client and an API server: requests and answers with frozen
 * objects instead of bytes. It says what HTTP would say (method, path, query, status, warnings) and nothing of
 * how the server works; the server's side of it is an adapter in `sim/cluster`. Specification: "Endpoints", "Watch".
 */
import type { ApiObject } from '../api/object.ts';
import type { Status } from '../api/status.ts';
import { definePort } from '../engine/port.ts';
import { defineCallPort } from '../engine/request-reply.ts';

/** Who a component is for the API server. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Query = Readonly<Record<string, string | undefined>>;

export interface ApiCall {
  readonly method: Method;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: Query;
  /** Of the body, where it is not JSON. */
  readonly contentType?: string;
  /**
   * Further headers, by lower-case name, of somebody who wants what a wire would carry: the answer then has headers
   * too, and a text where the server would send bytes.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Form of the answer, where it is not the usual one. */
  readonly accept?: string;
  /** Belongs to the call from now on: nobody changes it any more. */
  readonly body?: unknown;
  readonly user: Identity;
  /** Its part before the first slash is the field manager of writes that name none. */
  readonly userAgent: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** Texts of `Warning` headers, unquoted. */
  readonly warnings: readonly string[];
  /** Only for calls with headers; in the order in which they are sent. */
  readonly headers?: readonly (readonly [string, string])[];
  /** A frozen object, list or Status; a text of a path that answers with text. */
  readonly body: unknown;
}

/** Calls with one answer: everything but watches. */
export const API_PORT = defineCallPort<ApiCall, ApiAnswer>('api', ({ path }) => path);

export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };

/** From the client; `ping` is answered by `pong`, so that a silent server is found out. */
export type WatchRequest = { readonly kind: 'open'; readonly call: ApiCall } | { readonly kind: 'ping' };

/** From the server: `opened` or `refused` first; the end of the connection is the end of the watch. */
export type WatchReply =
  | { readonly kind: 'opened'; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly answer: ApiAnswer }
  | {
      readonly kind: 'event';
      readonly event: WatchEvent;
      /** Path of what is watched. */
      readonly of: string;
    }
  | { readonly kind: 'pong' };

/** One connection for each watch. */
export const WATCH_PORT = definePort<WatchRequest, WatchReply>('watch', (message) => {
  if (message.kind === 'open') return message.call.path;
  return message.kind === 'event' ? pathIn(message.of, message.event) : undefined;
});

/** Of an object in a watched collection, which may span namespaces. */
function pathIn(collection: string, { type, object }: WatchEvent): string {
  if (type === 'ERROR' || type === 'BOOKMARK') return collection;
  const { name = '', namespace } = object.metadata;
  const isInside = namespace === undefined || collection.includes('/namespaces/');
  const resource = collection.lastIndexOf('/');
  return isInside
    ? `${collection}/${name}`
    : `${collection.slice(0, resource)}/namespaces/${namespace}${collection.slice(resource)}/${name}`;
}
