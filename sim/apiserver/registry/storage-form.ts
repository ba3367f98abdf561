/** The form in which a resource's objects are stored and answered: canonical, in the storage version. */
import { structOf } from '../../api/catalog/builtin-types.ts';
import { storedForm } from '../../api/codec/canonical.ts';
import type { ApiObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { customForm } from '../custom-resources/custom-form.ts';
import type { Revision } from '../../storage/storage.ts';
import type { Resource } from './resource.ts';
import type { DraftObject } from './strategy.ts';

/** The struct that stored objects of the resource are written with. */
export function storageSchema(resource: Resource): StructSchema {
  for (const version of resource.versions.values()) {
    if (version.apiVersion === resource.storageApiVersion) return version.schema;
  }
  return structOf(`${resource.storageApiVersion}.${resource.kind}`);
}

/** Built-in kinds are stored as protobuf, which cannot tell an empty list from none; custom resources as JSON. */
export function stored(resource: Resource, draft: DraftObject | ApiObject): ApiObject {
  return resource.isCustom ? customForm(draft) : (storedForm(storageSchema(resource), draft) as ApiObject);
}

/** A frozen copy with another resourceVersion. */
export const atRevision = (object: ApiObject, revision: Revision): ApiObject =>
  deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** A value whose frozen parts were copied, so that hooks may change it in place. */
export function thawed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (Object.isFrozen(value) ? value.map(thawed) : thawItems(value)) as T;
  const isFrozen = Object.isFrozen(value);
  const copy: object = isFrozen ? {} : value;
  for (const [name, member] of Object.entries(value)) {
    const own: unknown = thawed(member);
    if (isFrozen || own !== member) Reflect.set(copy, name, own);
  }
  return copy as T;
}

function thawItems(items: unknown[]): unknown[] {
  for (const [index, item] of items.entries()) items[index] = thawed(item);
  return items;
}
