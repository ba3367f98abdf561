/** The form in which a resource's objects are stored and answered: canonical, in the storage version. */
import { structOf } from '../../api/catalog/builtin-types.ts';
import { canonical, storedForm } from '../../api/codec/canonical.ts';
import type { ApiObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
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
  const schema = storageSchema(resource);
  return (resource.isCustom ? canonical(schema, draft) : storedForm(schema, draft)) as ApiObject;
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
