/** Strategic merge patches with all their directives, on objects that are there, and what is left of them. */
import type { Json, JsonObject } from '../../../api/object.ts';
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Schema } from '../../../api/schema.ts';
import type { Step } from '../../../../model/golden/replay/golden-case.ts';
import { valuesFor } from './mutate.ts';
import type { Random } from './random.ts';
import { RICH_MEMBERS } from './rich-subjects.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const PATCHES = 6;
const MAX_DEPTH = 7;
const SYSTEM: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status', 'managedFields']);

type Draft = Record<string, Json>;

export function drawStrategic(subject: Subject, random: Random): readonly Step[] {
  const path = `${collectionOf(subject)}/${nameOf(subject)}`;
  const rich = RICH_MEMBERS[`${subject.apiVersion}/${subject.resource}`];
  const members = rich && random.chance(85) ? random.pick(rich) : subject.members;
  const plain = objectOf(subject, nameOf(subject), members);
  const metadata = plain['metadata'] as JsonObject;
  const object = {
    ...plain,
    metadata: {
      ...metadata,
      labels: { a: '1', b: '2' },
      annotations: { a: '1' },
      finalizers: ['example.com/a', 'example.com/b'],
    },
  };
  const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const patches = Array.from({ length: PATCHES }, (): Step => ({
    request: {
      method: 'PATCH',
      path,
      contentType: 'application/strategic-merge-patch+json',
      ...(random.chance(60) && { query: { dryRun: 'All' } }),
      body: patchOf(object, schema, random, 0),
    },
  }));
  return [
    { request: { method: 'POST', path: collectionOf(subject), body: object } },
    ...patches,
    removal(path),
  ];
}

/** So that nothing stays, whatever its finalizers. */
const removal = (path: string): Step => ({
  request: {
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body: { metadata: { finalizers: null } },
  },
});

/** A patch of some members of what is there. */
function patchOf(object: JsonObject, schema: Schema, random: Random, depth: number): Json {
  const fields = Object.entries(object).filter(([name]) => !SYSTEM.has(name));
  const patch: Draft = {};
  const times = 1 + random.below(2);
  for (let time = 0; time < times && fields.length > 0; time += 1) {
    const [name, value] = random.pick(fields);
    const inner = memberSchema(schema, name);
    if (inner) patchMember(patch, { name, value: value ?? null, schema: inner }, random, depth);
  }
  if (random.chance(8)) patch['$patch'] = random.pick(['replace', 'delete', 'merge', 'bad', 1 as Json]);
  if (random.chance(8)) patch['$retainKeys'] = retained(object, patch, random);
  return patch;
}

const retained = (object: JsonObject, patch: Draft, random: Random): Json =>
  random.pick<Json>([
    Object.keys(patch).filter((name) => !name.startsWith('$')),
    Object.keys(object).slice(0, 2),
    [],
    'a',
    [1],
  ]);

function memberSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.kind === 'map') return schema.values;
  return schema.kind === 'struct' ? schema.fieldsByName.get(name)?.schema : undefined;
}

interface Member {
  readonly name: string;
  readonly value: Json;
  readonly schema: Schema;
}

function patchMember(patch: Draft, { name, value, schema }: Member, random: Random, depth: number): void {
  if (random.chance(6)) patch[name] = null;
  else if (random.chance(3)) patch[name] = random.pick<Json>([7, 'text', [], {}, ['a'], { a: 'b' }]);
  else if (Array.isArray(value)) patchList(patch, { name, value, schema }, random, depth);
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
    patch[name] = patchOf(value as JsonObject, schema, random, depth + 1);
  else patch[name] = random.pick(valuesFor(schema, random));
}

function patchList(patch: Draft, { name, value, schema }: Member, random: Random, depth: number): void {
  const items = value as readonly Json[];
  const itemSchema: Schema = schema.kind === 'list' ? schema.items : schema;
  const changed: Json[] = [];
  for (const item of items) if (random.chance(60)) changed.push(itemOf(item, itemSchema, random, depth));
  if (random.chance(25)) changed.push(random.pick(valuesFor(itemSchema, random)));
  if (random.chance(10))
    changed.push(random.pick<Json>([{ $patch: 'replace' }, { $patch: 'delete' }, { $patch: 'bad' }]));
  if (random.chance(90)) patch[name] = random.chance(20) ? changed.toReversed() : changed;
  if (isOrdered(schema, items) && random.chance(30))
    patch[`$setElementOrder/${name}`] = orderOf(items, changed, random);
  if (random.chance(12)) patch[`$deleteFromPrimitiveList/${name}`] = items.filter(() => random.chance(50));
}

/** A real server dies of an order of structs that have no key. */
const isOrdered = (schema: Schema, items: readonly Json[]): boolean =>
  schema.kind === 'list' && (schema.patchMergeKey !== undefined || typeof items[0] === 'string');

/** Items are known by what is kept of them. */
function itemOf(item: Json, schema: Schema, random: Random, depth: number): Json {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const object = item as JsonObject;
  const key = keyOf(object);
  if (random.chance(20)) return { $patch: random.pick(['delete', 'replace', 'merge']), ...key };
  const changed = depth < MAX_DEPTH ? patchOf(object, schema, random, depth + 1) : {};
  return { ...key, ...(changed as JsonObject) };
}

const KEY_NAMES =
  'name containerPort port mountPath devicePath ip key type uid topologyKey whenUnsatisfiable'.split(' ');

const keyOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => KEY_NAMES.includes(name)));

function orderOf(items: readonly Json[], changed: readonly Json[], random: Random): Json {
  const keys = [...items, ...changed].map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? keyOf(item as JsonObject) : item,
  );
  const texts = [...new Set(keys.map((key) => JSON.stringify(key)))];
  const isPlain = typeof items[0] === 'string';
  const known = texts
    .map((text) => JSON.parse(text) as Json)
    .filter((key) => (!isPlain || typeof key === 'string') && !random.chance(15));
  return random.chance(50) ? known.toReversed() : known;
}
