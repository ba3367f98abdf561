import { KeyHistory } from './key-history.ts';
import { SortedMap } from './sorted-map.ts';
import type { RangeRequest, Revision, StoredEntry } from './storage.ts';

/** The history of every key: by name in constant time, and by prefix in bytewise order. */
export class KeyIndex<V> {
  readonly #byKey = new Map<string, KeyHistory<V>>();
  readonly #ordered = new SortedMap<KeyHistory<V>>();

  current(key: string): StoredEntry<V> | undefined {
    return this.#byKey.get(key)?.current;
  }

  at(key: string, revision: Revision): StoredEntry<V> | undefined {
    return this.#byKey.get(key)?.at(revision);
  }

  put(entry: StoredEntry<V>): void {
    const history = this.#byKey.get(entry.key);
    if (history) {
      history.put(entry);
      return;
    }
    const created = new KeyHistory(entry);
    this.#byKey.set(entry.key, created);
    this.#ordered.set(entry.key, created);
  }

  delete(key: string, revision: Revision): void {
    this.#byKey.get(key)?.delete(revision);
  }

  compact(key: string, revision: Revision): void {
    const history = this.#byKey.get(key);
    if (!history || history.compact(revision)) return;
    this.#byKey.delete(key);
    this.#ordered.delete(key);
  }

  /** Entries of a range now or at a revision, at most `limit`, and how many there are without the limit. */
  range({ prefix, startKey, limit = 0, revision }: RangeRequest): {
    entries: StoredEntry<V>[];
    count: number;
  } {
    const entries: StoredEntry<V>[] = [];
    let count = 0;
    this.#ordered.scan({ prefix, startKey }, (history) => {
      const entry = revision === undefined ? history.current : history.at(revision);
      if (!entry) return;
      count += 1;
      if (limit === 0 || count <= limit) entries.push(entry);
    });
    return { entries, count };
  }
}
