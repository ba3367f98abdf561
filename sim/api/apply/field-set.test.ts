import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { fieldSetOfFieldsV1, fieldsV1Of } from './fields-v1.ts';
import type { Json } from '../object.ts';
import type { ListSchema } from '../schema.ts';
import { elementOfItem, pathText } from './path-element.ts';
import { ANY } from './shape.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x","port":80}', 'v:"y"', 'v:1', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 6 });
const set = paths.map((list) => FieldSet.ofPaths(list));
const textOf = (one: FieldSet): string => JSON.stringify(fieldsV1Of(one));

describe('sets of field paths', () => {
  it('keep the laws of sets, path by path', () => {
    fc.assert(
      fc.property(set, set, path, (a, b, one) => {
        expect(a.union(b).has(one)).toBe(a.has(one) || b.has(one));
        expect(a.intersection(b).has(one)).toBe(a.has(one) && b.has(one));
        expect(a.difference(b).has(one)).toBe(a.has(one) && !b.has(one));
        const isBelow = one.some((_, at) => b.has(one.slice(0, at + 1)));
        expect(a.recursiveDifference(b).has(one)).toBe(a.has(one) && !isBelow);
      }),
    );
  });

  it('are equal if they have the same paths, and say so in equal JSON', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(textOf(a.union(b))).toBe(textOf(b.union(a)));
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(FieldSet.ofPaths(a.paths()).equals(a)).toBe(true);
      }),
    );
  });

  it('survive a round trip through fieldsV1', () => {
    fc.assert(
      fc.property(set, (one) => {
        const back = fieldSetOfFieldsV1(JSON.parse(textOf(one)));
        expect(back?.equals(one)).toBe(true);
      }),
    );
  });

  it('give back themselves where nothing changes', () => {
    const a = FieldSet.ofPaths([['f:a', 'f:b'], ['f:c']]);
    expect(a.union(FieldSet.ofPaths([['f:c']]))).toBe(a);
    expect(a.difference(FieldSet.ofPaths([['f:a']]))).toBe(a);
  });

  it('list leaves before deeper paths, members before elements', () => {
    const a = FieldSet.ofPaths([['v:"x"'], ['f:a', 'f:b'], ['f:z'], ['k:{"port":443}'], ['k:{"port":80}']]);
    expect(a.paths().map(pathText)).toEqual(['.z', '[port=80]', '[port=443]', '[="x"]', '.a.b']);
  });

  it('write keys of elements in canonical text', () => {
    const read = fieldSetOfFieldsV1({ 'k:{"port": 80, "name":"x"}': { '.': {} }, 'z:later': {} });
    expect(read && textOf(read)).toBe('{"k:{\\"name\\":\\"x\\",\\"port\\":80}":{}}');
    expect(fieldSetOfFieldsV1({ nocolon: {} })).toBeUndefined();
  });
});

it('an element of a set may be a number of more than 53 bits', () => {
  const numbers: ListSchema = {
    kind: 'list',
    items: ANY,
    listType: 'set',
    listMapKeys: [],
  } as unknown as ListSchema;
  expect(elementOfItem(numbers, 9007199254740993n as unknown as Json)).toBe('v:9007199254740993');
});
