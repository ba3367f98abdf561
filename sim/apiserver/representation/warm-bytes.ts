/**
 * Bytes that are kept with what they are the form of, as long as they are asked for: two generations share a budget,
 * and what nobody asked for while the younger one filled up is dropped with the older one.
 */
const DEFAULT_BUDGET_BYTES = 64 * 1024 * 1024;

export class WarmBytes<K extends object, V> {
  readonly #generationBytes: number;
  readonly #sizeOf: (value: V) => number;
  #young = new WeakMap<K, V>();
  #old = new WeakMap<K, V>();
  #youngBytes = 0;

  constructor(sizeOf: (value: V) => number, budgetBytes = DEFAULT_BUDGET_BYTES) {
    this.#sizeOf = sizeOf;
    this.#generationBytes = budgetBytes / 2;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.keep(key, old);
    return old;
  }

  keep(key: K, value: V): void {
    const bytes = this.#sizeOf(value);
    if (this.#youngBytes + bytes > this.#generationBytes) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#youngBytes = 0;
    }
    this.#young.set(key, value);
    this.#youngBytes += bytes;
  }
}

/** For bytes alone. */
export const lengthOf = (bytes: Uint8Array): number => bytes.length;
