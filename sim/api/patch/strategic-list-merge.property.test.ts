/** The usual case of lists under a strategic merge patch against the general one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Json, JsonObject } from '../object.ts';
import {
  isOrderedAs,
  mergeInPlace,
  type MutableMap,
  mergeWithoutOrder,
  orderMerged,
  splitSpecialElements,
} from './strategic-list-merge.ts';

const KEY = 'type';
const key = fc.constantFrom<Json>('a', 'b', 'c', 'd', 1, null);
const element = fc.record(
  { [KEY]: key, status: fc.constantFrom('x', 'y'), $patch: fc.constantFrom('delete', 'replace') },
  { requiredKeys: [] },
);
/** Mostly with a key of its own, and without a directive. */
const usual = fc.record(
  { [KEY]: fc.constantFrom('a', 'b', 'c', 'd'), status: fc.constantFrom('x', 'y') },
  { requiredKeys: [KEY] },
);
const list = fc.oneof(
  fc.uniqueArray(usual, { maxLength: 4, selector: (one) => one[KEY] }),
  fc.array(element, { maxLength: 3 }),
) as fc.Arbitrary<readonly JsonObject[]>;

const merged = (one: JsonObject, change: MutableMap): JsonObject => ({ ...one, ...change });
const unknown = (): Error => new Error('unknown directive');

function generally(original: readonly JsonObject[], patch: readonly MutableMap[]): readonly Json[] {
  const { kept, changes } = splitSpecialElements(original, patch, KEY, unknown);
  return orderMerged(mergeWithoutOrder(kept, changes, KEY, merged), changes, kept, KEY);
}

it('what is merged in place is what would have come of the general way', () => {
  let inPlace = 0;
  fc.assert(
    fc.property(list, list, (original, patch) => {
      const found = mergeInPlace(original, patch as readonly MutableMap[], KEY, merged);
      if (!found) return;
      if (patch.length > 0 && original.length > 1) inPlace++;
      expect(found).toEqual(generally(original, patch as readonly MutableMap[]));
    }),
    asOftenAs(5_000, 1),
  );
  expect(inPlace).toBeGreaterThan(200);
});

it('what is ordered as it should be stays as it is', () => {
  let ordered = 0;
  fc.assert(
    fc.property(list, list, list, fc.boolean(), (contents, drawn, original, isSame) => {
      const order = isSame ? contents.map((one) => ({ [KEY]: one[KEY] ?? '' })) : drawn;
      if (!isOrderedAs(contents, { order, original }, KEY)) return;
      if (contents.length > 1) ordered++;
      expect(orderMerged(contents, order, original, KEY)).toEqual(contents);
    }),
    asOftenAs(5_000, 1),
  );
  expect(ordered).toBeGreaterThan(200);
});
