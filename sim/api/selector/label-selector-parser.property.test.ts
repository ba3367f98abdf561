import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { parseLabelSelector } from './label-selector-parser.ts';

it('the text of a label selector is canonical: parsing it again gives the same selector', () => {
  const key = fc.constantFrom('a', 'example.com/b', 'in');
  const value = fc.constantFrom('', 'x', 'y1', 'notin');
  const term = fc.oneof(
    key,
    key.map((k) => `!${k}`),
    fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
    fc
      .tuple(key, fc.constantFrom('in', 'notin'), fc.array(fc.constantFrom('x', 'y1', 'notin')))
      .map(([k, o, v]) => `${k} ${o} (${v.join(',')})`),
  );
  fc.assert(
    fc.property(fc.array(term), (terms) => {
      const { text } = parseLabelSelector(terms.join(','));
      expect(parseLabelSelector(text).text).toBe(text);
    }),
    asOftenAs(100),
  );
});
