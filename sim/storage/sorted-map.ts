/**
 * A map that keeps its keys in bytewise (UTF-8) order: what a range over a prefix walks. Sorted runs of
 * bounded length in one outer list, so an insertion moves at most one run and a scan walks plain arrays.
 * Knows nothing of revisions.
 */

const LONGEST_RUN = 512;

interface Run<V> {
  readonly keys: string[];
  readonly values: V[];
}

export class SortedMap<V> {
  readonly #runs: Run<V>[] = [];
  #isBefore = isBeforeByCodeUnit;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const run = this.#runs[this.#runOf(key)];
    if (!run) return undefined;
    const at = this.#lowerBound(run.keys, key);
    return run.keys[at] === key ? run.values[at] : undefined;
  }

  set(key: string, value: V): void {
    this.#learnOrder(key);
    const position = this.#runOf(key);
    const run = this.#runs[position];
    if (!run) {
      this.#runs.push({ keys: [key], values: [value] });
      this.#size += 1;
      return;
    }
    const at = this.#lowerBound(run.keys, key);
    if (run.keys[at] === key) {
      run.values[at] = value;
      return;
    }
    insert(run.keys, at, key);
    insert(run.values, at, value);
    this.#size += 1;
    if (run.keys.length > LONGEST_RUN) this.#split(position, run, at);
  }

  delete(key: string): boolean {
    const position = this.#runOf(key);
    const run = this.#runs[position];
    if (!run) return false;
    const at = this.#lowerBound(run.keys, key);
    if (run.keys[at] !== key) return false;
    run.keys.splice(at, 1);
    run.values.splice(at, 1);
    this.#size -= 1;
    if (run.keys.length === 0) this.#runs.splice(position, 1);
    return true;
  }

  /**
   * Visits the values of all keys with `prefix` that are not below `startKey`, in order, until `visit` answers false.
   * `visit` must not change the map.
   */
  scan(
    { prefix, startKey = prefix }: { readonly prefix: string; readonly startKey?: string | undefined },
    visit: (value: V, key: string) => boolean | void,
  ): void {
    this.#learnOrder(prefix);
    this.#learnOrder(startKey);
    const from = this.#isBefore(startKey, prefix) ? prefix : startKey;
    let position = this.#runOf(from);
    let run = this.#runs[position];
    let at = run ? this.#lowerBound(run.keys, from) : 0;
    while (run) {
      const { keys, values } = run;
      // In order, so if the last key has the prefix, all of them do.
      const isWholly = (keys[keys.length - 1] as string).startsWith(prefix);
      for (; at < keys.length; at += 1) {
        const key = keys[at] as string;
        if (!isWholly && !key.startsWith(prefix)) return;
        if (visit(values[at] as V, key) === false) return;
      }
      position += 1;
      run = this.#runs[position];
      at = 0;
    }
  }

  /** Code units and bytes order alike until the first surrogate pair shows up; only then is the slower order needed. */
  #learnOrder(key: string): void {
    if (this.#isBefore === isBeforeByCodeUnit && SURROGATE.test(key)) this.#isBefore = isBeforeBytewise;
  }

  /** The last run that starts at or before the key (the first run for a key before all). */
  #runOf(key: string): number {
    let low = 0;
    let high = this.#runs.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(key, (this.#runs[middle] as Run<V>).keys[0] as string)) high = middle;
      else low = middle;
    }
    return low;
  }

  #lowerBound(keys: readonly string[], key: string): number {
    let low = 0;
    let high = keys.length;
    // Keys often arrive in order (generated names, revisions in fixtures): then the end is the place.
    if (high > 0 && this.#isBefore(keys[high - 1] as string, key)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(keys[middle] as string, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #split(position: number, run: Run<V>, at: number): void {
    // A run that grew at its end goes on growing there: leave it full rather than half empty.
    const cut = at === run.keys.length - 1 ? at : run.keys.length >>> 1;
    this.#runs.splice(position + 1, 0, { keys: run.keys.splice(cut), values: run.values.splice(cut) });
  }
}

function insert<T>(list: T[], at: number, item: T): void {
  if (at === list.length) list.push(item);
  else list.splice(at, 0, item);
}

const SURROGATE = /[\ud800-\udfff]/;

const isBeforeByCodeUnit = (a: string, b: string): boolean => a < b;

/** Order of the UTF-8 bytes, which is the order of code points. */
function isBeforeBytewise(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) {
      const leftIsPair = isSurrogate(left);
      return leftIsPair === isSurrogate(right) ? left < right : !leftIsPair;
    }
  }
  return a.length < b.length;
}

const isSurrogate = (codeUnit: number): boolean => codeUnit >= 0xd800 && codeUnit <= 0xdfff;
