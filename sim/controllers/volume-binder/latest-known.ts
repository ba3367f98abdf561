/**
 * The newest state of each object that the binder knows, be it heard of or written by itself: without the latter it
 * would see its own half-done bindings late and do them again. An object that was heard of and is older than what is
 * known is not worth a look.
 */
import type { ApiObject } from '../../api/object.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';

export class LatestKnown<T extends ApiObject> {
  readonly #objects = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Whether it is as new as what is known; only then it is taken. */
  take(object: T): boolean {
    const key = storeKeyOf(object);
    const known = this.#objects.get(key);
    if (known && revisionOf(known) > revisionOf(object)) return false;
    this.#objects.set(key, object);
    return true;
  }

  /** It is gone; what it was. */
  drop(key: string): T | undefined {
    const known = this.#objects.get(key);
    this.#objects.delete(key);
    return known;
  }
}

/** Real binders read the order off the text as well. */
const revisionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion ?? 0);
