/**
 * Structural schemas of custom resources and values for them. Most schemas are accepted and most values are valid; a
 * fault is any keyword with any value where it does not belong.
 */
import type { Json, JsonObject } from '../../../api/object.ts';
import { drawRule } from './drawn-rules.ts';
import { drawOddList, drawOddObject, drawOddUnion } from './odd-schemas.ts';
import type { Random } from './random.ts';
import { anyValue, drawValue, NAMES, TEXTS } from './random-value.ts';

const TYPES = ['string', 'string', 'integer', 'number', 'boolean', 'object', 'array'] as const;
const FORMATS = (
  'date date-time byte duration uuid ipv4 cidr email hostname uri mac datetime int32 int64 ' +
  'double password bsonobjectid creditcard hexcolor nothing'
).split(' ');
const PATTERNS = ['^a', '^[a-z]*$', '[0-9]{1,3}', 'b|c', '(', '\\d+'];
const KEYWORDS = (
  'type format title description default maximum exclusiveMaximum minimum maxLength ' +
  'minLength pattern maxItems minItems uniqueItems multipleOf enum maxProperties required ' +
  'items allOf oneOf anyOf not properties additionalProperties patternProperties nullable ' +
  'dependencies additionalItems definitions externalDocs example $ref $schema id ' +
  'minProperties x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource ' +
  'x-kubernetes-int-or-string x-kubernetes-list-type x-kubernetes-list-map-keys ' +
  'x-kubernetes-map-type x-kubernetes-validations'
).split(' ');
type Draft = Record<string, Json>;

/** A schema of any type; `faults` is the chance of a fault at each level, in percent. */
export function drawSchema(random: Random, depth: number, faults: number): JsonObject {
  const dice = random.below(100);
  const isOdd = random.chance(faults * 2);
  const schema = isOdd
    ? odd(random, depth, faults)
    : dice < 88
      ? typed(random, depth, faults)
      : unusual(random, dice);
  if (random.chance(10)) schema['nullable'] = true;
  if (random.chance(12)) schema['x-kubernetes-validations'] = drawRules(schema, random, faults);
  if (random.chance(10)) addJunctor(schema, random, faults);
  if (random.chance(15)) schema['default'] = drawValue(schema, random, faults);
  if (random.chance(faults)) {
    const keyword = random.pick(KEYWORDS);
    schema[keyword] = faultOf(keyword, random);
  }
  return schema;
}

/** An object whose members are drawn. */
export function drawObjectSchema(random: Random, depth: number, faults: number): Draft {
  const schema: Draft = { type: 'object' };
  const dice = random.below(100);
  if (dice < 15) schema['additionalProperties'] = drawSchema(random, depth - 1, faults);
  else if (dice < 88) addProperties(schema, random, depth, faults);
  if (dice > 80 && random.chance(60)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  if (random.chance(8)) schema['minProperties'] = random.below(3);
  if (random.chance(8)) schema['maxProperties'] = random.below(4);
  if (random.chance(8)) schema['x-kubernetes-map-type'] = random.pick(['atomic', 'granular']);
  return schema;
}

function addProperties(schema: Draft, random: Random, depth: number, faults: number): void {
  const names = NAMES.filter(() => random.chance(50));
  schema['properties'] = Object.fromEntries(
    names.map((name) => [name, drawSchema(random, depth - 1, faults)]),
  );
  if (names.length > 0 && random.chance(30)) schema['required'] = [random.pick(names)];
}

function odd(random: Random, depth: number, faults: number): Draft {
  const dice = random.below(10);
  if (dice < 5) return drawOddList(random);
  if (dice < 7) return drawOddUnion(random);
  return drawOddObject(random, () => drawSchema(random, Math.max(0, depth - 1), faults));
}

const drawRules = (schema: JsonObject, random: Random, faults: number): readonly Json[] =>
  Array.from({ length: random.chance(25) ? 2 : 1 }, () => drawRule(schema, random, faults));

function unusual(random: Random, dice: number): Draft {
  if (dice < 92) return { 'x-kubernetes-int-or-string': true };
  if (dice < 96) return { 'x-kubernetes-preserve-unknown-fields': true };
  return {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    ...(random.chance(70)
      ? { 'x-kubernetes-preserve-unknown-fields': true }
      : { properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } }),
  };
}

