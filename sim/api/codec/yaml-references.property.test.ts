/** Maps of YAML that are merged, aliases of keys and of values, and keys of any length, beside plain assignment. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { yamlToJson } from './yaml.ts';

const ANCHORS = ['p', 'q', 'r'] as const;
const map = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 9 }), { maxKeys: 3 });
/** Several maps at once: the first of them counts. */
const merges = fc.uniqueArray(fc.constantFrom(...ANCHORS), { minLength: 1, maxLength: 3 });
const member = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.integer({ min: 10, max: 19 }),
});

it('what is merged is as if it had been written there, what comes first of several before the others', () => {
  fc.assert(
    fc.property(
      fc.tuple(map, map, map),
      merges,
      fc.uniqueArray(member, { selector: ({ key }) => key, maxLength: 3 }),
      (maps, merged, own) => {
        const all = Object.fromEntries(ANCHORS.map((name, at) => [name, { ...maps[at] }]));
        const aliases = merged.map((name) => `*${name}`);
        const text = [
          ...ANCHORS.map((name) => `${name}: &${name} ${JSON.stringify(all[name])}`),
          'whole:',
          `  <<: ${aliases.length > 1 ? `[${aliases.join(', ')}]` : aliases.join()}`,
          ...own.map(({ key, value }) => `  ${key}: ${value}`),
          'last: *r',
          '',
        ].join('\n');
        const whole = Object.assign({}, ...merged.toReversed().map((name) => all[name])) as Record<
          string,
          unknown
        >;
        for (const { key, value } of own) whole[key] = value;
        expect(yamlToJson(text).value).toEqual({ ...all, whole, last: all['r'] });
      },
    ),
    asOftenAs(150),
  );
});

it('a key can be referred to, and is known by a colon that comes soon', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('name', 'true', '5'),
      fc.constantFrom(1, 900, 1_023, 1_024, 1_025, 1_500),
      (word, length) => {
        expect(yamlToJson(`&k ${word}: 1\nsame: *k\n`).value).toEqual({
          [word]: 1,
          same: word === 'true' ? true : word === '5' ? 5 : word,
        });
        const key = 'k'.repeat(length);
        const read = (): unknown => yamlToJson(`${key}: 1\n`).value;
        if (length > 1_024) expect(read).toThrow('yaml: ');
        else expect(read()).toEqual({ [key]: 1 });
      },
    ),
    asOftenAs(40),
  );
});
