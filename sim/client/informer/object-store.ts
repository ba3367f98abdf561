/**
 * What an informer knows: the newest object of each key, with indexes. Synchronous, in order of keys' arrival. An index
 * is made when it is first asked for and kept from then on: one that nobody asks for costs nothing.
 */
import type { ApiObject } from '../../api/object.ts';
import { invariant } from '../../engine/invariant.ts';

/** Values under which an object is found in an index. */
export type IndexFunction<T extends ApiObject> = (object: T) => readonly string[];

/** What those who do not fill a store may do with it. */
export type Lister<T extends ApiObject> = Pick<
  ObjectStore<T>,
  'size' | 'get' | 'keys' | 'list' | 'byIndex' | 'eachByIndex'
>;

/** `namespace/name`, or the name alone of an object without namespace. */
export function storeKeyOf({ metadata: { namespace, name = '' } }: ApiObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

export class ObjectStore<T extends ApiObject = ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexers: Readonly<Record<string, IndexFunction<T>>>;
  readonly #indexes = new Map<string, Index<T>>();

  constructor(indexers: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexers = indexers;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Objects under a value of an index, in the order in which they came there. */
  byIndex(index: string, value: string): readonly T[] {
    return [...this.eachByIndex(index, value)];
  }

  /** The same without a list of them, for those who are through with it before anything else happens. */
  eachByIndex(index: string, value: string): Iterable<T> {
    return (this.#indexes.get(index) ?? this.#made(index)).find(value) ?? [];
  }

  /** The object that it replaces. */
  put(object: T): T | undefined {
    const key = storeKeyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.change(key, old, object);
    return old;
  }

  /** The object that it removes. */
  remove(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.change(key, old, undefined);
    return old;
  }

  #made(name: string): Index<T> {
    const valuesOf = Object.hasOwn(this.#indexers, name) ? this.#indexers[name] : undefined;
    invariant(valuesOf !== undefined, 'only an index that there is can be asked', { index: name });
    const index = new Index(valuesOf);
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) index.change(key, undefined, object);
    return index;
  }
}

const NOWHERE: readonly string[] = [];

class Index<T extends ApiObject> {
  readonly #valuesOf: IndexFunction<T>;
  /** By value, then by key of the object. */
  readonly #found = new Map<string, Map<string, T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  find(value: string): Iterable<T> | undefined {
    return this.#found.get(value)?.values();
  }

  change(key: string, old: T | undefined, object: T | undefined): void {
    const values = object ? this.#valuesOf(object) : NOWHERE;
    if (old) for (const value of this.#valuesOf(old)) if (!values.includes(value)) this.#leave(value, key);
    if (object) for (const value of values) this.#enter(value, key, object);
  }

  #enter(value: string, key: string, object: T): void {
    const known = this.#found.get(value);
    if (known) known.set(key, object);
    else this.#found.set(value, new Map([[key, object]]));
  }

  #leave(value: string, key: string): void {
    const known = this.#found.get(value);
    known?.delete(key);
    if (known?.size === 0) this.#found.delete(value);
  }
}
