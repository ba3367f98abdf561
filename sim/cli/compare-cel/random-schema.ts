/** A random schema with the members that random expressions speak of, and random objects that fit it. */
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { Draws } from './draws.ts';

type Props = Record<string, JSONSchemaProps>;
type Items = NonNullable<JSONSchemaProps['items']>;

const TEXTS = [
  ...['', 'a', 'ab', 'Hello, Wörld', '10.0.0.1', '500m', 'x y', 'é😀', '12', 'a,b', 'foo', '10.0.0.0/8'],
  ...[
    '2020-01-02',
    'my-name',
    'My_Name',
    '::1',
    'https://h/p?x=1',
    '1h',
    'true',
    '-7',
    '1.5',
    '%s',
    '(',
    '[a-z]+',
  ],
] as const;
const ENUM = ['A', 'BB', 'CCC'] as const;

/** The type of `spec`. */
export function randomSchema(draws: Draws): JSONSchemaProps {
  const isBounded = !draws.isOnceIn(3);
  const bound = (name: 'maxLength' | 'maxItems' | 'maxProperties', most: readonly number[]): object =>
    isBounded || draws.isOnceIn(2) ? { [name]: draws.pick(most) } : {};
  const text = (): JSONSchemaProps => ({ type: 'string', ...bound('maxLength', [20, 30, 64, 253]) });
  const integer = (): JSONSchemaProps => ({
    type: 'integer',
    ...(draws.isOnceIn(3) && { format: draws.pick(['int32', 'int64']) ?? '' }),
  });
  const list = (items: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
    type: 'array',
    ...bound('maxItems', [5, 10, 100]),
    items: items as Items,
    ...more,
  });
  const properties: Props = {
    i: integer(),
    j: integer(),
    d: { type: 'number', ...(draws.isOnceIn(3) && { format: 'double' }) },
    s: text(),
    t: text(),
    b: { type: 'boolean' },
    li: list(integer()),
    ls: list(text(), draws.isOnceIn(2) ? { 'x-kubernetes-list-type': 'set' } : {}),
    lo: list(
      { type: 'object', required: ['n'], properties: { n: text(), v: integer() } },
      draws.isOnceIn(3) ? {} : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] },
    ),
    m: { type: 'object', ...bound('maxProperties', [5, 50]), additionalProperties: integer() as Items },
    texts: { type: 'object', ...bound('maxProperties', [5, 50]), additionalProperties: text() as Items },
    o: {
      type: 'object',
      properties: { p: integer(), q: text(), gone: integer() },
      ...(draws.isOnceIn(4) && { 'x-kubernetes-preserve-unknown-fields': true }),
    },
    ts: { type: 'string', format: 'date-time' },
    du: { type: 'string', format: 'duration' },
    by: { type: 'string', format: 'byte', ...bound('maxLength', [20, 40]) },
    ios: { 'x-kubernetes-int-or-string': true, ...bound('maxLength', [10]) },
    nul: { ...text(), nullable: true },
    e: { type: 'string', enum: [...ENUM] },
    'x-dash': integer(),
    in: integer(),
    namespace: text(),
    gone: text(),
  };
  if (!draws.isOnceIn(6)) properties['u'] = { type: 'string', format: 'date' };
  return {
    type: 'object',
    properties,
    ...(draws.isOnceIn(5) && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

/** A value of `spec` for every schema. */
export function randomSpec(draws: Draws): Readonly<Record<string, unknown>> {
  const text = (): string => (draws.pick(TEXTS) ?? '').slice(0, 20);
  const integer = (): number => draws.pick([0, 1, 2, 3, 7, -3, 42, 2147483647]) ?? 0;
  const many = <T>(make: (index: number) => T): T[] =>
    Array.from({ length: draws.below(4) }, (_none, index) => make(index));
  const whole: Record<string, unknown> = {
    i: integer(),
    j: integer(),
    d: draws.pick([0, 1.5, 2.5, -2, 3]),
    s: text(),
    t: text(),
    b: draws.isOnceIn(2),
    li: many(integer),
    ls: [...new Set(many(text))],
    lo: many((index) => ({ n: `k${index}`, ...(!draws.isOnceIn(3) && { v: integer() }) })),
    m: Object.fromEntries(many((index) => [['k', 'l', 'a'][index] ?? '', integer()])),
    texts: Object.fromEntries(many((index) => [['k', 'l', 'a'][index] ?? '', text()])),
    o: { p: integer(), q: text() },
    ts: draws.pick(['2024-02-29T12:34:56.789Z', '2021-06-07T08:09:10.5+02:00']),
    u: '2020-02-03',
    du: draws.pick(['1h30m', '30s', '1m']),
    by: draws.pick(['aGVsbG8=', 'YWI=', 'AA==']),
    ios: draws.pick([1, '80%', 'a']),
    nul: draws.isOnceIn(4) ? null : text(),
    e: draws.pick(ENUM),
    'x-dash': 9,
    in: 3,
    namespace: 'n',
  };
  for (const name of Object.keys(whole)) if (draws.isOnceIn(12)) delete whole[name];
  return whole;
}
