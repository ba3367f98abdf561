/** Values that a schema declares, as expressions see them: sets, lists with keys, members that are null, texts with a format. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { compile } from '../compile.ts';
import { environmentWith } from '../environment.ts';
import { shown } from '../values/text.ts';
import { declare, fieldsIn } from './declare.ts';
import { schemaValue } from './json-values.ts';

const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } } as const;
const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } },
} as const;
const plain = { type: 'array', items: { type: 'integer' } } as const;
const schema = {
  type: 'object',
  properties: {
    ...{ set, keyed, plain },
    empty: { type: 'string', nullable: true },
    at: { type: 'string', format: 'date-time' },
  },
} as const;

const declared = declare(schema, 'selfType1', false);
if (!declared) throw new Error('the schema is declared');
const environment = environmentWith(
  new Map([
    ['self', declared.type],
    ['oldSelf', declared.type],
  ]),
  { fieldsOf: fieldsIn(declared) },
);

interface Values {
  readonly self: object;
  readonly oldSelf: object;
}

function said(expression: string, { self, oldSelf }: Values): string {
  const compiled = compile(expression, environment);
  if (compiled.kind === 'failure') return compiled.message;
  return shown(
    compiled.program.run((name) => schemaValue(name === 'self' ? self : oldSelf, schema), 1_000_000).result,
  );
}

const agree = (values: Values, expected: Readonly<Record<string, unknown>>): void =>
  expect(Object.fromEntries(Object.keys(expected).map((text) => [text, said(text, values)]))).toEqual(
    Object.fromEntries(Object.entries(expected).map(([text, value]) => [text, String(value)])),
  );

const number = fc.integer({ min: 0, max: 4 });
const numbersOnce = fc.uniqueArray(number, { maxLength: 5 });

it('sets are equal in any order, and add up without repetition', () => {
  fc.assert(
    fc.property(numbersOnce, numbersOnce, fc.array(number), fc.array(number), (a, b, c, d) => {
      const isSame = a.length === b.length && a.every((each) => b.includes(each));
      agree(
        { self: { set: a, plain: c }, oldSelf: { set: b, plain: d } },
        {
          'self.set == oldSelf.set': isSame,
          'size(self.set + oldSelf.set)': new Set([...a, ...b]).size,
          'self.set + oldSelf.set == oldSelf.set + self.set': true,
          'self.set + self.set == self.set': true,
          'self.plain == oldSelf.plain': c.join() === d.join(),
          'size(self.plain + oldSelf.plain)': c.length + d.length,
        },
      );
    }),
    asOftenAs(80),
  );
});

const items = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), size: number }), {
  selector: ({ name }) => name,
  maxLength: 3,
});

it('what is added to a list with keys stands in for what has its key, at its place', () => {
  fc.assert(
    fc.property(items, items, (a, b) => {
      const of = (name: string) => b.find((each) => each.name === name);
      const sum = [
        ...a.map((each) => of(each.name) ?? each),
        ...b.filter(({ name }) => !a.some((own) => own.name === name)),
      ];
      const isSame = a.length === b.length && a.every(({ name, size }) => of(name)?.size === size);
      agree(
        { self: { keyed: a }, oldSelf: { keyed: b } },
        {
          'self.keyed == oldSelf.keyed': isSame,
          '(self.keyed + oldSelf.keyed).map(x, x.name + string(x.size)).join()': sum
            .map(({ name, size }) => `${name}${size}`)
            .join(''),
        },
      );
    }),
    asOftenAs(80),
  );
});

it('a member that is null is not there', () => {
  fc.assert(
    fc.property(fc.constantFrom<object>({}, { empty: null }, { empty: '' }, { empty: 'x' }), (self) => {
      const isThere = 'empty' in self && self.empty !== null;
      agree({ self, oldSelf: {} }, { 'has(self.empty)': isThere, 'self.?empty.hasValue()': isThere });
    }),
    asOftenAs(8),
  );
});

it('times are read as the format has them, leap seconds too', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.constantFrom('T', 't', ' '), (second, between) => {
      const at = `2016-12-31${between}23:59:${String(second).padStart(2, '0')}z`;
      agree({ self: { at }, oldSelf: {} }, { 'self.at.getSeconds()': Math.min(second, 59) });
    }),
    asOftenAs(40),
  );
});
