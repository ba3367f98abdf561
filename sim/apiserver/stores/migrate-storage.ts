/**
 * Writes anew what the storage still has in a version that the server does not store any more, as a storage migration
 * does with a PUT that changes nothing. Specification: "Deprecation rules" 4b.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { ResourceStore } from './resource-store.ts';
import type { StoredObject } from './stored-object.ts';

interface Migrating {
  readonly registry: Registry;
  storeOf(resource: Resource): ResourceStore;
}

/** @param raw the storage as it is. How many objects were written. */
export function migrateStorage(server: Migrating, raw: Pick<Storage<StoredObject>, 'get'>): number {
  const prefixes = new Set<string>();
  let count = 0;
  for (const resource of server.registry.all()) {
    if (prefixes.has(resource.storagePrefix)) continue;
    prefixes.add(resource.storagePrefix);
    const store = server.storeOf(resource);
    for (const { key, modRevision, value } of store.storage.range({ prefix: store.prefix }).entries) {
      if (raw.get(key)?.value.apiVersion === (resource.encodedApiVersion ?? resource.storageApiVersion))
        continue;
      const object = inStorageVersion(resource, value);
      if (!object) continue;
      if (store.replace(key, modRevision, (revision) => atRevision(object, revision))) count += 1;
    }
  }
  return count;
}

/** Undefined: somebody else would have to be asked for it. */
function inStorageVersion(resource: Resource, object: StoredObject): ApiObject | undefined {
  if (object.apiVersion === resource.storageApiVersion) return object;
  return resource.askConverted
    ? undefined
    : stored(resource, resource.convert(object, resource.storageApiVersion));
}
