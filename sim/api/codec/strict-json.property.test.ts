import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { encodeJson } from './encode.ts';
import { parseNodes, plainValue } from './json-nodes.ts';
import { parseJson } from './strict-json.ts';

it('texts of JSON are read alike by both readers', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const { value } = parseJson(text);
      expect(encodeJson(plainValue(parseNodes(text)))).toBe(encodeJson(value));
      expect(JSON.parse(encodeJson(value))).toEqual(JSON.parse(text));
    }),
    asOftenAs(100),
  );
});
