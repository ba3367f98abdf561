import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mechanicalMutants } from './mechanical.ts';

const SOURCE = `import { a } from './a.ts';
/** Says a < b. */
class Counter {
  #count = 0;
  add(more: number): number {
    if (more === 0) return this.#count;
    this.#count += more;
    this.told();
    return this.#count;
  }
}
`;

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'mechanical-'));
  mkdirSync(join(root, 'room'));
  writeFileSync(join(root, 'room/counter.ts'), SOURCE);
  writeFileSync(join(root, 'room/counter.test.ts'), SOURCE);
});
afterAll(() => rmSync(root, { recursive: true }));

const drawn = (seed: number): readonly string[] =>
  mechanicalMutants(root, ['room'], { count: 100, seed }).map(({ name, about }) => `${name} ${about}`);

describe('small changes at drawn places', () => {
  it('are made where something is done, one to a line, and nowhere in tests', () => {
    const places = drawn(1).map((each) => each.split(' ')[0]);
    expect(places).toHaveLength(3);
    expect(new Set(places)).toEqual(new Set(['room/counter.ts:6', 'room/counter.ts:7', 'room/counter.ts:8']));
  });

  it('can be planted: their text is there once, and becomes another', () => {
    for (const { find, replace } of mechanicalMutants(root, ['room'], { count: 100, seed: 3 })) {
      expect(SOURCE.split(find)).toHaveLength(2);
      expect(replace).not.toBe(find);
    }
  });

  it('are the same for the same seed', () => {
    expect(drawn(5)).toEqual(drawn(5));
    expect(new Set([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => drawn(seed).join())).size).toBeGreaterThan(1);
  });
});
