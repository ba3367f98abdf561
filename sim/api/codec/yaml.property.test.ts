import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { encodeYaml } from './encode-yaml.ts';
import { yamlToJson } from './yaml.ts';

const WORDS = 'word word word word word word word word word word word word word word word word word word';

it('values are written as YAML and read back unchanged', () => {
  const strings = fc
    .string({ unit: 'grapheme', maxLength: 120 })
    .filter((text) => !/[\u0085\u2028\u2029]/.test(text));
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      strings,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('yes', '0x1', '1e3', '- a', 'a: b', `${WORDS}: ${WORDS}`, `x\n${WORDS}\n`, "'", '<<'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom('a', 'y', '1', 'x/y', 'k'.repeat(200)), strings), tie('value'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).value;
  fc.assert(
    fc.property(values, (value) => {
      expect(yamlToJson(encodeYaml(value)).value).toEqual(value);
    }),
    asOftenAs(200),
  );
});
