/**
 * A sorted map beside a plain list, in any order of single changes and of many that come and go together, in order,
 * backwards or scattered: it has what was put and not deleted, in bytewise order, whole or from a key on or with a prefix.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../engine/any-order.arbitrary.ts';
import { SortedMap } from './sorted-map.ts';

interface Range {
  readonly prefix: string;
  readonly startKey?: string;
}

/** More than one run has room for, of a number that shares no factor with a step. */
const MANY = 1_500;
const STEPS = { 'in order': 1, backwards: MANY - 1, scattered: 617 } as const;

interface Many {
  readonly directory: string;
  readonly order: keyof typeof STEPS;
  readonly from: number;
  readonly count: number;
}

/** A character for each byte: in the order of these texts are the keys. */
const bytesOf = (key: string): string => Buffer.from(key).toString('latin1');

class World {
  readonly #map = new SortedMap<number>();
  /** By the bytes of its key. */
  readonly #expected = new Map<string, { readonly key: string; readonly value: number }>();
  #changes = 0;

  put(key: string): void {
    const value = (this.#changes += 1);
    this.#map.set(key, value);
    this.#expected.set(bytesOf(key), { key, value });
  }

  remove(key: string): void {
    expect(this.#map.delete(key), key).toBe(this.#expected.delete(bytesOf(key)));
  }

  each({ directory, order, from, count }: Many, change: (key: string) => void): void {
    for (let nth = 0; nth < count; nth++)
      change(`${directory}${String((from + nth * STEPS[order]) % MANY).padStart(4, '0')}`);
  }

  read(range: Range): void {
    this.#expectScan(range);
    const { startKey = range.prefix } = range;
    expect(this.#map.get(startKey)).toBe(this.#expected.get(bytesOf(startKey))?.value);
  }

  compare(): void {
    this.#expectScan({ prefix: '' });
    expect(this.#map.size).toBe(this.#expected.size);
  }

  /** As one text, which takes less time than one by one. */
  #expectScan(range: Range): void {
    const found: string[] = [];
    this.#map.scan(range, (value, key) => void found.push(`${key} ${value}`));
    const [prefix, from] = [bytesOf(range.prefix), bytesOf(range.startKey ?? '')];
    const wanted = [...this.#expected]
      .filter(([bytes]) => bytes.startsWith(prefix) && bytes >= from)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, value }]) => `${key} ${value}`);
    expect(found.join('\n')).toBe(wanted.join('\n'));
  }
}

const part = fc.constantFrom('a', 'b', '-', '/', '0', 'é', '\uffee', '\u{1f600}', '\u{10000}');
const odd = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
const directory = fc.constantFrom('a/', 'b/');
const numbered = fc
  .tuple(directory, fc.nat(MANY))
  .map(([of, number]) => `${of}${String(number).padStart(4, '0')}`);
const key = fc.oneof(odd, numbered);
const many = fc.record<Many>({
  directory,
  order: fc.constantFrom('in order', 'backwards', 'scattered'),
  from: fc.nat(MANY - 1),
  count: fc.constantFrom(60, 513, 700, MANY),
});
const act = actsOn<World>();

it('has what was put, in bytewise order, however it came', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('put', key, (world, of) => world.put(of)),
      act('remove', key, (world, of) => world.remove(of)),
      act('put many', many, (world, of) => world.each(of, (each) => world.put(each))),
      act('remove many', many, (world, of) => world.each(of, (each) => world.remove(each))),
      act(
        'read',
        fc.record<Range>(
          { prefix: fc.oneof(fc.constantFrom('', 'a/', 'b/', 'a/00', 'a'), odd), startKey: key },
          { requiredKeys: ['prefix'] },
        ),
        (world, range) => world.read(range),
      ),
    ],
    compare: (world) => world.compare(),
    most: 20,
    runs: 60,
    hasSomeOnly: true,
  });
});
