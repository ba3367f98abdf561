/** What an informer knows: the newest object of each key, with indexes. Synchronous, in order of keys' arrival. */
import type { ApiObject } from '../../api/object.ts';

/** Values under which an object is found in an index. */
export type IndexFunction<T extends ApiObject> = (object: T) => readonly string[];

/** `namespace/name`, or the name alone of an object without namespace. */
export function storeKeyOf({ metadata: { namespace, name = '' } }: ApiObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

export class ObjectStore<T extends ApiObject = ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, Index<T>>;

  constructor(indexers: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexes = new Map(Object.entries(indexers).map(([name, valuesOf]) => [name, new Index(valuesOf)]));
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

  /** Objects under a value of an index. */
  byIndex(index: string, value: string): readonly T[] {
    return [...(this.#indexes.get(index)?.find(value) ?? [])];
  }

  /** The object that it replaces. */
  put(object: T): T | undefined {
    const key = storeKeyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.change(old, object);
    return old;
  }

  /** The object that it removes. */
  remove(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.change(old, undefined);
    return old;
  }
}

class Index<T extends ApiObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #sets = new Map<string, Set<T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  find(value: string): Iterable<T> | undefined {
    return this.#sets.get(value);
  }

  change(old: T | undefined, object: T | undefined): void {
    for (const value of old ? this.#valuesOf(old) : []) {
      const set = this.#sets.get(value);
      if (old) set?.delete(old);
      if (set?.size === 0) this.#sets.delete(value);
    }
    for (const value of object ? this.#valuesOf(object) : []) {
      const set = this.#sets.get(value) ?? new Set<T>();
      if (object) set.add(object);
      this.#sets.set(value, set);
    }
  }
}
