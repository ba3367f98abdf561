import type { Revision, StoredEntry } from './storage.ts';

/** What a deletion leaves behind until it is compacted away. */
interface Tombstone {
  readonly modRevision: Revision;
  readonly value?: undefined;
}

type Version<V> = StoredEntry<V> | Tombstone;

const entryOf = <V>(version: Version<V>): StoredEntry<V> | undefined =>
  'key' in version ? version : undefined;

/** All readable versions of one key, oldest first; a deletion is a version too. */
export class KeyHistory<V> {
  readonly key: string;
  /** The present entry; undefined after a deletion. */
  current: StoredEntry<V> | undefined;
  /** Revision of the last put or deletion. */
  #lastRevision: Revision;
  /** Versions before the last one; most keys have none. */
  #older: Version<V>[] | undefined;

  constructor(entry: StoredEntry<V>) {
    this.key = entry.key;
    this.current = entry;
    this.#lastRevision = entry.modRevision;
  }

  put(entry: StoredEntry<V>): void {
    this.#retire();
    this.current = entry;
    this.#lastRevision = entry.modRevision;
  }

  delete(revision: Revision): void {
    this.#retire();
    this.current = undefined;
    this.#lastRevision = revision;
  }

  /** The entry as it was right after `revision`. */
  at(revision: Revision): StoredEntry<V> | undefined {
    if (this.#lastRevision <= revision) return this.current;
    const older = this.#older;
    if (!older) return undefined;
    for (let index = older.length - 1; index >= 0; index -= 1) {
      const version = older[index] as Version<V>;
      if (version.modRevision <= revision) return entryOf(version);
    }
    return undefined;
  }

  /** Forgets what nobody can read at or after `revision`. @returns whether anything is left */
  compact(revision: Revision): boolean {
    if (this.#lastRevision <= revision) {
      this.#older = undefined;
      return this.current !== undefined;
    }
    const older = this.#older ?? [];
    let readable = older.length - 1;
    while (readable > 0 && (older[readable] as Version<V>).modRevision > revision) readable -= 1;
    older.splice(0, readable);
    const oldest = older[0];
    if (oldest && oldest.modRevision <= revision && !entryOf(oldest)) older.shift();
    this.#older = older.length > 0 ? older : undefined;
    return true;
  }

  #retire(): void {
    (this.#older ??= []).push(this.current ?? { modRevision: this.#lastRevision });
  }
}
