/** First in, first out, in constant time; what was taken is dropped half at a time, so nothing piles up. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  /** The oldest has index 0. */
  at(index: number): T | undefined {
    return this.#items[this.#taken + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#taken];
    this.#taken += 1;
    if (this.#taken * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  /** A copy of what is held, from an index on. */
  from(index: number): T[] {
    return this.#items.slice(this.#taken + index);
  }

  clear(): void {
    this.#items = [];
    this.#taken = 0;
  }
}
