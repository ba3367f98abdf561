/** Lists and maps that an expression makes itself. Those of objects are in `schema/`. */
import { EvaluationEnded, spend } from './effort.ts';
import { equals } from './equality.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isError,
  isList,
  isMapValue,
  type ListValue,
  type MapValue,
  normalInt,
  type Result,
  Timestamp,
  Uint,
} from './value.ts';

export class ValueList implements ListValue {
  readonly kind = 'list';
  readonly items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  get(index: number): Result {
    return this.items[index] ?? null;
  }

  contains(value: CelValue): Result {
    spend(this.size);
    return this.items.some((item) => equals(value, item) === true);
  }

  equals(other: Result): Result {
    return isList(other) && areEqualLists(this, other);
  }

  plus(other: ListValue): Result {
    return joined(this, other);
  }
}

/** Up to here a sum is a list of its own. */
const MOST_COPIED = 10_000;

export function joined(left: ListValue, right: ListValue): Result {
  if (left.size === 0) return right;
  if (right.size === 0) return left;
  if (left.size + right.size > MOST_COPIED) return new JoinedList(left, right);
  const [before, after] = [itemsOf(left), itemsOf(right)];
  if (before instanceof CelError) return before;
  return after instanceof CelError ? after : new ValueList([...before, ...after]);
}

/** The sum of two lists, which is written out only where all of it is asked for. */
class JoinedList implements ListValue {
  readonly kind = 'list';
  readonly size: number;
  readonly #left: ListValue;
  readonly #right: ListValue;

  constructor(left: ListValue, right: ListValue) {
    this.size = left.size + right.size;
    this.#left = left;
    this.#right = right;
  }

  get(index: number): Result {
    let [list, at] = this.#partAt(index);
    while (list instanceof JoinedList) [list, at] = list.#partAt(at);
    return list.get(at);
  }

  #partAt(index: number): readonly [ListValue, number] {
    spend(1);
    const { size } = this.#left;
    return index < size ? [this.#left, index] : [this.#right, index - size];
  }

  contains(value: CelValue): Result {
    for (let index = 0; index < this.size; index++) {
      const item = this.get(index);
      if (!isError(item) && equals(value, item) === true) return true;
    }
    return false;
  }

  equals(other: Result): Result {
    return isList(other) && areEqualLists(this, other);
  }

  plus(other: ListValue): Result {
    return joined(this, other);
  }
}

export function areEqualLists(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) {
    spend(1);
    const [left, right] = [a.get(index), b.get(index)];
    if (!isError(left) && !isError(right) && equals(left, right) === false) return false;
  }
  return true;
}

/** All of a list; the first error if one is no value. */
export function itemsOf(list: ListValue): readonly CelValue[] | CelError {
  if (list instanceof ValueList) return list.items;
  spend(list.size);
  const items: CelValue[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.get(index);
    if (isError(item)) return item;
    items.push(item);
  }
  return items;
}

/** Bytes are no keys for the table that a real server makes of a map, or of a list of constants. */
export class UnhashableKey extends EvaluationEnded {
  override readonly message = 'internal error: runtime error: hash of unhashable type types.Bytes';
}

/**
 * What Go's map tells keys apart by: the value, or the very object where that is behind a pointer.
 * @throws UnhashableKey
 */
export function mapKeyOf(key: CelValue): string | object {
  if (key === null) return 'n';
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'number':
    case 'bigint':
      return `i${key}`;
    case 'boolean':
      return `b${key}`;
    default:
      if (key instanceof Uint) return `u${key.value}`;
      if (key instanceof Double) return `d${key.value}`;
      if (key instanceof Timestamp) return `t${key.seconds}.${key.nanos}`;
      if (key instanceof Duration) return `p${key.nanos}`;
      if (key instanceof Uint8Array) throw new UnhashableKey();
      return 'kind' in key && key.kind === 'type' ? `y${key.name}` : key;
  }
}

export class ValueMap implements MapValue {
  readonly kind = 'map';
  readonly #entries = new Map<string | object, readonly [CelValue, CelValue]>();

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    for (const entry of entries) this.#entries.set(mapKeyOf(entry[0]), entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  /** A number is found under the same number of another type. */
  find(key: CelValue): Result | undefined {
    for (const candidate of [key, ...sameNumbers(key)]) {
      const entry = this.#entries.get(mapKeyOf(candidate));
      if (entry) return entry[1];
    }
    return undefined;
  }

  equals(other: Result): Result {
    return isMapValue(other) && areEqualMaps(this, other);
  }
}

export function areEqualMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    spend(1);
    const [left, right] = [a.find(key), b.find(key)];
    if (right === undefined) return false;
    return left === undefined || isError(left) || isError(right) || equals(left, right) !== false;
  });
}

/** The same number as an int or uint. */
export function sameNumbers(key: CelValue): readonly CelValue[] {
  if (key instanceof Double) {
    if (!Number.isInteger(key.value) || Math.abs(key.value) >= 2 ** 63) return [];
    const whole = BigInt(key.value);
    return whole < 0n ? [normalInt(whole)] : [normalInt(whole), new Uint(whole)];
  }
  if (key instanceof Uint) return key.value < 2n ** 63n ? [normalInt(key.value)] : [];
  if (typeof key === 'number' || typeof key === 'bigint') return key >= 0 ? [new Uint(BigInt(key))] : [];
  return [];
}
