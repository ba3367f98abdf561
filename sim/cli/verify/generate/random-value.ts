/** Values of custom resources: any JSON, and such as a schema asks for. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Random } from './random.ts';

/** Members that schemas declare; one needs quotes in a path. */
export const NAMES = ['a', 'b', 'c', 'dE', 'x-y'] as const;
/** What one format, pattern or length takes and another does not. */
export const TEXTS = (
  ',a,abc,A1,a b,10,50%,1.5,é,true,2020-01-01,2020-01-01T00:00:00Z,1h,10.0.0.1,10.0.0.0/8,aGk=,a@b.c,' +
  'x'.repeat(40)
).split(',');
const NUMBERS = [0, 1, -1, 2, 3, 5, 10, 100, 1.5, 2147483648, 4294967296, 9007199254740992, 1e21];

type Draft = Record<string, Json>;

/** Any JSON. */
export function anyValue(random: Random, depth: number): Json {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return null;
    case 1:
      return random.pick(TEXTS);
    case 2:
      return random.chance(50);
    case 3:
    case 4:
      return random.pick(NUMBERS);
    case 5:
      return Array.from({ length: random.below(3) }, () => anyValue(random, depth - 1));
    default:
      return Object.fromEntries(
        NAMES.filter(() => random.chance(30)).map((name) => [name, anyValue(random, depth - 1)]),
      );
  }
}

/** A value for the schema; `faults` is the chance at each level that it is anything else, in percent. */
export function drawValue(schema: JsonObject, random: Random, faults: number): Json {
  if (random.chance(faults)) return anyValue(random, 2);
  const choices = schema['enum'];
  if (Array.isArray(choices) && choices.length > 0 && random.chance(80))
    return random.pick(choices as readonly Json[]);
  switch (schema['type']) {
    case 'object':
      return objectValue(schema, random, faults);
    case 'array':
      return Array.from({ length: random.below(4) }, () =>
        drawValue(memberOf(schema, 'items'), random, faults),
      );
    case 'string':
      return random.pick(TEXTS);
    case 'boolean':
      return random.chance(50);
    case 'integer':
      return random.pick(NUMBERS.filter(Number.isInteger));
    case 'number':
      return random.pick(NUMBERS);
    default:
      return anyValue(random, 2);
  }
}

function objectValue(schema: JsonObject, random: Random, faults: number): JsonObject {
  const properties = memberOf(schema, 'properties');
  const value: Draft = {};
  for (const name of Object.keys(properties))
    if (random.chance(75)) value[name] = drawValue(memberOf(properties, name), random, faults);
  const additional = memberOf(schema, 'additionalProperties');
  if (schema['additionalProperties'] !== undefined)
    for (const name of NAMES) if (random.chance(30)) value[name] = drawValue(additional, random, faults);
  if (random.chance(faults)) value[random.pick([...NAMES, 'unknown'])] = anyValue(random, 1);
  if (schema['x-kubernetes-embedded-resource'] === true && random.chance(85))
    Object.assign(value, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: random.pick<Json>([{ name: 'x' }, {}, { name: 'X_', a: 1 }]),
    });
  return value;
}

function memberOf(schema: JsonObject, name: string): JsonObject {
  const member = schema[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member)
    ? (member as JsonObject)
    : {};
}
