/** A first-in-first-out queue that is mostly short, never allocates while it stays so, and lets nothing pile up. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get size(): number {
    return this.#tail - this.#head;
  }

  /** The oldest has index 0. */
  at(index: number): T | undefined {
    return index < this.size ? this.#items[this.#head + index] : undefined;
  }

  push(item: T): void {
    this.#items[this.#tail++] = item;
  }

  /** Undefined when empty. */
  shift(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#tail) this.#head = this.#tail = 0;
    else if (this.#head >= COMPACTION && this.#head * 2 >= this.#tail) this.#compact();
    return item;
  }

  /** Takes the first such item out, if there is one. */
  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#head);
    if (index < 0 || index >= this.#tail) return;
    this.#items.splice(index, 1);
    this.#tail--;
  }

  /** A copy of what is held, from an index on. */
  from(index: number): T[] {
    return this.#items.slice(this.#head + index, this.#tail) as T[];
  }

  clear(): void {
    this.#items = [];
    this.#head = this.#tail = 0;
  }

  /** Empties the queue and returns what it held. */
  drain(): T[] {
    const items = this.from(0);
    this.clear();
    return items;
  }

  #compact(): void {
    this.#items = this.from(0);
    this.#tail -= this.#head;
    this.#head = 0;
  }
}

const COMPACTION = 1024;
