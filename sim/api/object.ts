/**
 * Objects as the API knows them: plain, deeply readonly JSON. Once stored an object is frozen;
 * whoever changes one makes a new one that shares the unchanged parts.
 * Specification: "Common object metadata".
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  /** RFC 3339, whole seconds. */
  readonly time?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly selfLink?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, whole seconds; null only in objects that were never stored. */
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** An object of any kind. Members beyond these three are read through the kind's own type or as Json. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [member: string]: unknown;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ApiList<T extends ApiObject = ApiObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}
