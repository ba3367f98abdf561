/** The form in which a resource's objects are stored and answered: canonical, in the storage version. */
import { isOwnEntry } from '../../api/apply/managers.ts';
import { storedForm } from '../../api/codec/canonical.ts';
import { copyMembers } from '../../api/copy-members.ts';
import type { ApiObject } from '../../api/object.ts';
import { customForm } from '../custom-resources/custom-form.ts';
import type { Revision } from '../../storage/storage.ts';
import type { Resource } from './resource.ts';
import type { DraftObject } from './strategy.ts';

/**
 * Built-in kinds are stored as protobuf, which cannot tell an empty list from none; custom resources as JSON.
 * What the draft shares with `base`, a stored object, is taken over unseen.
 */
export function stored(resource: Resource, draft: DraftObject | ApiObject, base?: ApiObject): ApiObject {
  return resource.isCustom
    ? customForm(draft, resource.metaSchema)
    : (storedForm(resource.storageSchema, draft, base) as ApiObject);
}

/** A frozen copy with another resourceVersion. */
export const atRevision = (object: ApiObject, revision: Revision): ApiObject =>
  deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });

/** The same of an object that belongs to the request: itself. */
export function frozenAtRevision(object: ApiObject, revision: Revision): ApiObject {
  if (Object.isFrozen(object) || Object.isFrozen(object.metadata)) return atRevision(object, revision);
  const { metadata } = object as DraftObject;
  metadata.resourceVersion = String(revision);
  return deepFreeze(object);
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const name in value) deepFreeze(value[name]);
  return value;
}

/** A value whose frozen parts were copied, so that hooks may change it in place. */
export const thawed = <T>(value: T): T => changeable(value, false);

/** A copy that shares nothing that could be changed with the value. */
export const copied = <T>(value: T): T => changeable(value, true);

function changeable<T>(value: T, isCopied: boolean): T {
  if (typeof value !== 'object' || value === null) return value;
  const isNew = isCopied || Object.isFrozen(value);
  if (Array.isArray(value)) {
    const items: unknown[] = isNew ? value.slice() : value;
    for (let index = 0; index < items.length; index += 1) items[index] = changeable(items[index], isCopied);
    return items as T;
  }
  const copy = (isNew ? copyMembers(value) : value) as Record<string, unknown>;
  for (const name in copy) {
    const member = copy[name];
    if (typeof member !== 'object' || member === null) continue;
    const own =
      name === 'managedFields' && Array.isArray(member)
        ? changeableEntries(member, isCopied)
        : changeable(member, isCopied);
    if (own !== member) copy[name] = own;
  }
  return copy as T;
}

const changeableEntries = (entries: readonly unknown[], isCopied: boolean): readonly unknown[] =>
  entries.map((entry) => (isOwnEntry(entry) ? entry : changeable(entry, isCopied)));
