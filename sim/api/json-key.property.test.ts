import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../engine/any-order.arbitrary.ts';
import { isEqualJson } from '../apiserver/verbs/equal-json.ts';
import { jsonKey } from './json-key.ts';

it('values have one key just if they are equal', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(jsonKey(a) === jsonKey(b)).toBe(isEqualJson(a, b));
      expect(jsonKey(structuredClone(a))).toBe(jsonKey(a));
    }),
    asOftenAs(100),
  );
  expect(jsonKey({ a: 1, b: [null, 'x'] })).toBe(jsonKey({ b: [null, 'x'], a: 1 }));
  expect(jsonKey(['a,b'])).not.toBe(jsonKey(['a', 'b']));
  expect(jsonKey([2n ** 60n])).toBe('[1152921504606846976]');
});
