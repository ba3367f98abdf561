/** JSON Patch against an independent implementation: what that one finds different, ours makes equal. */
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Json } from '../object.ts';
import { applyJsonPatch } from './json-patch.ts';

const document = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme-ascii' }),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: true }),
  { maxKeys: 5 },
);

describe('JSON Patch', () => {
  it('does what another implementation meant', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        const before = JSON.parse(JSON.stringify(from)) as Json & object;
        const after = JSON.parse(JSON.stringify(to)) as Json & object;
        const patch = fastJsonPatch.compare(before, after, true) as unknown as Json;
        expect(applyJsonPatch(before, patch)).toEqual(after);
      }),
      asOftenAs(500, 1),
    );
  });
});
