/** Options of calls, as the API's query parameters have them. Specification: "Query parameters". */
import type { ApiObject, JsonObject, ObjectMeta } from '../api/object.ts';
import type { Micros } from '../engine/time.ts';
import type { Query } from './protocol.ts';

export interface CallOptions {
  /** By the caller's clock; default: the client's. */
  readonly timeout?: Micros;
}

export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** What part of a collection. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends CallOptions, Selection {
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /** After so long the server ends the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  readonly isDryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that others manage. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly isDryRun?: boolean;
}

export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] };

/** By their media types. */
export const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** The members that a type names, without the signature that allows any other. */
type Named<T> = {
  [Member in keyof T as string extends Member ? never : number extends Member ? never : Member]: T[Member];
};

/** Whether a type names no members but those of all objects. `ApiObject extends T` would hold for many that do. */
type IsAnyObject<T> = [Exclude<keyof Named<T>, keyof Named<ApiObject>>] extends [never] ? true : false;

/** An object to be written: type and metadata that the server fills in may be left out. */
export type NewObject<T extends ApiObject> =
  IsAnyObject<T> extends true
    ? { readonly metadata: ObjectMeta; readonly [member: string]: unknown }
    : Omit<Named<T>, 'apiVersion' | 'kind' | 'metadata'> & {
        readonly apiVersion?: string;
        readonly kind?: string;
        readonly metadata: ObjectMeta;
      };

/** A part of an object, for apply. */
export type PartialObject<T extends ApiObject> =
  IsAnyObject<T> extends true
    ? { readonly metadata: ObjectMeta; readonly [member: string]: unknown }
    : { readonly [Member in Exclude<keyof Named<T>, 'metadata'>]?: DeepPartial<Named<T>[Member]> } & {
        readonly metadata: ObjectMeta;
      };

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Member in keyof T]?: DeepPartial<T[Member]> }
    : T;

export const selectionQuery = ({ labelSelector, fieldSelector }: Selection): Query => ({
  labelSelector,
  fieldSelector,
});

const NO_QUERY: Query = {};

export const writeQuery = ({ isDryRun = false, fieldManager, fieldValidation }: WriteOptions): Query =>
  isDryRun || fieldManager !== undefined || fieldValidation !== undefined
    ? { dryRun: isDryRun ? 'All' : undefined, fieldManager, fieldValidation }
    : NO_QUERY;

/** The body of a DELETE; undefined when there is nothing to say. */
export function deleteBody({
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
  isDryRun,
}: DeleteOptions): JsonObject | undefined {
  const body = {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions && { preconditions: { ...preconditions } }),
    ...(isDryRun === true && { dryRun: ['All'] }),
  };
  return Object.keys(body).length > 0 ? body : undefined;
}
