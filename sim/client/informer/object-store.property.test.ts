/** The store of an informer and its indexes against a plain list that is looked through, in any order of acts. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { ObjectStore, storeKeyOf } from './object-store.ts';

const VALUES = ['x', 'y'] as const;
const modesOf = ({ metadata }: ApiObject): readonly string[] =>
  VALUES.filter((value) => metadata.labels?.[value] !== undefined);

class Pair {
  #known: readonly ApiObject[] = [];
  /** Of each value: in the order in which they came under it. */
  readonly #under: Record<string, readonly string[]> = { x: [], y: [] };
  readonly #store = new ObjectStore<ApiObject>({ mode: modesOf });

  put(object: ApiObject): void {
    const key = storeKeyOf(object);
    const old = this.#find(key);
    expect(this.#store.put(object)).toBe(old);
    this.#known = old ? this.#known.map((each) => (each === old ? object : each)) : [...this.#known, object];
    this.#file(key, modesOf(object));
  }

  remove(key: string): void {
    const old = this.#find(key);
    expect(this.#store.remove(key)).toBe(old);
    this.#known = this.#known.filter((each) => each !== old);
    this.#file(key, []);
  }

  ask(value: string): void {
    const found = this.#store.byIndex('mode', value);
    expect(found.map(storeKeyOf).toSorted()).toEqual(this.#under[value]?.toSorted());
    for (const object of found) expect(object).toBe(this.#find(storeKeyOf(object)));
  }

  compare(): void {
    expect(this.#store.list()).toEqual(this.#known);
    expect(this.#store.keys()).toEqual(this.#known.map(storeKeyOf));
    expect(this.#store.size).toBe(this.#known.length);
    for (const object of this.#known) expect(this.#store.get(storeKeyOf(object))).toBe(object);
  }

  #find(key: string): ApiObject | undefined {
    return this.#known.find((each) => storeKeyOf(each) === key);
  }

  #file(key: string, values: readonly string[]): void {
    for (const value of VALUES) {
      const before = this.#under[value] ?? [];
      if (!values.includes(value)) this.#under[value] = before.filter((each) => each !== key);
      else if (!before.includes(key)) this.#under[value] = [...before, key];
    }
  }
}

const name = fc.constantFrom('a', 'b', 'c');
const object = fc
  .record({ name, labels: fc.subarray([...VALUES]) })
  .map(({ name: of, labels }): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: of,
      namespace: 'default',
      labels: Object.fromEntries(labels.map((label) => [label, ''])),
    },
  }));

const act = actsOn<Pair>();

it('holds the newest of each key and finds it under its values of now, and nowhere else', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('put', object, (pair, of) => pair.put(of)),
      act('remove', name, (pair, of) => pair.remove(`default/${of}`)),
      act('ask', fc.constantFrom(...VALUES), (pair, value) => pair.ask(value)),
    ],
    compare: (pair) => pair.compare(),
    end: (pair) => VALUES.forEach((value) => pair.ask(value)),
    most: 25,
    runs: 200,
  });
});
