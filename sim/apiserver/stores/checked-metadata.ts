import type { ObjectMeta } from '../../api/object.ts';

/** Beyond so many keys it begins anew. */
const CAPACITY = 16_384;

/** In which metadata of stored objects the rules, those of the kind included, have found nothing wrong. */
export class CheckedMetadata {
  readonly #byKey = new Map<string, ObjectMeta>();

  /** Whether it is this very metadata. */
  has(key: string, metadata: ObjectMeta): boolean {
    return this.#byKey.get(key) === metadata;
  }

  add(key: string, metadata: ObjectMeta): void {
    if (this.#byKey.size >= CAPACITY) this.#byKey.clear();
    this.#byKey.set(key, metadata);
  }
}
