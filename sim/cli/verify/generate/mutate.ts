/**
 * Changes of an object that its type allows to think of: members set to plausible and to bad values, left out, null, of
 * another type, doubled, unknown.
 */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { FieldSchema, ScalarSchema, Schema, StructSchema } from '../../../api/schema.ts';
import type { Random } from './random.ts';

const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'a.b',
    'a_b',
    'a b',
    'a/b',
    'a/b/c',
    'a-',
    '-a',
    '1',
    '1a',
    'é',
    '*',
    '.',
    '..',
    '../x',
    '/x',
  ],
  ...[
    'example.com/a',
    'kubernetes.io/a',
    'x'.repeat(64),
    'x'.repeat(254),
    '10.0.0.1',
    '::1',
    '10.0.0.0/8',
    '300.1.1.1',
  ],
  ...[
    '50%',
    '101%',
    '-1%',
    '1.5%',
    '1h',
    'TCP',
    'udp',
    'Always',
    'Never',
    'Exists',
    'In',
    'Equal',
    'NoExecute',
  ],
  ...[
    'Retain',
    'Delete',
    'Localhost',
    'ClusterIP',
    'None',
    'metadata.name',
    'limits.cpu',
    'http://a',
    'a\nb',
    '$(A)',
  ],
];
const NUMBERS = [
  0, 1, -1, 2, 3, 10, 80, 100, 101, 255, 256, 600, 1000, 30000, 65535, 65536, 100000, 2147483647, -2147483648,
];
const QUANTITIES = [
  '0',
  '1',
  '-1',
  '500m',
  '1.5',
  '0.1',
  '1Gi',
  '100Mi',
  '1e3',
  '1k',
  '100u',
  'a',
  '',
  '10Ei',
];
const TIMES = ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123456Z', '', 'a', '2024-13-01T00:00:00Z'];
const BYTES = ['YQ==', '', 'a', 'YWI='];
const DURATIONS = ['1s', '1h0m0s', '', 'a', '-1s'];
const MAP_KEYS = [
  'a',
  'A',
  'a b',
  'example.com/a',
  '',
  'cpu',
  'memory',
  'pods',
  'storage',
  'nvidia.com/gpu',
  'x'.repeat(64),
];
const MAX_DEPTH = 9;

type Draft = Record<string, unknown>;

/** Changes the object in place, once. */
export function mutate(object: JsonObject, schema: Schema, random: Random): void {
  let [value, shape]: [unknown, Schema] = [object, schema];
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (shape.kind === 'list' && Array.isArray(value) && value.length > 0 && random.chance(75)) {
      [value, shape] = [random.pick(value as unknown[]), shape.items];
      continue;
    }
    if (shape.kind !== 'struct' || !isDraft(value)) break;
    const owner: Draft = value;
    const field = fieldOf(owner, shape.fields, random);
    if (!field) return;
    const inner = owner[field.name];
    const isDeep = typeof inner === 'object' && inner !== null && random.chance(80);
    if (!isDeep) return change(owner, field, random);
    [value, shape] = [inner, field.schema];
  }
  if (Array.isArray(value) && shape.kind === 'list') changeList(value as unknown[], shape.items, random);
  else if (isDraft(value) && shape.kind === 'map') changeMap(value, shape.values, random);
}

const SYSTEM: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'status', 'managedFields']);

/** Members that are there are found more often than those that are not. */
function fieldOf(owner: Draft, fields: readonly FieldSchema[], random: Random): FieldSchema | undefined {
  const usable = fields.filter(({ name }) => !SYSTEM.has(name));
  const present = usable.filter(({ name }) => owner[name] !== undefined);
  if (present.length > 0 && random.chance(55)) return random.pick(present);
  return usable.length > 0 ? random.pick(usable) : undefined;
}

function change(owner: Draft, { name, schema, enum: words }: FieldSchema, random: Random): void {
  const dice = random.below(100);
  if (dice < 8) delete owner[name];
  else if (dice < 12) owner[name] = null;
  else if (dice < 15) owner[name] = random.pick<unknown>([true, 7, 'text', [], {}, ['a'], { a: 'b' }]);
  else if (dice < 17) owner[`${name}Unknown`] = 'x';
  else if (words && words.length > 0 && random.chance(60)) owner[name] = random.pick(words);
  else owner[name] = valueOf(schema, random, 0);
}

function changeList(list: unknown[], items: Schema, random: Random): void {
  if (list.length > 0 && random.chance(40)) list.push(structuredClone(random.pick(list)));
  else if (list.length > 0 && random.chance(20)) list.pop();
  else list.push(valueOf(items, random, 0));
}

function changeMap(map: Draft, values: Schema, random: Random): void {
  map[random.pick(MAP_KEYS)] = valueOf(values, random, 0);
}

/** A value of the shape, right or wrong. */
function valueOf(schema: Schema, random: Random, depth: number): Json {
  switch (schema.kind) {
    case 'scalar':
      return scalarOf(schema, random);
    case 'list':
      return Array.from({ length: random.below(3) }, () => valueOf(schema.items, random, depth + 1));
    case 'map':
      return Object.fromEntries(
        Array.from({ length: random.below(3) }, () => [
          random.pick(MAP_KEYS),
          valueOf(schema.values, random, depth + 1),
        ]),
      ) as Json;
    case 'struct':
      return structOf(schema.fields, random, depth);
    case 'opaque':
      return { a: 1 };
  }
}

function structOf(fields: readonly FieldSchema[], random: Random, depth: number): Json {
  if (depth > 3) return {};
  const share = depth === 0 ? 45 : 30;
  const chosen = fields.filter(
    ({ name, required }) => !SYSTEM.has(name) && (required ? random.chance(85) : random.chance(share)),
  );
  const limited = chosen.slice(0, 6);
  return Object.fromEntries(
    limited.map(({ name, schema, enum: words }) => [
      name,
      words && words.length > 0 && random.chance(80)
        ? random.pick(words)
        : valueOf(schema, random, depth + 1),
    ]),
  ) as Json;
}

function scalarOf(schema: ScalarSchema, random: Random): Json {
  if (schema.scalar === 'intOrString') return random.pick<Json>(random.chance(50) ? NUMBERS : TEXTS);
  return random.pick(valuesFor(schema, random));
}

/** Everything of a type that is worth a try; of what has members, some. */
export function valuesFor(schema: Schema, random: Random): readonly Json[] {
  if (schema.kind !== 'scalar') return Array.from({ length: 6 }, () => valueOf(schema, random, 0));
  switch (schema.scalar) {
    case 'boolean':
      return [true, false];
    case 'int32':
    case 'int64':
    case 'float64':
      return NUMBERS;
    case 'quantity':
      return QUANTITIES;
    case 'intOrString':
      return [...NUMBERS, ...TEXTS];
    case 'timestamp':
    case 'microtime':
      return TIMES;
    case 'duration':
      return DURATIONS;
    case 'bytes':
      return BYTES;
    case 'string':
      return TEXTS;
  }
}

/** Any value of the type, right or wrong. */
export const structValueOf = (schema: StructSchema, random: Random): Json =>
  structOf(schema.fields, random, 0);

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
