/** How a client names a resource, with the type of its objects. Specification: "Path shapes". */
import type { ApiObject } from '../api/object.ts';

declare const objectBrand: unique symbol;

export interface ResourceHandle<T extends ApiObject = ApiObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name in paths. */
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Only for the type checker. */
  readonly [objectBrand]?: T;
}

/** A name alone is in the namespace `default`, unless the resource has no namespaces. */
export type ObjectKey = string | { readonly namespace?: string; readonly name: string };

export const DEFAULT_NAMESPACE = 'default';

export const apiVersionOf = ({ group, version }: ResourceHandle): string =>
  group ? `${group}/${version}` : version;

export const nameOf = (key: ObjectKey): string => (typeof key === 'string' ? key : key.name);

/** Empty for resources without namespaces. */
export function namespaceOf({ isNamespaced }: ResourceHandle, key: ObjectKey): string {
  if (!isNamespaced) return '';
  return (typeof key === 'string' ? undefined : key.namespace) ?? DEFAULT_NAMESPACE;
}

/** Of all namespaces, by handle: whoever asks about a kind asks with the same one. */
const collections = new WeakMap<ResourceHandle, string>();

/** Path of a collection; the empty namespace stands for all of them. */
export function collectionPath(handle: ResourceHandle, namespace: string): string {
  if (namespace) return `${versionPath(handle)}/namespaces/${segment(namespace)}/${handle.resource}`;
  const known = collections.get(handle);
  if (known !== undefined) return known;
  const path = `${versionPath(handle)}/${handle.resource}`;
  collections.set(handle, path);
  return path;
}

const versionPath = ({ group, version }: ResourceHandle): string =>
  group ? `/apis/${group}/${version}` : `/api/${version}`;

export const segment = (name: string): string => (/^[\w.-]+$/.test(name) ? name : encodeURIComponent(name));
