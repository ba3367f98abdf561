/** What only the text of a document tells, beside plain reckoning: large numbers, members that come twice; and bytes that are not there. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { atOnce } from '../steps.ts';
import { storedForm } from './canonical.ts';
import { decodeJson } from './decode.ts';
import { encodeJson } from './encode.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf.ts';
import { hugeNumberOf, parseJson } from './strict-json.ts';

const { types } = RELEASE_1_31.catalog;

/** Whole numbers of so many digits, also such as no double holds. */
const digits = fc
  .tuple(fc.integer({ min: 1, max: 18 }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.boolean())
  .map(([count, number, isNegative]) => {
    const text = BigInt(String(number).padStart(18, '9').slice(0, count)).toString();
    return isNegative && text !== '0' ? `-${text}` : text;
  });

describe('a number', () => {
  it('of any length is read as it stands, whether its type is known or not', () => {
    fc.assert(
      fc.property(fc.array(digits, { minLength: 1, maxLength: 4 }), (numbers) => {
        const text = `{"a":[${numbers.join(',')}]}`;
        expect(encodeJson(parseJson(text).value)).toBe(text);
        const revision = `{"metadata":{"name":"r","creationTimestamp":null},"data":null,"revision":${numbers[0]}}`;
        const { object } = atOnce(decodeJson(types.structOf('apps/v1.ControllerRevision'), revision, true));
        expect(encodeJson(object)).toBe(revision);
      }),
      asOftenAs(300),
    );
  });

  it('that no double holds is found, and no other', () => {
    const number = fc
      .tuple(
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('e', 'E'),
        fc.constantFrom('', '+', '-'),
        fc.integer({ min: 300, max: 400 }),
      )
      .map((parts) => parts.join(''));
    const places = fc.constantFrom(
      (text: string) => `{"a": ${text}}`,
      (text: string) => `[1, ${text}]`,
      (text: string) => `["1e999",${text}]`,
    );
    fc.assert(
      fc.property(number, places, (text, placed) => {
        expect(hugeNumberOf(placed(text))).toBe(Number.isFinite(Number(text)) ? undefined : text);
      }),
      asOftenAs(200),
    );
  });
});

const container = fc.record(
  {
    name: fc.constantFrom('a', 'b'),
    image: fc.constantFrom('x', 'y'),
    tty: fc.boolean(),
    args: fc.array(fc.constantFrom('1', '2'), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const containers = fc.array(container, { maxLength: 3 });

it('members that come twice are read one into the other, lists place by place', () => {
  fc.assert(
    fc.property(
      containers,
      containers,
      fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2')),
      (first, second, more) => {
        const schema = types.structOf('v1.Pod');
        const read = (text: string): string => encodeJson(atOnce(decodeJson(schema, text, false)).object);
        const twice =
          `{"metadata":{"name":"p","labels":{"k":"0"}},"metadata":{"labels":${JSON.stringify(more)}},` +
          `"spec":{"containers":${JSON.stringify(first)},"containers":${JSON.stringify(second)}}}`;
        const merged = second.map((each, at) => ({ ...first[at], ...each }));
        const once = { metadata: { name: 'p', labels: { k: '0', ...more } }, spec: { containers: merged } };
        expect(read(twice)).toBe(read(JSON.stringify(once)));
      },
    ),
    asOftenAs(200),
  );
});

it('bytes that are not there come back from storage as those of nothing', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(null, '', 'YQ=='));
  fc.assert(
    fc.property(data, (drawn) => {
      const schema = types.structOf('v1.Secret');
      const { object } = atOnce(
        decodeJson(schema, JSON.stringify({ metadata: { name: 's' }, data: drawn }), false),
      );
      const stored = storedForm(schema, object);
      expect(encodeJson(decodeProtobuf(schema, encodeProtobuf(schema, object)))).toBe(encodeJson(stored));
    }),
    asOftenAs(60),
  );
});

it('items of a schema that are an empty list are told from none', () => {
  const items = fc.constantFrom<unknown>(null, [], {}, [{}], [{ type: 'string' }], { type: 'string' });
  fc.assert(
    fc.property(items, (drawn) => {
      const schema = types.structOf('apiextensions.k8s.io/v1.JSONSchemaProps');
      const text = JSON.stringify({ type: 'array', items: drawn });
      expect(atOnce(decodeJson(schema, text, false)).object['items']).toEqual(drawn ?? undefined);
    }),
    asOftenAs(20),
  );
});
