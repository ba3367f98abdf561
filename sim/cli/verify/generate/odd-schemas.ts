/** Lists, unions of types and defaults at the edge of what a structural schema may be: some of them are refused. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Random } from './random.ts';

type Draft = Record<string, Json>;

const some = (random: Random, percent: number, name: string, items: readonly Json[]): JsonObject =>
  random.chance(percent) ? { [name]: random.pick(items) } : {};

const ELEMENTS: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'integer' },
  { type: 'object', properties: { k: { type: 'string' } } },
  { type: 'object', properties: { k: { type: 'string', default: 'a' }, v: { type: 'integer' } } },
  { type: 'object', properties: { k: { type: 'string' }, j: { type: 'integer' } }, required: ['k', 'j'] },
  { type: 'object', additionalProperties: { type: 'string' } },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'array', items: { type: 'string' } },
  { 'x-kubernetes-int-or-string': true },
  {},
];

/** Its type, that of its elements and its keys are drawn each by itself. */
export function drawOddList(random: Random): Draft {
  const items: Json = random.chance(92)
    ? {
        ...random.pick(ELEMENTS),
        ...some(random, 12, 'nullable', [true]),
        ...some(random, 12, 'x-kubernetes-map-type', ['atomic', 'granular']),
        ...some(random, 8, 'x-kubernetes-list-type', ['atomic', 'set', 'map']),
        ...some(random, 8, 'maxLength', [3]),
      }
    : random.pick<Json>([false, true, [], [{ type: 'string' }], null, 'x']);
  return {
    ...some(random, 92, 'type', ['array', 'array', 'array', 'array', 'object', 'string']),
    items,
    ...some(random, 85, 'x-kubernetes-list-type', ['atomic', 'set', 'map', 'map', 'other']),
    ...some(random, 55, 'x-kubernetes-list-map-keys', [['k'], ['k'], ['k', 'j'], ['k', 'k'], [], ['none']]),
    ...some(random, 15, 'default', [
      [],
      [{ k: 'a' }],
      [{ k: 'a' }, { k: 'a' }],
      ['a', 'a'],
      ['a'],
      {},
      [{ v: 1 }],
    ]),
    ...some(random, 10, 'nullable', [true]),
    ...some(random, 8, 'maxItems', [2]),
    ...some(random, 5, 'uniqueItems', [true, false]),
  };
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** Texts that may be numbers, with the forms of `anyOf` that are allowed for them and others. */
export function drawOddUnion(random: Random): Draft {
  return {
    'x-kubernetes-int-or-string': true,
    ...some(random, 40, 'anyOf', [INT_OR_STRING, [...INT_OR_STRING].reverse(), [{ type: 'integer' }]]),
    ...some(random, 20, 'allOf', [
      [{ anyOf: INT_OR_STRING }],
      [{ minimum: 1 }],
      [{ anyOf: INT_OR_STRING }, { maximum: 5 }],
    ]),
    ...some(random, 12, 'type', ['string', 'integer', 'object']),
    ...some(random, 20, 'default', [1, 'a', null, 1.5, {}]),
    ...some(random, 12, 'pattern', ['^[0-9]+%$']),
    ...some(random, 12, 'maximum', [10]),
    ...some(random, 8, 'format', ['int32', 'date']),
    ...some(random, 8, 'nullable', [true]),
    ...some(random, 8, 'enum', [[1, 'a']]),
  };
}

const DEFAULTS: readonly Json[] = [
  {},
  { a: 1 },
  { a: 'x', b: null },
  { c: [] },
  null,
  { metadata: { name: 'x' } },
  [],
];

/** Objects whose defaults, unknown members and junctors meet. */
export function drawOddObject(random: Random, member: () => JsonObject): Draft {
  const properties: Draft = {};
  for (const name of ['a', 'b', 'c']) if (random.chance(60)) properties[name] = member();
  return {
    type: 'object',
    ...(random.chance(85) && { properties }),
    ...some(random, 30, 'default', DEFAULTS),
    ...some(random, 15, 'nullable', [true]),
    ...some(random, 20, 'required', [['a'], ['a', 'b'], ['none'], []]),
    ...some(random, 15, 'x-kubernetes-preserve-unknown-fields', [true, false]),
    ...some(random, 10, 'x-kubernetes-embedded-resource', [true]),
    ...some(random, 10, 'x-kubernetes-map-type', ['atomic', 'granular', 'other']),
    ...some(random, 10, 'additionalProperties', [
      true,
      false,
      { type: 'string', default: 'x' },
      { type: 'object' },
    ]),
    ...some(random, 10, 'not', [
      { required: ['b'] },
      { properties: { a: { enum: ['x'] } } },
      { type: 'object' },
    ]),
    ...some(random, 10, 'oneOf', [
      [{ required: ['a'] }, { required: ['b'] }],
      [{ properties: { a: { minLength: 1 } } }, { properties: { z: { minLength: 1 } } }],
      [{ properties: { a: { default: 1 } } }],
    ]),
    ...some(random, 8, 'enum', [[{}], [{ a: 1 }, null], []]),
  };
}
