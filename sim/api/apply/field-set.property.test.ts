import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOfFieldsV1, fieldsV1Of } from './fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x","port":80}', 'v:"y"', 'v:1', 'i:0');

const path = fc.array(element, { minLength: 1, maxLength: 3 });

const paths = fc.array(path, { maxLength: 6 });

const set = paths.map((list) => FieldSet.ofPaths(list));

const textOf = (one: FieldSet): string => JSON.stringify(fieldsV1Of(one));

it('sets of field paths keep the laws of sets, path by path', () => {
  fc.assert(
    fc.property(set, set, path, (a, b, one) => {
      expect(a.union(b).has(one)).toBe(a.has(one) || b.has(one));
      expect(a.intersection(b).has(one)).toBe(a.has(one) && b.has(one));
      expect(a.difference(b).has(one)).toBe(a.has(one) && !b.has(one));
      const isBelow = one.some((_, at) => b.has(one.slice(0, at + 1)));
      expect(a.recursiveDifference(b).has(one)).toBe(a.has(one) && !isBelow);
    }),
    asOftenAs(100),
  );
});

it('sets are equal if they have the same paths, and say so in equal JSON', () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      expect(a.union(b).equals(b.union(a))).toBe(true);
      expect(textOf(a.union(b))).toBe(textOf(b.union(a)));
      expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
      expect(FieldSet.ofPaths(a.paths()).equals(a)).toBe(true);
    }),
    asOftenAs(100),
  );
});

it('sets survive a round trip through fieldsV1', () => {
  fc.assert(
    fc.property(set, (one) => {
      const back = fieldSetOfFieldsV1(JSON.parse(textOf(one)));
      expect(back?.equals(one)).toBe(true);
    }),
    asOftenAs(100),
  );
});
