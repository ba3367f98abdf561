/**
 * The objects of one storage prefix: reads and writes by namespace and name over the shared store,
 * and this server's watch cache of them. Knows keys and versions, no rules of any kind.
 */
import type { Revision, Storage, StoredEntry } from '../../storage/storage.ts';
import type { StoredObject } from './stored-object.ts';
import { CheckedMetadata } from './checked-metadata.ts';
import { KeptLists } from '../representation/kept-lists.ts';
import type { WatchCache } from '../watch-cache/watch-cache.ts';

/** A storage that several releases write to tells what is stored in a version of old. */
type ObjectStorage = Storage<StoredObject> & { isStale?(object: StoredObject): boolean };

export class ResourceStore {
  readonly prefix: string;
  readonly storage: ObjectStorage;
  readonly cache: WatchCache;
  readonly isNamespaced: boolean;
  #keptLists: KeptLists | undefined;
  #checkedMetadata: CheckedMetadata | undefined;

  constructor(options: { prefix: string; storage: ObjectStorage; cache: WatchCache; isNamespaced: boolean }) {
    this.prefix = options.prefix;
    this.storage = options.storage;
    this.cache = options.cache;
    this.isNamespaced = options.isNamespaced;
  }

  // Most kinds are never asked about: what they do not need is not made.

  get keptLists(): KeptLists {
    return (this.#keptLists ??= new KeptLists());
  }

  get checkedMetadata(): CheckedMetadata {
    return (this.#checkedMetadata ??= new CheckedMetadata());
  }

  key(namespace: string, name: string): string {
    return this.isNamespaced ? `${this.prefix}${namespace}/${name}` : this.prefix + name;
  }

  /** Prefix of the keys of a namespace, or of all if it is empty. */
  range(namespace: string): string {
    return this.isNamespaced && namespace !== '' ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /** Whether an object that was read from here is stored in another version than this server stores. */
  isStale(object: StoredObject): boolean {
    return this.storage.isStale?.(object) ?? false;
  }

  get(key: string): StoredEntry<StoredObject> | undefined {
    return this.storage.get(key);
  }

  /** Stores a new object; undefined: the key exists. `leaseId` lets it expire. */
  create(
    key: string,
    make: (revision: Revision) => StoredObject,
    leaseId?: number,
  ): StoredObject | undefined {
    const result = this.storage.transact({
      compare: [{ key, modRevision: 0 }],
      success: [{ kind: 'put', key, value: make, ...(leaseId !== undefined && { leaseId }) }],
    });
    return result.succeeded ? result.entries[0]?.value : undefined;
  }

  /** Replaces what was read at `modRevision`; undefined: it has changed since. */
  replace(
    key: string,
    modRevision: Revision,
    make: (revision: Revision) => StoredObject,
    leaseId?: number,
  ): StoredObject | undefined {
    const result = this.storage.transact({
      compare: [{ key, modRevision }],
      success: [{ kind: 'put', key, value: make, ...(leaseId !== undefined && { leaseId }) }],
    });
    return result.succeeded ? result.entries[0]?.value : undefined;
  }

  /** Removes what was read at `modRevision`; the revision of the removal, or undefined: it has changed since. */
  remove(key: string, modRevision: Revision): Revision | undefined {
    const result = this.storage.transact({
      compare: [{ key, modRevision }],
      success: [{ kind: 'delete', key }],
    });
    return result.succeeded ? result.revision : undefined;
  }
}
