import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Planted } from './planting.ts';

interface Mutant extends Planted {
  readonly name: string;
}

const ROOT = resolve(import.meta.dirname, '../../..');
const LISTS = resolve(ROOT, 'model/mutants');
const textOf = (path: string): string => readFileSync(path, 'utf8');
const lists = readdirSync(LISTS).filter((name) => name.endsWith('.yaml'));
const listed = (list: string): readonly Mutant[] => parse(textOf(resolve(LISTS, list))) as readonly Mutant[];

/** Where a text has to be for a bug to be planted is changed by whoever changes the file. */
describe('planted bugs', () => {
  it.each(lists)('of %s can all be planted, each in one place', (list) => {
    const misplaced = listed(list).filter(
      ({ file, find, replace }) => textOf(resolve(ROOT, file)).split(find).length !== 2 || replace === find,
    );
    expect(misplaced.map(({ name }) => name)).toEqual([]);
  });

  it('have names of their own', () => {
    const names = lists.flatMap(listed).map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});