function typed(random: Random, depth: number, faults: number): Draft {
  const type = depth > 0 ? random.pick(TYPES) : random.pick(TYPES.slice(0, 5));
  if (type === 'object') return drawObjectSchema(random, depth, faults);
  if (type === 'array') return listSchema(random, depth, faults);
  const schema: Draft = { type };
  if (type !== 'boolean') Object.assign(schema, boundsOf(type, random));
  if (type !== 'boolean' && random.chance(12))
    schema['enum'] = type === 'string' ? ['a', 'abc', random.pick(TEXTS)] : [1, 2, 10];
  return schema;
}

function boundsOf(type: 'string' | 'integer' | 'number', random: Random): JsonObject {
  if (type === 'string')
    return {
      ...(random.chance(20) && { minLength: random.below(4) }),
      ...(random.chance(20) && { maxLength: 1 + random.below(12) }),
      ...(random.chance(15) && { pattern: random.pick(PATTERNS) }),
      ...(random.chance(25) && { format: random.pick(FORMATS) }),
    };
  const minimum = random.chance(20);
  const maximum = random.chance(20);
  return {
    ...(minimum && { minimum: random.pick([0, 1, -1]) }),
    ...(minimum && random.chance(30) && { exclusiveMinimum: true }),
    ...(maximum && { maximum: random.pick([2, 10, 100]) }),
    ...(maximum && random.chance(30) && { exclusiveMaximum: true }),
    ...(random.chance(15) && {
      multipleOf: type === 'number' ? random.pick([0.5, 2, 0.1]) : random.pick([2, 5]),
    }),
    ...(random.chance(10) && { format: random.pick(['int32', 'int64', 'double', 'float']) }),
  };
}

function listSchema(random: Random, depth: number, faults: number): Draft {
  const bounds: JsonObject = {
    ...(random.chance(20) && { minItems: random.below(3) }),
    ...(random.chance(20) && { maxItems: random.below(5) }),
  };
  const dice = random.below(100);
  if (dice < 20)
    return {
      type: 'array',
      ...bounds,
      'x-kubernetes-list-type': 'set',
      items: { type: random.pick(['string', 'integer']) },
    };
  if (dice < 40) {
    const key: Draft = { type: random.pick(['string', 'integer', 'boolean']) };
    if (random.chance(20)) key['default'] = drawValue(key, random, faults);
    const properties = { k: key, v: drawSchema(random, depth - 2, faults) };
    const required = key['default'] === undefined || random.chance(faults) ? { required: ['k'] } : {};
    const items = { type: 'object', ...required, properties };
    return {
      type: 'array',
      ...bounds,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items,
    };
  }
  const kind = random.chance(15) ? { 'x-kubernetes-list-type': 'atomic' } : {};
  return { type: 'array', ...bounds, ...kind, items: drawSchema(random, depth - 1, faults) };
}

function addJunctor(schema: Draft, random: Random, faults: number): void {
  const part = (): JsonObject => {
    if (random.chance(faults)) return drawSchema(random, 0, 0);
    if (schema['type'] === 'string') return { [random.pick(['minLength', 'maxLength'])]: random.below(4) };
    if (schema['type'] === 'object')
      return { [random.pick(['minProperties', 'maxProperties'])]: random.below(3) };
    if (schema['type'] === 'array') return { [random.pick(['minItems', 'maxItems'])]: random.below(3) };
    return { [random.pick(['minimum', 'maximum'])]: random.below(3) };
  };
  const keyword = random.pick(['allOf', 'anyOf', 'oneOf', 'not']);
  schema[keyword] = keyword === 'not' ? part() : [part(), part()];
}

const faultOf = (keyword: string, random: Random): Json =>
  keyword === 'not' || keyword === 'items' || keyword === 'additionalProperties' || random.chance(10)
    ? random.pick<Json>([{}, { type: 'string' }, true, false])
    : keyword.endsWith('Of')
      ? [drawSchema(random, 0, 0)]
      : keyword === 'type'
        ? random.pick<Json>(['', 'any', 'null', 'int', 'object', 'array', 'string'])
        : keyword === 'x-kubernetes-validations'
          ? [drawRule({}, random, 50)]
          : anyValue(random, 1);
