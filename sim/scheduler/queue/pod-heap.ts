/** Entries in order, the first of which can be taken at any time; others can be removed by key. */

interface Keyed {
  readonly key: string;
}

export class PodHeap<T extends Keyed> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #entries: T[] = [];
  readonly #places = new Map<string, number>();

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#entries[place];
  }

  peek(): T | undefined {
    return this.#entries[0];
  }

  /** An entry of the same key is replaced. */
  push(entry: T): void {
    this.remove(entry.key);
    this.#put(entry, this.#entries.length);
    this.#rise(this.#entries.length - 1);
  }

  pop(): T | undefined {
    const first = this.#entries[0];
    if (first) this.remove(first.key);
    return first;
  }

  remove(key: string): T | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const removed = this.#entries[place];
    this.#places.delete(key);
    const last = this.#entries.pop();
    if (last && last !== removed) {
      this.#put(last, place);
      this.#rise(place);
      this.#sink(place);
    }
    return removed;
  }

  #rise(from: number): void {
    for (let place = from; place > 0;) {
      const above = (place - 1) >> 1;
      if (!this.#swapIfBefore(place, above)) return;
      place = above;
    }
  }

  #sink(from: number): void {
    for (let place = from; ;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const [a, b] = [this.#entries[left], this.#entries[right]];
      if (!a) return;
      const child = b && this.#isBefore(b, a) ? right : left;
      if (!this.#swapIfBefore(child, place)) return;
      place = child;
    }
  }

  #swapIfBefore(below: number, above: number): boolean {
    const [a, b] = [this.#entries[below], this.#entries[above]];
    if (!a || !b || !this.#isBefore(a, b)) return false;
    this.#put(a, above);
    this.#put(b, below);
    return true;
  }

  #put(entry: T, place: number): void {
    this.#entries[place] = entry;
    this.#places.set(entry.key, place);
  }
}
