/**
 * What an expression may cost, beside what it costs with any value that its schema lets through, and beside what its parts may
 * cost: of a choice one branch counts, of "and" and "or" the second side perhaps, of a loop each turn. Left out is what cel-go
 * estimates lower than it is: `startsWith` by the prefix, where the whole text is counted.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { compile, type Program } from '../compile.ts';
import { environmentWith } from '../environment.ts';
import { declare, fieldsIn, sizesIn } from '../schema/declare.ts';
import { schemaValue } from '../schema/json-values.ts';
import type { Range } from './range.ts';

const LIMIT = 1_000_000;
const MOST = { name: 12, tags: 4, tag: 6 };
const schema = {
  type: 'object',
  properties: {
    flag: { type: 'boolean' },
    count: { type: 'integer' },
    name: { type: 'string', maxLength: MOST.name },
    tags: { type: 'array', maxItems: MOST.tags, items: { type: 'string', maxLength: MOST.tag } },
  },
} as const;
const declared = declare(schema, 'selfType1', false);
if (!declared) throw new Error('the schema is declared');
const sizes = sizesIn(declared);
const environment = environmentWith(new Map([['self', declared.type]]), { fieldsOf: fieldsIn(declared) });

function programOf(text: string): Program {
  const compiled = compile(text, environment);
  if (compiled.kind === 'failure') throw new Error(`${text}: ${compiled.message}`);
  return compiled.program;
}

const priceOf = (text: string): Range => programOf(text).estimate(sizes);

const word = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', ','), maxLength: most });
const literal = word(5).map((text) => JSON.stringify(text));
const object = fc.record({
  flag: fc.boolean(),
  count: fc.integer({ min: -2, max: 5 }),
  name: word(MOST.name),
  tags: fc.array(word(MOST.tag), { maxLength: MOST.tags }),
});

const { truth } = fc.letrec<{ truth: string; text: string }>((tie) => {
  const [truth, text] = [tie('truth'), tie('text')];
  const joined = (
    format: (a: string, b: string) => string,
    a: fc.Arbitrary<string>,
    b: fc.Arbitrary<string>,
  ) => fc.tuple(a, b).map(([one, other]) => format(one, other));
  return {
    truth: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('self.flag', 'true', '(self.count < 3)', 'has(self.name)', 'self.tags.isSorted()'),
      joined((a, b) => `(${a} || ${b})`, truth, truth),
      joined((a, b) => `(${a} && ${b})`, truth, truth),
      truth.map((a) => `(!${a})`),
      joined((a, b) => `(${a} == ${b})`, text, text),
      joined((a, b) => `${a}.contains(${b})`, text, literal),
      text.map((a) => `(${a} in self.tags)`),
      truth.map((a) => `self.tags.all(t, (t.size() > 2) || ${a})`),
      joined((a, b) => `self.tags.exists(t, t == ${a} && ${b})`, text, truth),
    ),
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant('self.name'),
      literal,
      joined((a, b) => `(${a} + ${b})`, text, text),
      text.map((a) => `${a}.upperAscii()`),
      joined((a, b) => `${a}.replace(${b}, "xy")`, text, literal),
      fc.tuple(truth, text, text).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    ),
  };
});

it('are no less than any value costs', () => {
  fc.assert(
    fc.property(truth, object, (expression, value) => {
      const program = programOf(expression);
      const { max } = program.estimate(sizes);
      const { cost } = program.run(() => schemaValue(value, schema), LIMIT);
      expect(cost, expression).toBeLessThanOrEqual(max);
    }),
    asOftenAs(300),
  );
});

it('are made of those of the parts', () => {
  fc.assert(
    fc.property(truth, truth, truth, (asked, one, other) => {
      const [condition, a, b] = [priceOf(asked), priceOf(one), priceOf(other)];
      expect(priceOf(`(${asked}) ? (${one}) : (${other})`)).toEqual({
        min: condition.min + Math.min(a.min, b.min),
        max: condition.max + Math.max(a.max, b.max),
      });
      for (const operator of ['||', '&&'])
        expect(priceOf(`(${one}) ${operator} (${other})`)).toEqual({ min: a.min, max: a.max + b.max });
    }),
    asOftenAs(100),
  );
});

it('count each turn of a loop over parts, of which there are no more than were asked for', () => {
  fc.assert(
    fc.property(truth, fc.integer({ min: 2, max: 9 }), (body, parts) => {
      const most = (count: number): number => priceOf(`self.name.split(",", ${count}).all(t, ${body})`).max;
      const each = most(1) - most(0);
      expect(each).toBeGreaterThan(0);
      expect(most(parts)).toBe(most(0) + parts * each);
    }),
    asOftenAs(100),
  );
});
