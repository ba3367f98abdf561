import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { PLANTED_LISTS, plantedBugs, plantedIn } from './planted-bugs.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

/** Where a text has to be for a bug to be planted is changed by whoever changes the file. */
describe('planted bugs', () => {
  it.each(PLANTED_LISTS)('of %s can all be planted, each in one place', (list) => {
    const misplaced = plantedIn(list).filter(
      ({ file, find, replace }) => textOf(file).split(find).length !== 2 || replace === find,
    );
    expect(misplaced.map(({ name }) => name)).toEqual([]);
  });

  it.each(PLANTED_LISTS)('of %s leave code that can be read', (list) => {
    const unreadable = plantedIn(list).filter(({ file, find, replace }) => {
      try {
        return !parseAst(
          textOf(file).replace(find, () => replace),
          { lang: 'ts' },
        );
      } catch {
        return true;
      }
    });
    expect(unreadable.map(({ name }) => name)).toEqual([]);
  });

  it('have names of their own', () => {
    const names = plantedBugs().map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('are each another', () => {
    const bugs = plantedBugs();
    const changes = bugs.map(({ file, find, replace, caughtBy }) =>
      JSON.stringify([file, find, replace, caughtBy]).replaceAll(/(\s|\\n)+/g, ' '),
    );
    expect(bugs.filter((_, at) => changes.indexOf(changes[at] ?? '') !== at).map(({ name }) => name)).toEqual(
      [],
    );
  });
});
