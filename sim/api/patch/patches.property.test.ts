import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Json, JsonObject } from '../object.ts';
import { applyMergePatchText, mergeValues } from './merge-patch.ts';

/** Own members only, `__proto__` among them. */
const sortedText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedText(member)}`).join(',')}}`;
};

const applyMergePatch = (document: Json, patch: Json): Json =>
  JSON.parse(applyMergePatchText(JSON.stringify(document), JSON.stringify(patch))) as Json;

// Lists of plain values: nulls of objects in lists are kept or dropped by where the list is put.
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.string(),
    fc.array(fc.integer()),
    fc.dictionary(fc.string(), tie('tree')),
  ),
}));

const object: fc.Arbitrary<JsonObject> = fc.dictionary(fc.string(), tree);

it('a merge patch does the same to values as to texts', () => {
  const anything = fc.dictionary(
    fc.constantFrom('a', 'b', '__proto__', 'constructor'),
    fc.jsonValue({ maxDepth: 4 }),
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(anything, anything, (value, patch) => {
      const [document, change] = [JSON.stringify(value), JSON.stringify(patch)];
      const merged = mergeValues(JSON.parse(document) as JsonObject, JSON.parse(change) as JsonObject);
      expect(sortedText(merged)).toBe(sortedText(applyMergePatch(value, patch)));
    }),
    asOftenAs(1_000),
  );
});

it('a merge patch applied twice is applied once, and the empty patch changes nothing', () => {
  fc.assert(
    fc.property(object, object, (value, patch) => {
      const once = applyMergePatch(value, patch);
      expect(applyMergePatch(once, patch)).toEqual(once);
      expect(applyMergePatch(value, {})).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    asOftenAs(100),
  );
});
