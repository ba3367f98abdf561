/**
 * The form in which a release keeps the objects of built-in kinds: in the version that it stores, with the members that
 * its types have. What another release has written is read through its own version, which need not be served any more;
 * members that this release does not know are gone to it, as from bytes that it cannot read.
 * Specification: "A version that has been persisted to storage can still be decoded even when it is no longer served."
 */
import { storedForm } from '../../api/codec/canonical.ts';
import type { ApiObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { Release } from '../../api/release/release.ts';
import { heirOf } from '../registry/old-versions/old-kinds.ts';
import type { Resource } from '../registry/resource.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { copied, deepFreeze } from '../registry/storage-form.ts';
import type { StoredObject } from './stored-object.ts';

/** Whose types an object was written with; what nobody wrote down is of 1.31. */
const writers = new WeakMap<StoredObject, Release>();

export class StoredForms {
  readonly release: Release;
  readonly #rows: () => Iterable<Resource>;
  #byKind: ReadonlyMap<string, readonly Resource[]> | undefined;
  readonly #decoded = new WeakMap<StoredObject, StoredObject>();
  /** Made of what is stored in another version than this release stores. */
  readonly #stale = new WeakSet<StoredObject>();

  /** `rows`: of every resource that the release has, served or not; called when an object is first looked at. */
  constructor(release: Release, rows: () => Iterable<Resource>) {
    this.release = release;
    this.#rows = rows;
  }

  /** Whether every object is stored just as it is worked on. */
  get isPlain(): boolean {
    return this.release.rules.versions === undefined;
  }

  /** As the server works on it. The same object always gives the same. */
  decode(object: StoredObject): StoredObject {
    const row = this.#rowOf(object);
    if (!row) return object;
    const isOwn = (writers.get(object) ?? RELEASE_1_31) === this.release;
    if (isOwn && object.apiVersion === row.storageApiVersion) return object;
    const known = this.#decoded.get(object);
    if (known) return known;
    const readable = isOwn ? object : defaulted(row, this.#pruned(object));
    const made = deepFreeze(
      storedForm(row.storageSchema, row.convert(readable, row.storageApiVersion)) as ApiObject,
    );
    this.#decoded.set(object, made);
    if (object.apiVersion !== (row.encodedApiVersion ?? row.storageApiVersion)) this.#stale.add(made);
    return made;
  }

  /** Whether an object that was decoded is stored in a version that this release does not store. */
  isStale(decoded: StoredObject): boolean {
    return this.#stale.has(decoded);
  }

  /** As the storage keeps it. */
  encode(object: StoredObject): StoredObject {
    const row = this.#rowOf(object);
    const apiVersion = row?.encodedApiVersion;
    const isSame = !row || apiVersion === undefined || apiVersion === object.apiVersion;
    const made = isSame ? object : this.#canonical(row.convert(object, apiVersion));
    if (row) writers.set(made, this.release);
    return made;
  }

  /** In its own version, as this release knows that one. */
  #pruned(object: StoredObject): ApiObject {
    try {
      return this.#canonical(object);
    } catch (error) {
      // A member whose type has changed is read as it stands.
      if (error instanceof TypeError) return object;
      throw error;
    }
  }

  #canonical(object: ApiObject): ApiObject {
    const { types } = this.release.catalog;
    const key = `${object.apiVersion}.${object.kind}`;
    return types.hasStruct(key) ? deepFreeze(storedForm(types.structOf(key), object) as ApiObject) : object;
  }

  #rowOf({ apiVersion, kind }: ApiObject): Resource | undefined {
    const rows = (this.#byKind ??= rowsByKind(this.#rows())).get(kind);
    if (!rows) return undefined;
    const group = groupOf(apiVersion);
    return (
      rows.find((row) => row.group === group || groupOf(row.storageApiVersion) === group) ??
      rows.find((row) => heirOf(`${row.resource}.${group}`) === `${row.resource}.${row.group}`)
    );
  }
}

/** What was not said is what the version, and this release, take for said. */
function defaulted(row: Resource, object: ApiObject): ApiObject {
  if (!row.defaultsOfStored) return object;
  const draft = copied(object) as DraftObject;
  row.defaultsOfStored(draft, object.apiVersion);
  return draft;
}

/** Kinds of one name may be of different groups. */
function rowsByKind(rows: Iterable<Resource>): ReadonlyMap<string, readonly Resource[]> {
  const byKind = new Map<string, Resource[]>();
  for (const row of rows) {
    const known = byKind.get(row.kind);
    if (known) known.push(row);
    else byKind.set(row.kind, [row]);
  }
  return byKind;
}

const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
};
