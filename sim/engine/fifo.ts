/** A first-in-first-out queue that is mostly short, rarely allocates while it stays so, and lets nothing pile up. */

/** What a queue holds that never held anything; nobody writes to it. */
const NOTHING: never[] = [];

export class Fifo<T> {
  #items: (T | undefined)[] = NOTHING;
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
    // A list that begins with one item has room for one: most queues never hold more.
    if (this.#items === NOTHING) this.#items = [item];
    else this.#items[this.#tail] = item;
    this.#tail++;
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
    if (index >= 0) this.take(index - this.#head);
  }

  /** Takes out the one with that index. */
  take(index: number): T | undefined {
    if (index >= this.size) return undefined;
    const [item] = this.#items.splice(this.#head + index, 1);
    this.#tail--;
    return item;
  }

  /** A copy of what is held, from an index on. */
  from(index: number): T[] {
    return this.#items.slice(this.#head + index, this.#tail) as T[];
  }

  clear(): void {
    this.#items = NOTHING;
    this.#head = this.#tail = 0;
  }

  /** Empties the queue and returns what it held. */
  drain(): T[] {
    if (this.#head === this.#tail) return [];
    const items = this.#head === 0 && this.#items.length === this.#tail ? (this.#items as T[]) : this.from(0);
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
