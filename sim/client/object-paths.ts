/**
 * Paths of objects, each made once: agents and controllers ask for the same few again and again, and a text that is the
 * very same is found at once in every table that it is looked up in later.
 */
import {
  collectionPath,
  nameOf,
  namespaceOf,
  type ObjectKey,
  type ResourceHandle,
  segment,
} from './resource-handle.ts';

/** Beyond so many paths of one resource it begins anew. */
const CAPACITY = 16_384;

interface Known {
  count: number;
  readonly byNamespace: Map<string, Map<string, string>>;
}

const known = new WeakMap<ResourceHandle, Known>();

/** Path of an object or of one of its subresources. */
export function objectPath(handle: ResourceHandle, key: ObjectKey, subresource?: string): string {
  const path = keptPath(handle, namespaceOf(handle, key), nameOf(key));
  return subresource ? `${path}/${subresource}` : path;
}

function keptPath(handle: ResourceHandle, namespace: string, name: string): string {
  let of = known.get(handle);
  if (!of || of.count >= CAPACITY) known.set(handle, (of = { count: 0, byNamespace: new Map() }));
  let names = of.byNamespace.get(namespace);
  if (!names) of.byNamespace.set(namespace, (names = new Map<string, string>()));
  const path = names.get(name);
  if (path !== undefined) return path;
  const made = `${collectionPath(handle, namespace)}/${segment(name)}`;
  names.set(name, made);
  of.count++;
  return made;
}
