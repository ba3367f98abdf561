import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { fieldSetOfFieldsV1, fieldsV1Of } from './fields-v1.ts';
import type { Json } from '../object.ts';
import type { ListSchema } from '../schema.ts';
import { elementOfItem, pathText } from './path-element.ts';
import { ANY } from './shape.ts';

const textOf = (one: FieldSet): string => JSON.stringify(fieldsV1Of(one));

describe('sets of field paths', () => {
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
