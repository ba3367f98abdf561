/**
 * The bytes of whole lists, kept as long as nothing of the resource is written: clients that list
 * again and again (and a fleet of them that starts at once) then cost no encoding. Only the list's
 * own version differs between two answers, and it stands before the items. Bounded in lists and bytes.
 */
const MAX_LISTS = 8;
const MAX_BYTES = 64 * 1024 * 1024;

interface KeptList {
  /** Revision of the last write to the resource that the list shows. */
  readonly writtenAt: number;
  /** Everything behind the list's metadata. */
  readonly tail: Uint8Array;
}

export class KeptLists {
  readonly #lists = new Map<string, KeptList>();
  #bytes = 0;

  /** `form` says which list and in which version and view. */
  get(form: string, writtenAt: number): Uint8Array | undefined {
    const kept = this.#lists.get(form);
    if (!kept) return undefined;
    this.#lists.delete(form);
    if (kept.writtenAt !== writtenAt) {
      this.#bytes -= kept.tail.length;
      return undefined;
    }
    // Last used, last dropped.
    this.#lists.set(form, kept);
    return kept.tail;
  }

  keep(form: string, writtenAt: number, tail: Uint8Array): void {
    if (tail.length > MAX_BYTES) return;
    this.#lists.set(form, { writtenAt, tail });
    this.#bytes += tail.length;
    for (const [oldest, { tail: old }] of this.#lists) {
      if (this.#lists.size <= MAX_LISTS && this.#bytes <= MAX_BYTES) return;
      this.#lists.delete(oldest);
      this.#bytes -= old.length;
    }
  }
}
